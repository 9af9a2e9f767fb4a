package expr

import "github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"

// Update is a parsed UpdateExpression. A nil Update changes nothing.
type Update struct{ actions []action }

// action is one comma-separated element of SET, REMOVE, ADD or DELETE.
type action struct {
	verb  string
	path  Path
	value *node // nil for REMOVE
}

var verbs = [...]string{"SET", "REMOVE", "ADD", "DELETE"}

// ParseUpdate parses an UpdateExpression.
func ParseUpdate(src string, env *Env) (*Update, error) {
	u := &Update{}
	err := run("UpdateExpression", src, env, func(p *parser) {
		p.readSections(u)
		p.note(rankPaths, p.pos, checkDisjoint(u.Paths()))
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

func (p *parser) readSections(u *Update) {
	seen := map[string]bool{}
	for p.peek().kind != tokEnd {
		verb := p.readVerb()
		if seen[verb] {
			p.fail(rankShape, "The %q section can only be used once in an update expression;", verb)
		}
		seen[verb] = true
		u.actions = append(u.actions, readList(p, func() action { return p.readAction(verb) })...)
	}
}

func (p *parser) readVerb() string {
	for _, verb := range verbs {
		if p.acceptKeyword(verb) {
			return verb
		}
	}
	p.refuse()
	return ""
}

func (p *parser) readAction(verb string) action {
	a := action{verb: verb, path: p.readPath()}
	switch verb {
	case "SET":
		p.expect("=")
		a.value = p.readSetValue()
		p.checkSetValue(a.value)
	case "ADD", "DELETE":
		a.value = &node{op: opValue, value: p.readValue()}
		p.checkDelta(verb, a.value.value)
	}
	return a
}

// readSetValue reads the right-hand side of SET: an operand, or a sum or difference of two, with any parentheses.
func (p *parser) readSetValue() *node {
	left := p.readParens(p.readSetValue, p.readOperand)
	for _, arithmetic := range []struct {
		symbol string
		op     op
	}{{"+", opAdd}, {"-", opSubtract}} {
		if left.op <= opCall && p.accept(arithmetic.symbol) {
			p.countOperator()
			return &node{op: arithmetic.op, symbol: arithmetic.symbol, args: []*node{left, p.readArgument()}}
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

// typeNames are the names of types in the one message that spells them out.
var typeNames = map[attr.Kind]string{
	attr.S: "STRING", attr.N: "NUMBER", attr.B: "BINARY", attr.BOOL: "BOOLEAN", attr.NULL: "NULL",
	attr.SS: "STRING_SET", attr.NS: "NUMBER_SET", attr.BS: "BINARY_SET", attr.L: "LIST", attr.M: "MAP",
}

// checkDelta refuses values of a wrong type: ADD takes numbers and sets, DELETE only sets.
func (p *parser) checkDelta(verb string, v attr.Value) {
	if v.Kind() == attr.Missing || v.IsSet() || verb == "ADD" && v.Kind() == attr.N {
		return
	}
	p.fail(rankTypes, "Incorrect operand type for operator or function; operator: %s, operand type: %s, typeSet: "+
		"ALLOWED_FOR_%s_OPERAND", verb, typeNames[v.Kind()], verb)
}
