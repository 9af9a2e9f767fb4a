// Package expr implements DynamoDB's expression language. The Parse functions check an expression as the service does.
// The expressions that they return read, test or update immutable items.
package expr

type tokenKind uint8

const (
	tokEnd    tokenKind = iota
	tokWord             // attribute name, function or keyword
	tokName             // #name
	tokValue            // :value
	tokNumber           // list index
	tokSymbol           // operators and punctuation
)

type token struct {
	kind       tokenKind
	text       string
	start, end int
}

func (t token) is(symbol string) bool { return t.kind == tokSymbol && t.text == symbol }

// scan splits src into tokens and appends tokEnd. An unexpected character becomes a symbol, for the parser to refuse.
func scan(src string) []token {
	tokens := make([]token, 0, len(src)/3+2)
	for pos := 0; pos < len(src); {
		if isSpace(src[pos]) {
			pos++
			continue
		}
		kind, end := scanOne(src, pos)
		tokens = append(tokens, token{kind, src[pos:end], pos, end})
		pos = end
	}
	return append(tokens, token{tokEnd, "<EOF>", len(src), len(src)})
}

func scanOne(src string, pos int) (tokenKind, int) {
	c := src[pos]
	switch {
	case isLetter(c):
		return tokWord, scanWhile(src, pos+1, isNamePart)
	case isDigit(c):
		return tokNumber, scanWhile(src, pos+1, isDigit)
	case c == '#' || c == ':':
		end := scanWhile(src, pos+1, isNamePart)
		if end == pos+1 {
			return tokSymbol, end
		}
		if c == '#' {
			return tokName, end
		}
		return tokValue, end
	}
	if pos+1 < len(src) {
		switch src[pos : pos+2] {
		case "<>", "<=", ">=":
			return tokSymbol, pos + 2
		}
	}
	return tokSymbol, pos + 1
}

func scanWhile(src string, pos int, in func(byte) bool) int {
	for pos < len(src) && in(src[pos]) {
		pos++
	}
	return pos
}

func isSpace(c byte) bool    { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
func isDigit(c byte) bool    { return c >= '0' && c <= '9' }
func isLetter(c byte) bool   { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isNamePart(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' }
