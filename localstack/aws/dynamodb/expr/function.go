package expr

import (
	"strings"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

// function lists the kind of expression that allows a function, and the operands that the function takes.
type function struct {
	in       place
	operands int
	path     bool        // the first operand must be a document path
	types    []attr.Kind // allowed types of operands, where known; nil allows any
	distinct bool        // the other operands must differ from the first one's path
}

// place is a kind of expression, named as in error messages.
type place string

const (
	inCondition place = "a condition"
	inUpdate    place = "an update"
)

var (
	texts     = []attr.Kind{attr.S, attr.B}
	ordered   = []attr.Kind{attr.S, attr.N, attr.B}
	sized     = []attr.Kind{attr.S, attr.B, attr.SS, attr.NS, attr.BS, attr.L, attr.M}
	functions = map[string]function{
		"attribute_exists":     {in: inCondition, operands: 1, path: true},
		"attribute_not_exists": {in: inCondition, operands: 1, path: true},
		"size":                 {in: inCondition, operands: 1, types: sized},
		"begins_with":          {in: inCondition, operands: 2, types: texts, distinct: true},
		"contains":             {in: inCondition, operands: 2, distinct: true},
		"attribute_type":       {in: inCondition, operands: 2, distinct: true},
		"if_not_exists":        {in: inUpdate, operands: 2, path: true, distinct: true},
		"list_append":          {in: inUpdate, operands: 2, types: []attr.Kind{attr.L}},
	}
	// nestable lists, by place, the only function whose result may be an operand.
	nestable = map[place]string{inCondition: "size", inUpdate: "if_not_exists"}
)

// checkCall checks a call's name and operands. Like the service, it checks nested calls first in a condition, and last
// in an update.
func (p *parser) checkCall(n *node, in place) {
	if in == inCondition {
		p.checkNested(in, n.args...)
	}
	switch f, known := functions[n.symbol]; {
	case !known:
		p.failAt(rankNames, n.at, "Invalid function name; function: %s", n.symbol)
	case f.in != in:
		p.failAt(rankNames, n.at, "The function is not allowed in %s expression; function: %s", in, n.symbol)
	case len(n.args) != f.operands:
		p.fail(rankTypes, "Incorrect number of operands for operator or function; operator or function: %s, number of "+
			"operands: %d", n.symbol, len(n.args))
	default:
		p.checkOperands(n, f)
	}
	if in == inUpdate {
		p.checkNested(in, n.args...)
	}
}

func (p *parser) checkOperands(n *node, f function) {
	if f.path && n.args[0].op != opPath {
		p.fail(rankTypes, "Operator or function requires a document path; operator or function: %s", n.symbol)
	}
	if f.types != nil {
		p.wantType(n, f.types, n.args...)
	}
	if f.distinct {
		p.wantDistinct(n)
	}
	if n.symbol == "attribute_type" {
		p.wantTypeName(n)
	}
}

func (p *parser) checkNested(in place, operands ...*node) {
	for _, a := range operands {
		if a.op == opCall {
			p.checkCall(a, in)
			p.wantNestable(in, a)
		}
	}
}

// wantNestable refuses a call whose result cannot be an operand.
func (p *parser) wantNestable(in place, n *node) {
	if n.op == opCall && n.symbol != nestable[in] {
		p.failMisplaced(n)
	}
}

// wantTypeName refuses a second operand of attribute_type that does not name a type.
func (p *parser) wantTypeName(n *node) {
	name := n.args[1]
	if name.op != opValue {
		// The service also refuses this, but its message lists types of its implementation.
		p.fail(rankTypes, "Incorrect operand type for operator or function; operator or function: attribute_type, operand "+
			"type: path")
		return
	}
	p.wantType(n, []attr.Kind{attr.S}, name)
	if _, ok := attr.ParseKind(name.value.Str()); !ok && name.value.Kind() == attr.S {
		p.fail(rankTypes, "Invalid attribute type name found; type: %s, valid types: {N,BS,L,B,NULL,M,S,SS,NS,BOOL}",
			name.value.Str())
	}
}

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

// sizeOf returns the result of size(), or Missing if the operand has no size.
func (n *node) sizeOf(item attr.Map) attr.Value {
	length, ok := n.args[0].eval(item).Length()
	if !ok {
		return attr.Value{}
	}
	return attr.Int(length)
}
