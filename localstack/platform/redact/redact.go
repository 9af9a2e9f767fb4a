// Package redact hides secrets in requests and replies that are shown: card numbers but for four digits, CVVs,
// passwords, keys, tokens and codes. Use Request, Reply or Form for bodies, and Text or Line for other texts.
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

// Limits of shown JSON. Indents grow with the depth, so the shown size grows with the square of the sent size.
const (
	maxDepth = 32      // limit of the API (contract §2.2)
	maxShown = 1 << 18 // bytes
)

// hiddenNames are members and form fields whose values are always hidden.
var hiddenNames = map[string]bool{"cvv": true, "cvc": true, "password": true, "new_password": true, "plaintext": true,
	"client_secret": true, "client_assertion": true, "secret": true, "totp_secret": true, "recovery_codes": true,
	"api_key": true, "otp": true, "access_token": true, "refresh_token": true, "id_token": true, "code_verifier": true,
	"csrf_token": true, "passcode": true}

// hiddenInRequests are hidden only in requests. In replies, code is an error's code and token a saved card's token.
var hiddenInRequests = map[string]bool{"code": true, "token": true}

// savedCard is the length of a saved card's token, a UUID. That token is no secret in requests either.
const savedCard = 36

// side is true for requests and false for replies.
type side bool

func (sent side) hides(name, value string) bool {
	name = strings.ToLower(name)
	return hiddenNames[name] || bool(sent) && hiddenInRequests[name] && (name != "token" || len(value) != savedCard)
}

// shownValue returns the shown value of a member or field called name. The parameter of is the name of the object that
// has this member.
func (sent side) shownValue(of, name, value string) string {
	switch {
	case sent.hides(name, value):
		return hidden
	case strings.EqualFold(of, "card") && strings.EqualFold(name, "number"):
		return maskNumber(value)
	default:
		return Text(value)
	}
}

// Request returns a request's body for showing, as JSON or a form. It returns "" if the body is neither.
func Request(contentType string, body []byte) string {
	kind, _, _ := mime.ParseMediaType(contentType)
	// The API accepts JSON under any content type, and curl by default sends the content type of a form.
	begin := bytes.TrimLeft(body, " \t\r\n")
	isJSON := len(begin) > 0 && (begin[0] == '{' || begin[0] == '[')
	if kind == "application/x-www-form-urlencoded" && !isJSON {
		return Form(string(body))
	}
	return side(true).redactJSON(body)
}

// Reply returns a reply's JSON for showing, or "" if it is not JSON.
func Reply(body []byte) string { return side(false).redactJSON(body) }

// Form returns a form or a query for showing, with a field per line.
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

// fieldValue returns the shown value of a field. Its name may be a path, such as card.cvv or card[cvv].
func fieldValue(name, value string) string {
	path := strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == '[' || r == ']' })
	of := ""
	for i, step := range path {
		if side(true).hides(step, value) {
			return hidden
		}
		if i == len(path)-1 {
			return side(true).shownValue(of, step, value)
		}
		of = step
	}
	return Text(value)
}

type object struct {
	array bool
	name  string // of the current member; an array has the name of the member that holds it
	even  bool   // the last token was a name, so the next is its value
	hides bool   // hides all its contents
}

// redactJSON returns JSON for showing. It returns "" for invalid JSON, and beyond maxDepth or maxShown.
func (sent side) redactJSON(body []byte) string {
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
		if stack, token, err = sent.redactToken(stack, token); err != nil {
			return ""
		}
		if err := to.WriteToken(token); err != nil {
			return ""
		}
	}
}

// redactToken returns the shown form of a token, and the stack for the next token.
func (sent side) redactToken(stack []object, token jsontext.Token) ([]object, jsontext.Token, error) {
	at := &stack[len(stack)-1]
	kind := token.Kind()
	if kind == '}' || kind == ']' {
		return stack[:len(stack)-1], token, nil
	}
	if !at.array {
		if at.even = !at.even; at.even { // was false, so the token is a name
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
		shown := sent.shownValue(of, at.name, text)
		if hides {
			shown = hidden
		}
		// The platform's own numbers may be as long as a card's. They occur only in replies, so a reply's numbers stay.
		if kind == '"' || shown != text && (bool(sent) || hides) {
			token = jsontext.String(shown)
		}
	}
	return stack, token, nil
}
