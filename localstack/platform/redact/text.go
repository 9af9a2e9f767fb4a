package redact

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// patterns are hidden everywhere: keys, callback secrets, tokens, signatures and tokens of links, OAuth's codes.
var patterns = regexp.MustCompile(`([sp]k_(?:live|test)_)[0-9A-Za-z]+|(whsec_)[0-9A-Za-z+/=]+|()[0-9a-f]{64,}|` +
	`(X-Amz-(?:Signature|Security-Token)=)[^&"\\]+|(/receipts/)[0-9a-f]{32}|(/invitations/)[0-9A-Za-z_-]+|` +
	`([?&]code=)[^&"\s]+`)

// marks are in texts of patterns, but for access tokens.
var marks = []string{"k_live_", "k_test_", "whsec_", "X-Amz-S", "/receipts/", "/invitations/", "code="}

const (
	fewestDigits = 12 // of a card number (contract §4.3)
	mostDigits   = 19
	hexOfToken   = 64 // digits of an access token
	shownDigits  = 4  // the last ones of a card number
)

// digits are a run of them, or groups; or a UUID, whose digits are no card number.
var (
	digits = regexp.MustCompile(uuid.String() + `|[0-9]{12,}|[0-9]{2,}(?:` + between.String() + `[0-9]{2,}){2,}`)
	uuid   = regexp.MustCompile(`\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`)
	// between are what people put between the groups of a card number.
	between = regexp.MustCompile(`[-\s._/\x{a0}]{1,2}`)
)

// separators are those of between, as bytes.
const separators = "- \t\r\n._/\u00a0"

// suspicious reports whether patterns or digits may be in a text. It is fast, and most texts are not.
func suspicious(text string) bool {
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

// Text returns a text without what looks like a secret.
func Text(text string) string {
	if !suspicious(text) {
		return text
	}
	text = patterns.ReplaceAllString(text, "${1}${2}${3}${4}${5}${6}${7}…")
	return digits.ReplaceAllStringFunc(text, func(found string) string {
		if uuid.MatchString(found) {
			return found
		}
		return withoutCard(found)
	})
}

// Line is Text on one line, without characters that move a terminal's cursor, or turn the direction of what is read.
func Line(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return unicode.ReplacementChar
		}
		return r
	}, Text(text))
}

// maxGroups are as many groups as a card number has.
const maxGroups = 10

// withoutCard returns a run of groups of digits; those that are a card number, as the last ones of it.
func withoutCard(run string) string {
	groups, places := between.Split(run, -1), between.FindAllStringIndex(run, -1)
	for first := range groups {
		for last := min(first+maxGroups, len(groups)) - 1; last >= first; last-- {
			number := strings.Join(groups[first:last+1], "")
			if len(number) < fewestDigits || len(number) > mostDigits || !luhn(number) {
				continue
			}
			shown := cardNumber(number)
			if first > 0 {
				shown = run[:places[first-1][1]] + shown
			}
			if last < len(places) {
				after := places[last]
				shown += run[after[0]:after[1]] + withoutCard(run[after[1]:])
			}
			return shown
		}
	}
	return run
}

// luhn reports whether the check digit of a card number is right (ISO/IEC 7812-1, annex B).
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

// cardNumber returns a number up to its last digits.
func cardNumber(number string) string {
	n := max(0, len(number)-shownDigits)
	return strings.Repeat("*", n) + number[n:]
}
