package expr

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

const maxIndex = 1 << 30 // a list of 400 KB has far fewer elements

// parser parses one expression. A syntax error stops the parser. Any other error is stored in semantic until the end,
// because the service reports syntax errors first.
type parser struct {
	src      string
	tokens   []token
	pos      int
	env      *Env
	semantic error
	rank     rank
	at       int // index of the semantic error's token

	operators int
}

const maxOperators = 300 // operators and functions (Developer Guide, "Expression parameters")

func (p *parser) countOperator() {
	if p.operators++; p.operators == maxOperators+1 {
		p.fail(rankShape, "The expression contains too many operators; operator count: %d", p.operators)
	}
}

// rank is the number of a pass of checks. The service makes these passes after it has checked the syntax, and reports
// the error of the first pass that fails.
type rank uint8

const (
	rankShape     rank = iota + 1
	rankNames          // functions and reserved words
	rankUndefined      // undefined placeholders of names
	rankPaths
	rankTypes // also undefined placeholders of values
)

// syntaxError unwinds the recursive descent by panic. run recovers it.
type syntaxError string

// run parses src with rule. It prefixes any error with the name of the expression.
func run(kind, src string, env *Env, rule func(p *parser)) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case syntaxError:
			err = attr.Invalid(r)
		default:
			panic(r)
		}
		if err != nil {
			err = attr.Invalidf("Invalid %s: %s", kind, err)
		}
	}()
	if src == "" {
		return attr.Invalid("The expression can not be empty;")
	}
	if len(src) > maxExpression {
		return attr.Invalidf("Expression size has exceeded the maximum allowed size; expression size: %d", len(src))
	}
	p := &parser{src: src, tokens: scan(src), env: env}
	rule(p)
	if p.peek().kind != tokEnd {
		p.refuse()
	}
	return p.semantic
}

const maxExpression = 4096 // bytes (Developer Guide, "Expression parameters")

func (p *parser) peek() token { return p.tokens[p.pos] }

func (p *parser) next() token {
	t := p.tokens[p.pos]
	if t.kind != tokEnd {
		p.pos++
	}
	return t
}

// refuse panics with a syntax error at the current token, quoting its neighbours as the service does.
func (p *parser) refuse() {
	t := p.peek()
	from, to := t.start, t.end
	switch {
	case p.pos > 0:
		from = p.tokens[p.pos-1].start
	case t.kind == tokEnd:
		from = 0 // src is blank
	}
	if p.pos+1 < len(p.tokens) {
		to = p.tokens[p.pos+1].end
	}
	panic(syntaxError(`Syntax error; token: "` + t.text + `", near: "` + p.src[from:to] + `"`))
}

func (p *parser) fail(r rank, format string, args ...any) { p.failAt(r, p.pos, format, args...) }

func (p *parser) failAt(r rank, at int, format string, args ...any) {
	p.note(r, at, attr.Invalidf(format, args...))
}

// note keeps only one error: the error of the earliest pass, and among errors of the same pass the leftmost. Of two
// errors at the same token it keeps the first.
func (p *parser) note(r rank, at int, err error) {
	if err == nil || p.semantic != nil && (r > p.rank || r == p.rank && at >= p.at) {
		return
	}
	p.semantic, p.rank, p.at = err, r, at
}

func (p *parser) accept(symbol string) bool {
	if p.peek().is(symbol) {
		p.pos++
		return true
	}
	return false
}

func (p *parser) expect(symbol string) {
	if !p.accept(symbol) {
		p.refuse()
	}
}

func readList[T any](p *parser, part func() T) []T {
	all := []T{part()}
	for p.accept(",") {
		all = append(all, part())
	}
	return all
}

func (p *parser) acceptKeyword(word string) bool {
	if !p.atKeyword(word) {
		return false
	}
	p.pos++
	return true
}

func (p *parser) atKeyword(word string) bool {
	t := p.peek()
	return t.kind == tokWord && strings.EqualFold(t.text, word)
}

// isKeyword returns true if a word belongs to the grammar. Such a word cannot name an attribute.
func isKeyword(word string) bool { return slices.Contains(keywords, strings.ToUpper(word)) }

var keywords = []string{"AND", "OR", "NOT", "BETWEEN", "IN", "SET", "REMOVE", "ADD", "DELETE"}

// readPath reads a document path such as a.b[0].#c.
func (p *parser) readPath() Path {
	path := Path{{Name: p.readAttribute(), Index: -1}}
	for {
		switch {
		case p.accept("."):
			path = append(path, Step{Name: p.readAttribute(), Index: -1})
		case p.accept("["):
			path = append(path, Step{Index: p.readIndex()})
			p.expect("]")
		default:
			return path
		}
	}
}

func (p *parser) readAttribute() string {
	t := p.peek()
	switch {
	case t.kind == tokName:
		p.pos++
		name, ok := p.env.useName(t.text)
		if !ok {
			p.fail(rankUndefined, "An expression attribute name used in the document path is not defined; attribute name: %s",
				t.text)
		}
		return name
	case t.kind == tokWord && !isKeyword(t.text):
		p.pos++
		if isReserved(t.text) {
			p.fail(rankNames, "Attribute name is a reserved keyword; reserved keyword: %s", t.text)
		}
		return t.text
	}
	p.refuse()
	return ""
}

func (p *parser) readIndex() int {
	t := p.peek()
	if t.kind != tokNumber {
		p.refuse()
	}
	p.pos++
	n, err := strconv.Atoi(t.text)
	if err != nil || n > maxIndex {
		p.fail(rankShape, "List index is not within the allowable range; index: [%s]", t.text)
		return 0
	}
	return n
}

func (p *parser) readValue() attr.Value {
	t := p.peek()
	if t.kind != tokValue {
		p.refuse()
	}
	p.pos++
	v, ok := p.env.useValue(t.text)
	if !ok {
		p.fail(rankTypes, "An expression attribute value used in expression is not defined; attribute value: %s", t.text)
	}
	return v
}

func (p *parser) atCall() bool {
	t := p.peek()
	return t.kind == tokWord && !isKeyword(t.text) && p.tokens[p.pos+1].is("(")
}
