package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// Limits of one JSON body (contract §2.2). No real body comes near them. A hostile body costs only its bytes.
const (
	maxDepth  = 32
	maxValues = 20_000
)

// node is one JSON value of a parsed body.
type node struct {
	kind     jsontext.Kind // KindInvalid: there is no value
	raw      jsontext.Value
	names    []string // of the members of an object, unquoted
	children []node   // members or elements
}

// parseJSON parses a body, which may be empty (contract §2.2). The failure is INVALID_REQUEST for a text that is not
// JSON in UTF-8, for duplicate member names, and for lone surrogates. Readers disagree which duplicate counts (RFC 8259
// §4), so an attacker could show the merchant one amount and us another. A reader that replaces lone surrogates makes
// different references equal (RFC 8259 §8.2).
func parseJSON(body []byte) (node, error) {
	body = bytes.Trim(body, " \t\r\n")
	if len(body) == 0 {
		return node{}, nil
	}
	p := parser{Decoder: jsontext.NewDecoder(bytes.NewBuffer(body)), text: body}
	n, err := p.parseValue(1)
	if err == nil {
		_, err = p.ReadToken()
	}
	if !errors.Is(err, io.EOF) {
		return node{}, failure.Malformed(bodyFault(body, err))
	}
	return n, nil
}

var (
	errTooMany = errors.New("too many values")
	errTooDeep = errors.New("nested too deeply")
)

// bodyFault returns the message for an invalid body. It reports a body that is not JSON before any other fault.
func bodyFault(body []byte, err error) string {
	switch {
	case !utf8.Valid(body) || !json.Valid(body):
		return "The body is not valid JSON."
	case errors.Is(err, errTooMany):
		return "The body has too many values."
	case errors.Is(err, errTooDeep):
		return "The body is nested too deeply."
	case errors.Is(err, jsontext.ErrDuplicateName):
		return "The body names a member twice."
	default:
		return "The body contains a string with an unpaired surrogate."
	}
}

// parser reads text into nodes, within the limits of a body.
type parser struct {
	*jsontext.Decoder
	text   []byte
	values int
}

func (p *parser) parseValue(depth int) (node, error) {
	if p.values++; p.values > maxValues {
		return node{}, errTooMany
	}
	if depth > maxDepth {
		return node{}, errTooDeep
	}
	switch kind := p.PeekKind(); kind {
	case jsontext.KindBeginObject, jsontext.KindBeginArray:
		return p.parseEntries(kind, depth)
	default:
		raw, err := p.ReadValue() // raw is valid only until the next read
		end := p.InputOffset()
		return node{kind: kind, raw: p.text[end-int64(len(raw)) : end]}, err
	}
}

func (p *parser) parseEntries(kind jsontext.Kind, depth int) (node, error) {
	n := node{kind: kind}
	_, err := p.ReadToken()
	start := p.InputOffset() - 1
	for err == nil && p.PeekKind() != jsontext.KindEndObject && p.PeekKind() != jsontext.KindEndArray {
		if kind == jsontext.KindBeginObject {
			var name jsontext.Token
			if name, err = p.ReadToken(); err != nil {
				break
			}
			n.names = append(n.names, name.String())
		}
		var child node
		child, err = p.parseValue(depth + 1)
		n.children = append(n.children, child)
	}
	if err == nil {
		_, err = p.ReadToken()
	}
	n.raw = p.text[start:p.InputOffset()]
	return n, err
}

// object returns the value. For no value and for an empty array, which is PHP's empty object (contract §2.2), it
// returns {}.
func (n node) object() node {
	if n.kind == jsontext.KindInvalid || n.kind == jsontext.KindBeginArray && len(n.children) == 0 {
		return node{kind: jsontext.KindBeginObject, raw: jsontext.Value("{}")}
	}
	return n
}

func (n node) isEmptyText() bool { return n.kind == jsontext.KindString && len(n.raw) == len(`""`) }

// isDigits returns true if the value is a number without sign, fraction and exponent.
func (n node) isDigits() bool {
	return n.kind == jsontext.KindNumber && len(bytes.Trim(n.raw, "0123456789")) == 0
}

// canonicalJSON returns the canonical form of a body that parseJSON has accepted: sorted members, no white space, one
// spelling of strings and numbers. Two forms are equal exactly when the parsed bodies are equal (contract §2.8).
func canonicalJSON(body []byte) []byte {
	if len(bytes.TrimSpace(body)) == 0 {
		return []byte("{}") // an operation without a body takes no body or {}
	}
	unique := jsontext.AllowDuplicateNames(true) // parseJSON has found no duplicates
	var b bytes.Buffer
	from, to := jsontext.NewDecoder(bytes.NewBuffer(body), unique), jsontext.NewEncoder(&b, unique)
	for token, err := from.ReadToken(); err == nil; token, err = from.ReadToken() {
		if token.Kind() == jsontext.KindNumber {
			_ = to.WriteValue(jsontext.Value(canonicalNumber(token.String())))
		} else {
			_ = to.WriteToken(token)
		}
	}
	v := jsontext.Value(b.Bytes())
	_ = v.Format(unique, jsontext.ReorderRawObjects(true)) // the encoder's output is always valid
	return v
}
