package attr

import (
	"slices"
	"strings"
	"unicode/utf16"
)

// Field is one named attribute.
type Field struct {
	Name  string
	Value Value
}

// Map is an item, a key, or the content of an M. It is immutable, and sorted by name so that answers are stable.
type Map []Field

// NewMap sorts fields in place by name and returns them as a Map. If a name occurs twice, the last field wins.
func NewMap(fields ...Field) Map {
	slices.SortStableFunc(fields, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	m := fields[:0]
	for i, f := range fields {
		if i > 0 && len(m) > 0 && m[len(m)-1].Name == f.Name {
			m[len(m)-1] = f
			continue
		}
		m = append(m, f)
	}
	return m
}

func (m Map) find(name string) (int, bool) {
	return slices.BinarySearchFunc(m, name, func(f Field, n string) int { return strings.Compare(f.Name, n) })
}

// Get returns the value of a name, or Missing.
func (m Map) Get(name string) Value {
	if i, ok := m.find(name); ok {
		return m[i].Value
	}
	return Value{}
}

// With returns a copy of m with name set to v.
func (m Map) With(name string, v Value) Map {
	i, ok := m.find(name)
	if ok {
		changed := slices.Clone(m)
		changed[i].Value = v
		return changed
	}
	return slices.Concat(m[:i], Map{{name, v}}, m[i:])
}

// Without returns a copy of m without name.
func (m Map) Without(name string) Map {
	i, ok := m.find(name)
	if !ok {
		return m
	}
	return slices.Delete(slices.Clone(m), i, i+1)
}

// Only is the opposite of Without: it returns a copy of m with just the fields in names.
func (m Map) Only(names []string) Map {
	kept := make(Map, 0, len(names))
	for _, f := range m {
		if slices.Contains(names, f.Name) {
			kept = append(kept, f)
		}
	}
	return kept
}

// Equal compares two maps deeply.
func (m Map) Equal(o Map) bool {
	return slices.EqualFunc(m, o, func(a, b Field) bool { return a.Name == b.Name && Equal(a.Value, b.Value) })
}

// Size returns the item's size in bytes by the published rules: the names in UTF-8 plus the sizes of the values.
func (m Map) Size() int {
	n := 0
	for _, f := range m {
		n += len(f.Name) + f.Value.Size()
	}
	return n
}

// Size returns the size in bytes. A number takes one byte plus one for each pair of digits, and one more if negative. A
// list or map takes three bytes plus one for each member.
func (v Value) Size() int {
	switch v.kind {
	case S, B:
		return len(v.text)
	case N:
		return numberSize(v.text)
	case BOOL, NULL:
		return 1
	case M:
		return 3 + len(v.Fields()) + v.Fields().Size()
	default:
		n := 0
		for _, e := range v.Elements() {
			n += e.Size()
		}
		if v.kind == L {
			n += 3 + len(v.Elements())
		}
		return n
	}
}

// Length returns the result of the function size() of expressions: the number of UTF-16 code units, bytes or members.
// ok is false for a kind that has no size.
func (v Value) Length() (n int, ok bool) {
	switch v.kind {
	case S:
		for _, r := range v.text {
			n += utf16.RuneLen(r)
		}
		return n, true
	case B:
		return len(v.text), true
	case SS, NS, BS, L:
		return len(v.Elements()), true
	case M:
		return len(v.Fields()), true
	default:
		return 0, false
	}
}
