// Package redact hides secrets in shown requests: cards but for four digits, CVVs, passwords, keys, tokens, codes.
package redact

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

const hidden = "***"

// Limits of JSON that is shown: its indents grow with its depth, and so by the square of what is sent.
const (
	maxDepth = 32      // as much as the API takes (contract §2.2)
	maxShown = 1 << 18 // bytes
)

// names are of members, and of fields of forms, whose values are hidden whatever they are.
var names = map[string]bool{"cvv": true, "cvc": true, "password": true, "new_password": true, "plaintext": true,
	"client_secret": true, "client_assertion": true, "secret": true, "totp_secret": true, "recovery_codes": true,
	"api_key": true, "otp": true, "access_token": true, "refresh_token": true, "id_token": true, "code_verifier": true,
	"csrf_token": true, "passcode": true}

// sentNames are hidden in requests only. In replies a code is that of an error, and a token that of a saved card.
var sentNames = map[string]bool{"code": true, "token": true}

// savedCard is how long the token of a saved card is, a UUID; in a request too it is no secret.
const savedCard = 36

// side is whether something was sent in a request.
type side bool

func (sent side) hides(name, value string) bool {
	name = strings.ToLower(name)
	return names[name] || bool(sent) && sentNames[name] && (name != "token" || len(value) != savedCard)
}

// value is that of a member or field, in what is called of.
func (sent side) value(of, name, value string) string {
	switch {
	case sent.hides(name, value):
		return hidden
	case strings.EqualFold(of, "card") && strings.EqualFold(name, "number"):
		return cardNumber(value)
	default:
		return Text(value)
	}
}

// Request is the body of a request as it may be shown: JSON, or a form. It is "" if the body is neither.
func Request(contentType string, body []byte) string {
	kind, _, _ := mime.ParseMediaType(contentType)
	// The API takes JSON of any type, and curl calls it a form unless it is asked not to.
	begin := bytes.TrimLeft(body, " \t\r\n")
	isJSON := len(begin) > 0 && (begin[0] == '{' || begin[0] == '[')
	if kind == "application/x-www-form-urlencoded" && !isJSON {
		return Form(string(body))
	}
	return side(true).json(body)
}

// Reply returns JSON of a reply as it may be shown; "" if it is none.
func Reply(body []byte) string { return side(false).json(body) }

// Form returns a form or a query as it may be shown, a field a line.
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
		lines = append(lines, Text(name)+"="+fieldValue(name, value))
	}
	return strings.Join(lines, "\n")
}

// fieldValue returns the value of a field whose name leads into objects, as card.cvv or card[cvv].
func fieldValue(name, value string) string {
	path := strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == '[' || r == ']' })
	of := ""
	for i, step := range path {
		if side(true).hides(step, value) {
			return hidden
		}
		if i == len(path)-1 {
			return side(true).value(of, step, value)
		}
		of = step
	}
	return Text(value)
}

type object struct {
	array bool
	name  string // of the member that is read; an array's is that of the member it is
	even  bool   // what comes next is a name
	hides bool   // all in it is hidden
}

// json returns JSON as it may be shown; "" if it is none, or deeper or longer than is shown.
func (sent side) json(body []byte) string {
	var out bytes.Buffer
	in, to := jsontext.NewDecoder(bytes.NewReader(body)), jsontext.NewEncoder(&out, jsontext.WithIndent("  "))
	stack := []object{{array: true}}
	for {
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) {
			return strings.TrimSuffix(out.String(), "\n")
		}
		if err != nil || len(stack) > maxDepth || out.Len() > maxShown {
			return ""
		}
		if stack, token, err = sent.step(stack, token); err != nil {
			return ""
		}
		if err := to.WriteToken(token); err != nil {
			return ""
		}
	}
}

// step returns what becomes of a token, and where the next one is.
func (sent side) step(stack []object, token jsontext.Token) ([]object, jsontext.Token, error) {
	at := &stack[len(stack)-1]
	kind := token.Kind()
	if kind == '}' || kind == ']' {
		return stack[:len(stack)-1], token, nil
	}
	if !at.array {
		if at.even = !at.even; at.even { // it was false, so this is a name
			at.name = token.String()
			return stack, jsontext.String(Text(at.name)), nil
		}
	}
	hides := at.hides || sent.hides(at.name, token.String())
	of := ""
	if len(stack) > 1 {
		of = stack[len(stack)-2].name
	}
	switch kind {
	case '{', '[':
		inner := object{array: kind == '[', hides: at.hides || sent.hides(at.name, "")}
		if inner.array {
			inner.name = at.name
		}
		return append(stack, inner), token, nil
	case '"', '0':
		text := token.String()
		shown := sent.value(of, at.name, text)
		if hides {
			shown = hidden
		}
		// Numbers of ours are as long as a card's, but none of ours is sent.
		if kind == '"' || shown != text && (bool(sent) || hides) {
			token = jsontext.String(shown)
		}
	}
	return stack, token, nil
}
