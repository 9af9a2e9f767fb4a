package expr

import (
	"slices"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

type op uint8

const (
	opPath op = iota
	opValue
	opCall
	opOr
	opAnd
	opNot
	opCompare
	opBetween
	opIn
	opAdd
	opSubtract
)

// node is an operand or a condition in the tree of an expression. For a call, the called function decides whether the
// node is an operand or a condition.
type node struct {
	op     op
	symbol string // comparator or function
	args   []*node
	path   Path
	value  attr.Value
	parens bool // in parentheses
	at     int  // token of a call's name
}

func (n *node) isOperand() bool { return n.op <= opCall || n.op >= opAdd }

// isCondition returns true if n can be a condition. Syntax alone allows any call.
func (n *node) isCondition() bool { return n.op >= opCall && n.op < opAdd }

// kind returns the type of a literal or of size(), which is known before an item is read. For any other node it returns
// Missing.
func (n *node) kind() attr.Kind {
	switch {
	case n.op == opValue:
		return n.value.Kind()
	case n.op == opCall && n.symbol == "size":
		return attr.N
	}
	return attr.Missing
}

func (p *parser) readOperand() *node {
	switch t := p.peek(); {
	case p.atCall():
		return p.readCall()
	case t.kind == tokValue:
		return &node{op: opValue, value: p.readValue()}
	}
	return &node{op: opPath, path: p.readPath()}
}

func (p *parser) readCall() *node {
	p.countOperator()
	n := &node{op: opCall, at: p.pos, symbol: p.next().text}
	p.expect("(")
	n.args = readList(p, p.readArgument)
	p.expect(")")
	return n
}

func (p *parser) readArgument() *node { return p.readParens(p.readArgument, p.readOperand) }

// readParens reads an operand. If the operand is in parentheses, readParens reads it by calling within. Otherwise it
// calls without.
func (p *parser) readParens(within, without func() *node) *node {
	if !p.accept("(") {
		return without()
	}
	n := within()
	p.expect(")")
	if n.parens {
		p.fail(rankShape, "The expression has redundant parentheses;")
	}
	n.parens = true
	return n
}

// wantType refuses operands of n whose type is known and not allowed.
func (p *parser) wantType(n *node, allowed []attr.Kind, operands ...*node) {
	for _, a := range operands {
		if kind := a.kind(); kind != attr.Missing && !slices.Contains(allowed, kind) {
			p.fail(rankTypes, "Incorrect operand type for operator or function; operator or function: %s, operand type: %s",
				n.symbol, kind)
		}
	}
}

// wantDistinct refuses a path that is compared with itself.
func (p *parser) wantDistinct(n *node) {
	first := n.args[0]
	for _, other := range n.args[1:] {
		if first.op == opPath && other.op == opPath && slices.Equal(other.path, first.path) {
			p.fail(rankTypes, "The first operand must be distinct from the remaining operands for this operator or function; "+
				"operator: %s, first operand: %s", n.symbol, first.path)
		}
	}
}

func (p *parser) failMisplaced(n *node) {
	p.failAt(rankNames, n.at, "The function is not allowed to be used this way in an expression; function: %s", n.symbol)
}
