// Package redact hides what must not be seen of requests and replies that are shown to a developer: card numbers up to
// their last four digits, security codes, passwords, keys, tokens and codes.
package redact

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	hidden = "***"
	// shownDigits are the last ones of a card number.
	shownDigits = 4
)

// names are of members, and of fields of forms, whose values are hidden whatever they are.
var names = map[string]bool{"cvv": true, "password": true, "plaintext": true, "client_secret": true, "secret": true,
	"access_token": true, "refresh_token": true, "code_verifier": true, "csrf_token": true}

// patterns are hidden wherever they are: keys, callback secrets, access tokens, signatures of links, the tokens in the
// links of mails, and OAuth's codes.
var patterns = regexp.MustCompile(`([sp]k_(?:live|test)_)[0-9A-Za-z]+|(whsec_)[0-9A-Za-z+/=]+|()[0-9a-f]{64,}|` +
	`(X-Amz-(?:Signature|Security-Token)=)[^&"\\]+|(/(?:receipts|invitations)/)[0-9A-Za-z_-]+|([?&]code=)[^&"\s]+`)

// digits are a run of them, or groups as on a card; or a UUID, whose digits are no card number.
var (
	digits = regexp.MustCompile(uuid.String() + `|[0-9]{12,}|[0-9]{4}(?:[ -][0-9]{2,7}){2,4}`)
	uuid   = regexp.MustCompile(`\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`)
)

// marks are in texts of patterns, but for access tokens.
var marks = []string{"k_live_", "k_test_", "whsec_", "X-Amz-S", "/receipts/", "/invitations/", "code="}

const (
	fewestDigits = 12 // of a card number (contract §4.3)
	mostDigits   = 19
	hexOfToken   = 64 // digits of an access token
)

// suspicious reports whether patterns or digits may be in a text. It is fast, and most texts are not.
func suspicious(text string) bool {
	decimal, hex := 0, 0
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			decimal, hex = decimal+1, hex+1
		case c >= 'a' && c <= 'f':
			decimal, hex = 0, hex+1
		case c == ' ' || c == '-':
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

// Text is a text without what looks like a secret.
func Text(text string) string {
	if !suspicious(text) {
		return text
	}
	text = patterns.ReplaceAllString(text, "${1}${2}${3}${4}${5}${6}…")
	return digits.ReplaceAllStringFunc(text, func(found string) string {
		number := strings.NewReplacer(" ", "", "-", "").Replace(found)
		if len(number) < fewestDigits || len(number) > mostDigits || uuid.MatchString(found) || !luhn(number) {
			return found
		}
		return cardNumber(number)
	})
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

// cardNumber is a number up to its last digits.
func cardNumber(number string) string {
	n := max(0, len(number)-shownDigits)
	return strings.Repeat("*", n) + number[n:]
}

// Request is the body of a request as it may be shown: JSON or a form. It is "" if the body is neither.
func Request(contentType string, body []byte) string {
	if kind, _, _ := mime.ParseMediaType(contentType); kind == "application/x-www-form-urlencoded" {
		return Form(string(body))
	}
	return shown(body, func(name string) bool { return name == "code" })
}

// Reply is JSON of a reply as it may be shown; "" if it is none.
func Reply(body []byte) string { return shown(body, func(string) bool { return false }) }

// Form is a form or a query as it may be shown, a field a line.
func Form(encoded string) string {
	var lines []string
	for field := range strings.SplitSeq(encoded, "&") {
		name, value, _ := strings.Cut(field, "=")
		name, err := url.QueryUnescape(name)
		if err != nil || name == "" {
			continue
		}
		if value, err = url.QueryUnescape(value); err != nil {
			value = hidden
		}
		of, last, nested := strings.Cut(name, ".")
		if !nested {
			of, last = "", name
		}
		lines = append(lines, Text(name)+"="+valueOf(of, last, value, last == "code"))
	}
	return strings.Join(lines, "\n")
}

// valueOf is the value of a member or field, in what is called of.
func valueOf(of, name, value string, also bool) string {
	switch {
	case names[name] || also:
		return hidden
	case of == "card" && name == "number":
		return cardNumber(value)
	default:
		return Text(value)
	}
}

// shown is JSON with what is hidden by names and by also.
func shown(body []byte, also func(name string) bool) string {
	var out bytes.Buffer
	in, to := jsontext.NewDecoder(bytes.NewReader(body)), jsontext.NewEncoder(&out, jsontext.WithIndent("  "))
	for {
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) {
			return strings.TrimSuffix(out.String(), "\n")
		}
		if err != nil {
			return ""
		}
		of, name, isValue := place(in)
		switch kind := token.Kind(); {
		case !isValue:
			token = jsontext.String(Text(token.String()))
		case kind == '"':
			token = jsontext.String(valueOf(of, name, token.String(), also(name)))
		case kind == '0' && (names[name] || also(name) || of == "card" && name == "number"):
			token = jsontext.String(valueOf(of, name, token.String(), also(name)))
		}
		if err := to.WriteToken(token); err != nil {
			return ""
		}
	}
}

// place is where the token is that was read last: the member's name, and that of the object in which it is. isValue is
// false for the name of a member.
func place(in *jsontext.Decoder) (of, name string, isValue bool) {
	kind, length := in.StackIndex(in.StackDepth())
	segments := strings.Split(string(in.StackPointer()), "/")
	at := len(segments) - 1
	if kind == '[' { // an element is called as its array is
		at--
	}
	if at >= 1 {
		name = segments[at]
	}
	if at >= 2 {
		of = segments[at-1]
	}
	return of, name, kind != '{' || length%2 == 0
}
