// Package attr implements DynamoDB's attribute values: numbers, published sizes, sort keys and JSON. Values are
// immutable. A writer copies the values that it changes, so requests read stored items without a lock.
package attr

import (
	"slices"
	"strconv"
	"strings"
)

// Kind is the type of a value.
type Kind uint8

// The ten kinds of attribute value.
const (
	Missing Kind = iota
	S
	N
	B
	BOOL
	NULL
	SS
	NS
	BS
	L
	M
)

var kindNames = [...]string{"", "S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"}

// String returns the kind's name in JSON: "S", "NS", …
func (k Kind) String() string { return kindNames[k] }

// ParseKind returns the kind that JSON calls letters, such as "NS". ok is false for an unknown name.
func ParseKind(letters string) (Kind, bool) {
	k := slices.Index(kindNames[S:], letters) + 1
	return Kind(k), k > 0
}

// IsScalarKey returns true if a key attribute may have this kind.
func (k Kind) IsScalarKey() bool { return k == S || k == N || k == B }

// Value is one immutable attribute value. The zero Value is Missing. The struct is small, since a table holds very many
// values.
type Value struct {
	kind    Kind
	flag    bool     // BOOL
	text    string   // S, the bytes of B, the canonical decimal of N
	members *members // L, M, SS, NS, BS
}

type members struct {
	list   []Value // L in order; SS, NS and BS sorted
	fields Map     // M
}

func listOf(kind Kind, list []Value) Value { return Value{kind: kind, members: &members{list: list}} }

// Text returns an S.
func Text(s string) Value { return Value{kind: S, text: s} }

// Binary returns a B.
func Binary(b string) Value { return Value{kind: B, text: b} }

// List returns an L, which keeps vs without copying.
func List(vs []Value) Value { return listOf(L, vs) }

// Nested returns an M.
func Nested(m Map) Value { return Value{kind: M, members: &members{fields: m}} }

// Int returns an N.
func Int(n int) Value { return Value{kind: N, text: strconv.Itoa(n)} }

// Kind returns the value's type.
func (v Value) Kind() Kind { return v.kind }

// Str returns the text of an S, the bytes of a B, or the canonical text of an N.
func (v Value) Str() string { return v.text }

// Elements returns the members of a list or set. Callers must not change them.
func (v Value) Elements() []Value {
	if v.members == nil {
		return nil
	}
	return v.members.list
}

// Fields returns the members of an M.
func (v Value) Fields() Map {
	if v.members == nil {
		return nil
	}
	return v.members.fields
}

// IsSet returns true if the value is an SS, NS or BS.
func (v Value) IsSet() bool { return v.kind == SS || v.kind == NS || v.kind == BS }

// newSet returns a set with the elements sorted as in the service. It refuses duplicates.
func newSet(kind Kind, elements []Value) (Value, error) {
	slices.SortFunc(elements, Compare)
	for i := 1; i < len(elements); i++ {
		if Compare(elements[i-1], elements[i]) == 0 {
			return Value{}, duplicatesError(kind)
		}
	}
	return listOf(kind, elements), nil
}

// Union returns the union of two sets of the same kind.
func Union(a, b Value) Value {
	all := slices.Concat(a.Elements(), b.Elements())
	slices.SortFunc(all, Compare)
	return listOf(a.kind, slices.CompactFunc(all, Equal))
}

// Difference returns a without the elements of b. ok is false when no element is left, since DynamoDB has no empty set.
func Difference(a, b Value) (left Value, ok bool) {
	kept := make([]Value, 0, len(a.Elements()))
	for _, e := range a.Elements() {
		if !Contains(b.Elements(), e) {
			kept = append(kept, e)
		}
	}
	return listOf(a.kind, kept), len(kept) > 0
}

// Contains returns true if list has an element equal to e.
func Contains(list []Value, e Value) bool {
	return slices.ContainsFunc(list, func(x Value) bool { return Equal(x, e) })
}

// Equal compares two values deeply. Missing equals no value, not even Missing.
func Equal(a, b Value) bool {
	if a.kind != b.kind || a.kind == Missing {
		return false
	}
	switch a.kind {
	case S, N, B:
		return a.text == b.text
	case BOOL:
		return a.flag == b.flag
	case NULL:
		return true
	case M:
		return a.Fields().Equal(b.Fields())
	default:
		return slices.EqualFunc(a.Elements(), b.Elements(), Equal)
	}
}

// Compare compares two scalars of the same kind: S and B by bytes, N by value.
func Compare(a, b Value) int {
	if a.kind == N {
		return compareNumbers(a.text, b.text)
	}
	return strings.Compare(a.text, b.text)
}

// Ordered returns true if a and b can be compared by < and >.
func Ordered(a, b Value) bool { return a.kind == b.kind && a.kind.IsScalarKey() }
