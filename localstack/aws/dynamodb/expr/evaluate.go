package expr

import (
	"slices"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

// Holds returns true if the condition holds for an item. Pass nil if there is no item.
func (c *Condition) Holds(item attr.Map) bool {
	return c == nil || c.root.holds(item)
}

func (n *node) holds(item attr.Map) bool {
	switch n.op {
	case opOr:
		return n.args[0].holds(item) || n.args[1].holds(item)
	case opAnd:
		return n.args[0].holds(item) && n.args[1].holds(item)
	case opNot:
		return !n.args[0].holds(item)
	case opCompare:
		return compare(n.symbol, n.args[0].eval(item), n.args[1].eval(item))
	case opBetween:
		v := n.args[0].eval(item)
		return compare(">=", v, n.args[1].eval(item)) && compare("<=", v, n.args[2].eval(item))
	case opIn:
		v := n.args[0].eval(item)
		return slices.ContainsFunc(n.args[1:], func(candidate *node) bool { return attr.Equal(v, candidate.eval(item)) })
	default:
		return n.callHolds(item)
	}
}

// compare compares two values. If a value is missing or the types differ, only <> is true, as in the service.
func compare(symbol string, a, b attr.Value) bool {
	switch symbol {
	case "=":
		return attr.Equal(a, b)
	case "<>":
		return !attr.Equal(a, b)
	}
	if !attr.Ordered(a, b) {
		return false
	}
	c := attr.Compare(a, b)
	switch symbol {
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	default:
		return c >= 0
	}
}

// eval returns an operand's value in an item, or Missing.
func (n *node) eval(item attr.Map) attr.Value {
	switch n.op {
	case opPath:
		return n.path.Lookup(item)
	case opValue:
		return n.value
	default:
		return n.sizeOf(item)
	}
}
