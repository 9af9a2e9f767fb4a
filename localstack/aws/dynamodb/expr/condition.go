package expr

import (
	"slices"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

// Condition is a parsed ConditionExpression or FilterExpression. A nil Condition holds for every item.
type Condition struct{ root *node }

// ParseCondition returns a parser of conditions. kind is the parameter's name, for error messages.
func ParseCondition(kind string) func(src string, env *Env) (*Condition, error) {
	return func(src string, env *Env) (*Condition, error) {
		c := &Condition{}
		if err := run(kind, src, env, func(p *parser) { c.root = p.readCondition() }); err != nil {
			return nil, err
		}
		return c, nil
	}
}

// Roots returns the attributes that the condition reads, in reading order.
func (c *Condition) Roots() []string {
	if c == nil {
		return nil
	}
	var roots []string
	c.root.walk(func(n *node) {
		if n.op == opPath {
			roots = append(roots, n.path.Root())
		}
	})
	return roots
}

func (n *node) walk(visit func(*node)) {
	visit(n)
	for _, a := range n.args {
		a.walk(visit)
	}
}

func (p *parser) readCondition() *node {
	return p.wantCondition(p.readDisjunction())
}

func (p *parser) wantCondition(n *node) *node {
	if !n.isCondition() {
		p.refuse()
	}
	if n.op == opCall && n.symbol == nestable[inCondition] {
		p.failMisplaced(n)
	}
	return n
}

func (p *parser) readDisjunction() *node { return p.readChain(opOr, "OR", p.readConjunction) }

func (p *parser) readConjunction() *node { return p.readChain(opAnd, "AND", p.readNegation) }

func (p *parser) readChain(op op, word string, part func() *node) *node {
	n := part()
	for p.atKeyword(word) {
		p.wantCondition(n)
		p.skipOperator()
		n = &node{op: op, symbol: word, args: []*node{n, p.wantCondition(part())}}
	}
	return n
}

func (p *parser) readNegation() *node {
	if p.atKeyword("NOT") {
		p.skipOperator()
		return &node{op: opNot, symbol: "NOT", args: []*node{p.wantCondition(p.readNegation())}}
	}
	return p.readComparison()
}

func (p *parser) skipOperator() {
	p.countOperator()
	p.next()
}

func (p *parser) readComparison() *node {
	left := p.readPrimary()
	t := p.peek()
	switch {
	case t.kind == tokSymbol && slices.Contains(comparators, t.text):
		p.wantOperand(left)
		p.skipOperator()
		return p.newComparison(t.text, left, p.wantOperand(p.readPrimary()))
	case p.atKeyword("BETWEEN"):
		p.wantOperand(left)
		p.skipOperator()
		low := p.wantOperand(p.readPrimary())
		if !p.acceptKeyword("AND") {
			p.refuse()
		}
		return p.newBetween(left, low, p.wantOperand(p.readPrimary()))
	case p.atKeyword("IN"):
		p.wantOperand(left)
		p.skipOperator()
		return p.readIn(left)
	}
	return left
}

var comparators = []string{"=", "<>", "<", "<=", ">", ">="}

func (p *parser) readPrimary() *node { return p.readParens(p.readDisjunction, p.readCheckedOperand) }

func (p *parser) readCheckedOperand() *node {
	n := p.readOperand()
	if n.op == opCall {
		p.checkCall(n, inCondition)
	}
	return n
}

func (p *parser) wantOperand(n *node) *node {
	if !n.isOperand() {
		p.refuse()
	}
	p.wantNestable(inCondition, n)
	return n
}

func (p *parser) newComparison(symbol string, left, right *node) *node {
	n := &node{op: opCompare, symbol: symbol, args: []*node{left, right}}
	if symbol != "=" && symbol != "<>" {
		p.wantType(n, ordered, left, right)
	}
	p.wantDistinct(n)
	return n
}

func (p *parser) newBetween(v, low, high *node) *node {
	n := &node{op: opBetween, symbol: "BETWEEN", args: []*node{v, low, high}}
	p.wantType(n, ordered, n.args...)
	if low.op == opValue && high.op == opValue && p.semantic == nil {
		p.note(rankTypes, p.pos, checkBounds(low.value, high.value))
	}
	p.wantDistinct(n)
	return n
}

func checkBounds(low, high attr.Value) error {
	problem := ""
	switch {
	case low.Kind() != high.Kind():
		problem = "same data type for lower and upper bounds"
	case attr.Compare(low, high) > 0:
		problem = "upper bound to be greater than or equal to lower bound"
	default:
		return nil
	}
	return attr.Invalidf("The BETWEEN operator requires %s; lower bound operand: AttributeValue: {%s:%s}, upper bound "+
		"operand: AttributeValue: {%s:%s}",
		problem, low.Kind(), low.Str(), high.Kind(), high.Str())
}

const maxIn = 100 // operands of IN (API reference, "Condition")

func (p *parser) readIn(v *node) *node {
	n := &node{op: opIn, symbol: "IN", args: []*node{v}}
	p.expect("(")
	n.args = append(n.args, readList(p, func() *node { return p.wantOperand(p.readPrimary()) })...)
	p.expect(")")
	if count := len(n.args) - 1; count > maxIn {
		p.fail(rankTypes, "The IN operator is provided with too many operands; number of operands: %d", count)
	}
	p.wantDistinct(n)
	return n
}
