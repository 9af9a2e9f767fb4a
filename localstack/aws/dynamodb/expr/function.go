package expr

import (
	"strings"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

// checkCall refuses a call in a condition for its name, its operands' number
// or their types.
func (p *parser) checkCall(n *node) {
	for _, a := range n.args {
		if a.op == opCall {
			p.checkCall(a)
			if a.symbol != "size" {
				p.misplaced(a)
			}
		}
	}
	switch n.symbol {
	case "attribute_exists", "attribute_not_exists":
		if p.arity(n, 1) {
			p.wantPath(n.symbol, n.args[0])
		}
	case "size":
		if p.arity(n, 1) {
			p.wantType(n.symbol, n.args[0], attr.S, attr.B, attr.SS, attr.NS, attr.BS, attr.L, attr.M)
		}
	case "begins_with":
		if p.arity(n, 2) {
			p.wantType(n.symbol, n.args[0], attr.S, attr.B)
			p.wantType(n.symbol, n.args[1], attr.S, attr.B)
			p.wantDistinct(n.symbol, n.args)
		}
	case "contains":
		if p.arity(n, 2) {
			p.wantDistinct(n.symbol, n.args)
		}
	case "attribute_type":
		if p.arity(n, 2) {
			p.wantDistinct(n.symbol, n.args)
			p.wantTypeName(n.args[1])
		}
	case "if_not_exists", "list_append":
		p.failAt(rankNames, n.at, attr.Invalidf("The function is not allowed in a condition expression; function: %s",
			n.symbol))
	default:
		p.failAt(rankNames, n.at, attr.Invalidf("Invalid function name; function: %s", n.symbol))
	}
}

// wantTypeName refuses a second operand of attribute_type that is not the name
// of a type.
func (p *parser) wantTypeName(n *node) {
	if n.op != opValue {
		// The service prints its whole set of internal types here; the words differ, the refusal does not.
		p.fail(rankTypes, attr.Invalid("Incorrect operand type for operator or function; operator or function: "+
			"attribute_type, operand type: path"))
		return
	}
	p.wantType("attribute_type", n, attr.S)
	if _, ok := attr.ParseKind(n.value.Str()); !ok && n.value.Kind() == attr.S {
		p.fail(rankTypes, attr.Invalidf("Invalid attribute type name found; type: %s, valid types: "+
			"{N,BS,L,B,NULL,M,S,SS,NS,BOOL}", n.value.Str()))
	}
}

// callHolds evaluates a function that is true or false.
func (n *node) callHolds(item attr.Map) bool {
	first := n.args[0].eval(item)
	switch n.symbol {
	case "attribute_exists":
		return first.Kind() != attr.Missing
	case "attribute_not_exists":
		return first.Kind() == attr.Missing
	case "attribute_type":
		return first.Kind().String() == n.args[1].value.Str() && first.Kind() != attr.Missing
	}
	second := n.args[1].eval(item)
	if n.symbol == "begins_with" {
		return first.Kind() == second.Kind() && (first.Kind() == attr.S || first.Kind() == attr.B) &&
			strings.HasPrefix(first.Str(), second.Str())
	}
	return contains(first, second)
}

func contains(whole, part attr.Value) bool {
	switch whole.Kind() {
	case attr.S, attr.B:
		return whole.Kind() == part.Kind() && strings.Contains(whole.Str(), part.Str())
	case attr.L, attr.SS, attr.NS, attr.BS:
		return attr.Contains(whole.Elements(), part)
	}
	return false
}

// sizeOf evaluates size(); Missing when the operand has none.
func (n *node) sizeOf(item attr.Map) attr.Value {
	length, ok := n.args[0].eval(item).Length()
	if !ok {
		return attr.Value{}
	}
	return attr.Int(length)
}
