package expr

import (
	"slices"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

// KeyTerm is a condition on a key attribute. Op is a comparator, BETWEEN or begins_with. Only BETWEEN uses High.
type KeyTerm struct {
	Name string
	Op   string
	Low  attr.Value
	High attr.Value
}

// ParseKeyCondition parses a KeyConditionExpression: terms joined by AND, one per key attribute.
func ParseKeyCondition(src string, env *Env) ([]KeyTerm, error) {
	c, err := ParseCondition("KeyConditionExpression")(src, env)
	if err != nil {
		return nil, err
	}
	return keyTerms(nil, c.root)
}

func keyTerms(terms []KeyTerm, n *node) ([]KeyTerm, error) {
	if n.op == opAnd {
		left, err := keyTerms(terms, n.args[0])
		if err != nil {
			return nil, err
		}
		return keyTerms(left, n.args[1])
	}
	term, err := keyTerm(n)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(terms, func(t KeyTerm) bool { return t.Name == term.Name }) {
		return nil, attr.Invalid("KeyConditionExpressions must only contain one condition per key")
	}
	return append(terms, term), nil
}

// mirrored maps the operator of ":v < sk" to that of "sk > :v".
var mirrored = map[string]string{"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

func keyTerm(n *node) (KeyTerm, error) {
	switch {
	case n.op == opCompare && n.symbol != "<>", n.op == opBetween, n.op == opCall && n.symbol == "begins_with":
	default:
		return KeyTerm{}, attr.Invalidf("Invalid operator used in KeyConditionExpression: %s", n.symbol)
	}
	symbol, args := n.symbol, n.args
	if n.op == opCompare && args[0].op == opValue && args[1].op == opPath {
		symbol, args = mirrored[symbol], []*node{args[1], args[0]}
	}
	for _, a := range args {
		if a.op == opCall {
			return KeyTerm{}, attr.Invalid("KeyConditionExpressions cannot contain nested operations")
		}
	}
	if args[0].op != opPath {
		return KeyTerm{}, attr.Invalid("Invalid condition in KeyConditionExpression: No key attribute specified")
	}
	if path := args[0].path; len(path) > 1 {
		return KeyTerm{}, attr.Invalidf("Key attributes must be scalars; list random access '[]' and map lookup '.' are "+
			"not allowed: Key: %s", path.Root())
	}
	term := KeyTerm{Name: args[0].path.Root(), Op: symbol, Low: args[1].value}
	for _, a := range args[1:] {
		if a.op != opValue {
			return KeyTerm{},
				attr.Invalid("Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition")
		}
		term.High = a.value
	}
	return term, nil
}
