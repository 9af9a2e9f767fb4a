package redact

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// patterns match secrets in any text: keys, callback secrets, tokens, signatures and tokens of links, OAuth codes.
var patterns = regexp.MustCompile(`([sp]k_(?:live|test)_)[0-9A-Za-z]+|(whsec_)[0-9A-Za-z+/=]+|()[0-9a-f]{64,}|` +
	`(X-Amz-(?:Signature|Security-Token)=)[^&"\\]+|(/receipts/)[0-9a-f]{32}|(/invitations/)[0-9A-Za-z_-]+|` +
	`(/password/)[0-9A-Za-z_-]+|([?&]code=)[^&"\s]+`)

// marks lists parts of secrets. Each match of the variable patterns contains a mark, unless the text is an access
// token.
var marks = []string{"k_live_", "k_test_", "whsec_", "X-Amz-S", "/receipts/", "/invitations/", "/password/", "code="}

const (
	fewestDigits = 12 // of card numbers (contract §4.3)
	mostDigits   = 19
	hexOfToken   = 64 // length of an access token
	shownDigits  = 4  // at the end of a card number
)

// digits matches a run of digits or groups of digits. It also matches a UUID, so that the digits of the UUID are not
// taken for a card number.
var (
	digits = regexp.MustCompile(uuid.String() + `|[0-9]{12,}|[0-9]{2,}(?:` + between.String() + `[0-9]{2,}){2,}`)
	uuid   = regexp.MustCompile(`\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`)
	// between matches the separators that people put between the groups of a card number.
	between = regexp.MustCompile(`[-\s._/\x{a0}]{1,2}`)
)

// separators lists the bytes of the characters that the pattern between matches.
const separators = "- \t\r\n._/\u00a0"

// isSuspicious returns true if one of the regular expressions patterns and digits may match. It is fast, and returns
// false for most texts.
func isSuspicious(text string) bool {
	decimal, hex := 0, 0
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			decimal, hex = decimal+1, hex+1
		case c >= 'a' && c <= 'f':
			decimal, hex = 0, hex+1
		case strings.IndexByte(separators, c) >= 0:
			hex = 0
		default:
			decimal, hex = 0, 0
		}
		if decimal >= fewestDigits || hex >= hexOfToken {
			return true
		}
	}
	return slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(text, mark) })
}

// Text returns a text with everything hidden that looks like a secret.
func Text(text string) string {
	if !isSuspicious(text) {
		return text
	}
	text = patterns.ReplaceAllString(text, "${1}${2}${3}${4}${5}${6}${7}${8}…")
	return digits.ReplaceAllStringFunc(text, func(found string) string {
		if uuid.MatchString(found) {
			return found
		}
		return maskCardsIn(found)
	})
}

// Line hides secrets like Text. It replaces characters that begin a line, move a terminal's cursor or change the text's
// direction.
func Line(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return unicode.ReplacementChar
		}
		return r
	}, Text(text))
}

// maxGroups is the maximum number of groups in a card number.
const maxGroups = 10

// maskCardsIn returns a run of groups of digits. Where groups form a card number, it shows only the number's last
// digits.
func maskCardsIn(run string) string {
	groups, places := between.Split(run, -1), between.FindAllStringIndex(run, -1)
	for first := range groups {
		for last := min(first+maxGroups, len(groups)) - 1; last >= first; last-- {
			number := strings.Join(groups[first:last+1], "")
			if len(number) < fewestDigits || len(number) > mostDigits || !luhn(number) {
				continue
			}
			shown := maskNumber(number)
			if first > 0 {
				shown = run[:places[first-1][1]] + shown
			}
			if last < len(places) {
				after := places[last]
				shown += run[after[0]:after[1]] + maskCardsIn(run[after[1]:])
			}
			return shown
		}
	}
	return run
}

// luhn returns true if a card number's check digit is right (ISO/IEC 7812-1, annex B).
func luhn(number string) bool {
	sum := 0
	for i := range len(number) {
		digit := int(number[len(number)-1-i] - '0')
		if i%2 == 1 {
			digit *= 2
			digit -= digit / 10 * 9
		}
		sum += digit
	}
	return sum%10 == 0
}

// maskNumber hides all but a number's last digits.
func maskNumber(number string) string {
	n := max(0, len(number)-shownDigits)
	return strings.Repeat("*", n) + number[n:]
}
