package expr

import (
	"slices"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

// Condition is a parsed ConditionExpression or FilterExpression. A nil one holds for every item.
type Condition struct{ root *node }

// ParseCondition returns the parser of conditions; kind is the parameter's name, for messages.
func ParseCondition(kind string) func(src string, env *Env) (*Condition, error) {
	return func(src string, env *Env) (*Condition, error) {
		c := &Condition{}
		if err := run(kind, src, env, func(p *parser) { c.root = p.condition() }); err != nil {
			return nil, err
		}
		return c, nil
	}
}

// Roots returns the attributes that the condition reads, in the order of reading.
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

func (p *parser) condition() *node {
	return p.wantCondition(p.disjunction())
}

func (p *parser) wantCondition(n *node) *node {
	if !n.isCondition() {
		p.refuse()
	}
	if n.op == opCall && n.symbol == nestable[inCondition] {
		p.misplaced(n)
	}
	return n
}

func (p *parser) disjunction() *node { return p.chain(opOr, "OR", p.conjunction) }

func (p *parser) conjunction() *node { return p.chain(opAnd, "AND", p.negation) }

func (p *parser) chain(op op, word string, part func() *node) *node {
	n := part()
	for p.atKeyword(word) {
		p.wantCondition(n)
		p.operator()
		n = &node{op: op, symbol: word, args: []*node{n, p.wantCondition(part())}}
	}
	return n
}

func (p *parser) negation() *node {
	if p.atKeyword("NOT") {
		p.operator()
		return &node{op: opNot, symbol: "NOT", args: []*node{p.wantCondition(p.negation())}}
	}
	return p.comparison()
}

func (p *parser) operator() {
	p.count()
	p.next()
}

func (p *parser) comparison() *node {
	left := p.primary()
	t := p.peek()
	switch {
	case t.kind == tokSymbol && slices.Contains(comparators, t.text):
		p.wantOperand(left)
		p.operator()
		return p.compare(t.text, left, p.wantOperand(p.primary()))
	case p.atKeyword("BETWEEN"):
		p.wantOperand(left)
		p.operator()
		low := p.wantOperand(p.primary())
		if !p.keyword("AND") {
			p.refuse()
		}
		return p.between(left, low, p.wantOperand(p.primary()))
	case p.atKeyword("IN"):
		p.wantOperand(left)
		p.operator()
		return p.in(left)
	}
	return left
}

var comparators = []string{"=", "<>", "<", "<=", ">", ">="}

func (p *parser) primary() *node { return p.parenthesised(p.disjunction, p.checkedOperand) }

func (p *parser) checkedOperand() *node {
	n := p.operand()
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

func (p *parser) compare(symbol string, left, right *node) *node {
	n := &node{op: opCompare, symbol: symbol, args: []*node{left, right}}
	if symbol != "=" && symbol != "<>" {
		p.wantType(n, ordered, left, right)
	}
	p.wantDistinct(n)
	return n
}

func (p *parser) between(v, low, high *node) *node {
	n := &node{op: opBetween, symbol: "BETWEEN", args: []*node{v, low, high}}
	p.wantType(n, ordered, n.args...)
	if low.op == opValue && high.op == opValue && p.semantic == nil {
		p.note(rankTypes, p.pos, bounds(low.value, high.value))
	}
	p.wantDistinct(n)
	return n
}

func bounds(low, high attr.Value) error {
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

func (p *parser) in(v *node) *node {
	n := &node{op: opIn, symbol: "IN", args: []*node{v}}
	p.expect("(")
	n.args = append(n.args, several(p, func() *node { return p.wantOperand(p.primary()) })...)
	p.expect(")")
	if count := len(n.args) - 1; count > maxIn {
		p.fail(rankTypes, "The IN operator is provided with too many operands; number of operands: %d", count)
	}
	p.wantDistinct(n)
	return n
}
