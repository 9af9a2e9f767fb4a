// Package attr holds DynamoDB's attribute values: numbers, published sizes, an order for keys, and JSON. Values are
// immutable: writers copy what they change, so requests read stored items without a lock.
package attr

import (
	"slices"
	"strconv"
	"strings"
)

// Kind is the type of a value, in the letters DynamoDB uses on the wire.
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

// String returns the kind as written in JSON: "S", "NS", …
func (k Kind) String() string { return kindNames[k] }

// ParseKind reads a kind's letters; ok is false for anything unknown.
func ParseKind(letters string) (Kind, bool) {
	k := slices.Index(kindNames[S:], letters) + 1
	return Kind(k), k > 0
}

// IsScalarKey reports whether a kind may be a key attribute.
func (k Kind) IsScalarKey() bool { return k == S || k == N || k == B }

// Value is one immutable attribute value. The zero Value is Missing. A table has very many, so it is small.
type Value struct {
	kind    Kind
	flag    bool     // BOOL
	text    string   // S, the bytes of B, the canonical decimal of N
	members *members // all other kinds but NULL
}

type members struct {
	list   []Value // L in order; SS, NS and BS sorted
	fields Map     // M
}

func listOf(kind Kind, list []Value) Value { return Value{kind: kind, members: &members{list: list}} }

// Text makes an S.
func Text(s string) Value { return Value{kind: S, text: s} }

// Binary makes a B.
func Binary(b string) Value { return Value{kind: B, text: b} }

// List makes an L; the slice is not copied.
func List(vs []Value) Value { return listOf(L, vs) }

// Nested makes an M.
func Nested(m Map) Value { return Value{kind: M, members: &members{fields: m}} }

// Int makes an N.
func Int(n int) Value { return Value{kind: N, text: strconv.Itoa(n)} }

// Kind returns the value's type.
func (v Value) Kind() Kind { return v.kind }

// Str returns the text of an S, the bytes of a B, the canonical decimal of an N.
func (v Value) Str() string { return v.text }

// Elements returns the members of a list or set; callers must not change them.
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

// IsSet reports whether the value is an SS, NS or BS.
func (v Value) IsSet() bool { return v.kind == SS || v.kind == NS || v.kind == BS }

// newSet sorts elements as the service returns them, and refuses duplicates.
func newSet(kind Kind, elements []Value) (Value, error) {
	slices.SortFunc(elements, Compare)
	for i := 1; i < len(elements); i++ {
		if Compare(elements[i-1], elements[i]) == 0 {
			return Value{}, duplicates(kind)
		}
	}
	return listOf(kind, elements), nil
}

// Union returns the set of a's and b's elements; both are of one set kind.
func Union(a, b Value) Value {
	all := slices.Concat(a.Elements(), b.Elements())
	slices.SortFunc(all, Compare)
	return listOf(a.kind, slices.CompactFunc(all, Equal))
}

// Difference returns a without b's elements. ok is false when nothing is left: DynamoDB has no empty set.
func Difference(a, b Value) (left Value, ok bool) {
	kept := make([]Value, 0, len(a.Elements()))
	for _, e := range a.Elements() {
		if !Contains(b.Elements(), e) {
			kept = append(kept, e)
		}
	}
	return listOf(a.kind, kept), len(kept) > 0
}

// Contains reports whether an element equal to e is in list.
func Contains(list []Value, e Value) bool {
	return slices.ContainsFunc(list, func(x Value) bool { return Equal(x, e) })
}

// Equal compares two values of any kind, deeply. Missing equals nothing.
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

// Compare orders two scalars of the same kind: S and B by bytes, N by value.
func Compare(a, b Value) int {
	if a.kind == N {
		return compareNumbers(a.text, b.text)
	}
	return strings.Compare(a.text, b.text)
}

// Ordered reports whether a and b can be compared by < and >.
func Ordered(a, b Value) bool { return a.kind == b.kind && a.kind.IsScalarKey() }
