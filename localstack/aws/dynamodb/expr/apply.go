package expr

import (
	"cmp"
	"slices"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

// Errors that depend on the item.
const (
	errNoSuchPath  = attr.Invalid("The document path provided in the update expression is invalid for update")
	errNoSuchValue = attr.Invalid("The provided expression refers to an attribute that does not exist in the item")
	errOperandType = attr.Invalid("An operand in the update expression has an incorrect data type")
)

const removed = attr.Missing

// change sets the value at a path. The value Missing removes the path.
type change struct {
	path  Path
	value attr.Value
}

// Apply returns the updated item. It reads all values from the old item. It makes the assignments first, by ascending
// index, and the removals last, by descending index. The old list indexes thus stay valid while Apply writes.
func (u *Update) Apply(item attr.Map) (attr.Map, error) {
	if u == nil {
		return item, nil
	}
	var assign, remove []change
	for _, a := range u.actions {
		c, isChange, err := a.change(item)
		switch {
		case err != nil:
			return nil, err
		case !isChange:
		case c.value.Kind() == removed:
			remove = append(remove, c)
		default:
			assign = append(assign, c)
		}
	}
	slices.SortStableFunc(assign, byPath)
	slices.SortStableFunc(remove, func(a, b change) int { return byPath(b, a) })
	root := attr.Nested(item)
	for _, c := range append(assign, remove...) {
		root = write(root, c.path, c.value)
	}
	return root.Fields(), nil
}

func byPath(a, b change) int {
	return slices.CompareFunc(a.path, b.path, func(s, t Step) int {
		return cmp.Or(cmp.Compare(s.Name, t.Name), cmp.Compare(s.Index, t.Index))
	})
}

// change returns the change that the action makes to item. isChange is false if the action has no effect.
func (a action) change(item attr.Map) (c change, isChange bool, err error) {
	c.path = a.path
	if !a.path.isWritable(item) {
		return c, false, errNoSuchPath
	}
	old := a.path.Lookup(item)
	switch a.verb {
	case "SET":
		c.value, err = a.value.resolve(item)
	case "REMOVE":
		return c, old.Kind() != attr.Missing, nil
	case "ADD":
		c.value, err = add(old, a.value.value)
	case "DELETE":
		return a.deletion(c, old)
	}
	return c, true, err
}

func (a action) deletion(c change, old attr.Value) (change, bool, error) {
	if old.Kind() == attr.Missing {
		return c, false, nil
	}
	if old.Kind() != a.value.value.Kind() {
		return c, false, errOperandType
	}
	if left, some := attr.Difference(old, a.value.value); some {
		c.value = left
	}
	return c, true, nil
}

func add(old, delta attr.Value) (attr.Value, error) {
	switch {
	case old.Kind() == attr.Missing:
		return delta, nil
	case old.Kind() != delta.Kind():
		return attr.Value{}, errOperandType
	case delta.Kind() == attr.N:
		return attr.Add(old, delta)
	}
	return attr.Union(old, delta), nil
}

// isWritable returns true if the path's parent exists and has the right type.
func (p Path) isWritable(item attr.Map) bool {
	if len(p) == 1 {
		return true
	}
	parent := p[:len(p)-1].Lookup(item).Kind()
	if p[len(p)-1].Index < 0 {
		return parent == attr.M
	}
	return parent == attr.L
}

// write returns a copy of v. In the copy, the value at path is replaced by the value to, or removed if to is Missing.
func write(v attr.Value, path Path, to attr.Value) attr.Value {
	step := path[0]
	if len(path) > 1 {
		to = write(step.into(v), path[1:], to)
	}
	if step.Index < 0 {
		if to.Kind() == removed {
			return attr.Nested(v.Fields().Without(step.Name))
		}
		return attr.Nested(v.Fields().With(step.Name, to))
	}
	elements := slices.Clone(v.Elements())
	switch {
	case to.Kind() == removed:
		elements = slices.Delete(elements, step.Index, step.Index+1)
	case step.Index >= len(elements):
		elements = append(elements, to)
	default:
		elements[step.Index] = to
	}
	return attr.List(elements)
}

// resolve returns the value of the right-hand side of SET.
func (n *node) resolve(item attr.Map) (attr.Value, error) {
	switch n.op {
	case opValue:
		return n.value, nil
	case opPath:
		v := n.path.Lookup(item)
		if v.Kind() == attr.Missing {
			return v, errNoSuchValue
		}
		return v, nil
	}
	if n.symbol == "if_not_exists" {
		otherwise, err := n.args[1].resolve(item) // the default must resolve even if it is not used
		if v := n.args[0].path.Lookup(item); err == nil && v.Kind() != attr.Missing {
			return v, nil
		}
		return otherwise, err
	}
	left, err := n.args[0].resolve(item)
	if err != nil {
		return left, err
	}
	right, err := n.args[1].resolve(item)
	if err != nil {
		return right, err
	}
	return n.combine(left, right)
}

func (n *node) combine(left, right attr.Value) (attr.Value, error) {
	want := attr.N
	if n.op == opCall {
		want = attr.L
	}
	if left.Kind() != want || right.Kind() != want {
		return attr.Value{}, errOperandType
	}
	switch n.op {
	case opAdd:
		return attr.Add(left, right)
	case opSubtract:
		return attr.Subtract(left, right)
	}
	return attr.List(slices.Concat(left.Elements(), right.Elements())), nil
}
