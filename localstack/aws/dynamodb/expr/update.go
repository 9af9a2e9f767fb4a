package expr

import "github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"

// Update is a parsed UpdateExpression. A nil one changes nothing.
type Update struct{ actions []action }

// action is one comma-separated part of SET, REMOVE, ADD or DELETE.
type action struct {
	verb  string
	path  Path
	value *node // nil for REMOVE
}

var verbs = [...]string{"SET", "REMOVE", "ADD", "DELETE"}

// ParseUpdate reads an UpdateExpression.
func ParseUpdate(src string, env *Env) (*Update, error) {
	u := &Update{}
	err := run("UpdateExpression", src, env, func(p *parser) {
		p.sections(u)
		p.note(rankPaths, p.pos, disjoint(u.Paths()))
	})
	if err != nil {
		return nil, err
	}
	return u, nil
}

// Paths returns the document paths that the update writes.
func (u *Update) Paths() []Path {
	if u == nil {
		return nil
	}
	paths := make([]Path, len(u.actions))
	for i, a := range u.actions {
		paths[i] = a.path
	}
	return paths
}

func (p *parser) sections(u *Update) {
	seen := map[string]bool{}
	for p.peek().kind != tokEnd {
		verb := p.verb()
		if seen[verb] {
			p.fail(rankShape, "The %q section can only be used once in an update expression;", verb)
		}
		seen[verb] = true
		u.actions = append(u.actions, several(p, func() action { return p.action(verb) })...)
	}
}

func (p *parser) verb() string {
	for _, verb := range verbs {
		if p.keyword(verb) {
			return verb
		}
	}
	p.refuse()
	return ""
}

func (p *parser) action(verb string) action {
	a := action{verb: verb, path: p.path()}
	switch verb {
	case "SET":
		p.expect("=")
		a.value = p.setValue()
		p.checkSetValue(a.value)
	case "ADD", "DELETE":
		a.value = &node{op: opValue, value: p.value()}
		p.checkDelta(verb, a.value.value)
	}
	return a
}

// setValue reads SET's right side: an operand, or a sum or difference of two, with any parentheses.
func (p *parser) setValue() *node {
	left := p.parenthesised(p.setValue, p.operand)
	for _, arithmetic := range []struct {
		symbol string
		op     op
	}{{"+", opAdd}, {"-", opSubtract}} {
		if left.op <= opCall && p.accept(arithmetic.symbol) {
			p.count()
			return &node{op: arithmetic.op, symbol: arithmetic.symbol, args: []*node{left, p.argument()}}
		}
	}
	return left
}

func (p *parser) checkSetValue(n *node) {
	switch n.op {
	case opCall:
		p.checkCall(n, inUpdate)
	case opAdd, opSubtract:
		for _, a := range n.args {
			p.checkNested(inUpdate, a)
			p.wantType(n, []attr.Kind{attr.N}, a)
		}
	}
}

// typeNames are the words that the service uses in one message only.
var typeNames = map[attr.Kind]string{
	attr.S: "STRING", attr.N: "NUMBER", attr.B: "BINARY", attr.BOOL: "BOOLEAN", attr.NULL: "NULL",
	attr.SS: "STRING_SET", attr.NS: "NUMBER_SET", attr.BS: "BINARY_SET", attr.L: "LIST", attr.M: "MAP",
}

// checkDelta refuses what can't be added or deleted: ADD takes numbers and sets, DELETE sets.
func (p *parser) checkDelta(verb string, v attr.Value) {
	if v.Kind() == attr.Missing || v.IsSet() || verb == "ADD" && v.Kind() == attr.N {
		return
	}
	p.fail(rankTypes, "Incorrect operand type for operator or function; operator: %s, operand type: %s, typeSet: "+
		"ALLOWED_FOR_%s_OPERAND", verb, typeNames[v.Kind()], verb)
}
