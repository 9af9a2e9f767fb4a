package rest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// Bounds of one JSON body. Nothing in the contract comes near them; they keep
// hostile bodies from costing more than their bytes.
const (
	maxDepth  = 32
	maxValues = 20_000
)

// node is one JSON value of a parsed body.
type node struct {
	kind     byte     // '{' '[' '"' '0' 't' 'n', or 0 for no value at all
	raw      []byte   // the value's text
	names    []string // of an object's members, unquoted
	children []node   // members or elements
}

// parseJSON reads a body under contract §2.2: nothing at all is fine; what is
// not one JSON text in UTF-8 is INVALID_REQUEST, and so are duplicate member
// names (RFC 8259 §4: readers disagree which one counts, so an attacker could
// show the merchant one amount and us another) and lone surrogates (§8.2: a
// reader that repairs them makes two references one).
func parseJSON(body []byte) (node, error) {
	body = bytes.Trim(body, " \t\r\n")
	if len(body) == 0 {
		return node{}, nil
	}
	if !utf8.Valid(body) || !json.Valid(body) {
		return node{}, failure.Malformed("The body is not valid JSON.")
	}
	p := parser{text: body}
	n := p.value(1)
	if p.fault != "" {
		return node{}, failure.Malformed(p.fault)
	}
	return n, nil
}

// parser walks a text that json.Valid has accepted, so it never meets a
// syntax error: it only finds where values begin and end.
type parser struct {
	text   []byte
	at     int
	values int
	fault  string
}

func (p *parser) value(depth int) node {
	p.blank()
	if p.values++; p.values > maxValues {
		p.fault = "The body has too many values."
	}
	if depth > maxDepth {
		p.fault = "The body is nested too deeply."
	}
	if p.fault != "" {
		return node{}
	}
	start := p.at
	n := node{}
	switch c := p.text[p.at]; c {
	case '{':
		n = p.object(depth)
	case '[':
		n = p.array(depth)
	case '"':
		n.kind = '"'
		p.string()
	default:
		n.kind = literalKind(c)
		p.literal()
	}
	n.raw = p.text[start:p.at]
	return n
}

func (p *parser) object(depth int) node {
	n := node{kind: '{'}
	seen := map[string]bool{}
	for p.more('}') {
		name := unquote(p.string())
		if seen[name] {
			p.fault = "The body names a member twice."
		}
		seen[name] = true
		p.blank()
		p.at++ // the colon
		n.names = append(n.names, name)
		n.children = append(n.children, p.value(depth+1))
	}
	return n
}

func (p *parser) array(depth int) node {
	n := node{kind: '['}
	for p.more(']') {
		n.children = append(n.children, p.value(depth+1))
	}
	return n
}

// more steps over the opening bracket or a comma and says whether another
// entry follows; else it steps over the closing bracket.
func (p *parser) more(closing byte) bool {
	if p.fault != "" {
		return false
	}
	p.blank()
	if p.text[p.at] != closing {
		p.at++
		p.blank()
	}
	if p.text[p.at] == closing {
		p.at++
		return false
	}
	return true
}

func (p *parser) blank() {
	for strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

func (p *parser) string() []byte {
	start := p.at
	for p.at++; p.text[p.at] != '"'; p.at++ {
		if p.text[p.at] == '\\' {
			p.at++
		}
	}
	p.at++
	raw := p.text[start:p.at]
	if loneSurrogate(raw) {
		p.fault = "The body contains a string with an unpaired surrogate."
	}
	return raw
}

// loneSurrogate says that an escape of the string is half of a pair, which is
// no character (RFC 8259 §7).
func loneSurrogate(raw []byte) bool {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		if i++; raw[i] != 'u' {
			continue
		}
		unit := codeUnit(raw[i+1:])
		i += 4 // its last digit
		if !utf16.IsSurrogate(unit) {
			continue
		}
		if !bytes.HasPrefix(raw[i+1:], []byte(`\u`)) || utf16.DecodeRune(unit, codeUnit(raw[i+3:])) == utf8.RuneError {
			return true
		}
		i += len(`\uDE00`)
	}
	return false
}

// codeUnit reads the four digits of an escape.
func codeUnit(digits []byte) rune {
	n, _ := strconv.ParseUint(string(digits[:4]), 16, 16) // json.Valid has accepted them
	return rune(n)
}

func (p *parser) literal() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n,]}", p.text[p.at]) < 0 {
		p.at++
	}
}

func literalKind(c byte) byte {
	switch c {
	case 't', 'f':
		return 't'
	case 'n':
		return 'n'
	default:
		return '0'
	}
}

func unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	_ = json.Unmarshal(raw, &s) // json.Valid has accepted it
	return s
}

// object is the value, or {} for no body.
func (n node) object() node {
	if n.kind == 0 {
		return node{kind: '{'}
	}
	return n
}

func (n node) isEmptyText() bool { return n.kind == '"' && len(n.raw) == len(`""`) }

// canonical appends the value's canonical form: members sorted, no blanks,
// strings and numbers in one spelling. Two bodies have equal forms exactly
// when they are equal as parsed JSON (contract §2.8).
func (n node) canonical(to []byte) []byte {
	switch n.kind {
	case '{':
		return n.canonicalObject(to)
	case '[':
		to = append(to, '[')
		for i, child := range n.children {
			if i > 0 {
				to = append(to, ',')
			}
			to = child.canonical(to)
		}
		return append(to, ']')
	case '"':
		return appendQuoted(to, unquote(n.raw))
	case '0':
		return append(to, canonicalNumber(string(n.raw))...)
	default:
		return append(to, n.raw...)
	}
}

func (n node) canonicalObject(to []byte) []byte {
	order := make([]int, len(n.names))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(n.names[a], n.names[b]) })
	to = append(to, '{')
	for i, member := range order {
		if i > 0 {
			to = append(to, ',')
		}
		to = append(appendQuoted(to, n.names[member]), ':')
		to = n.children[member].canonical(to)
	}
	return append(to, '}')
}

func appendQuoted(to []byte, s string) []byte {
	quoted, _ := json.Marshal(s) // a string always marshals
	return append(to, quoted...)
}
