// Package optional has the type of a member that a partial update may leave out. Absent, null and a value are three
// different things, and a zero value is a value.
package optional

import "encoding/json"

// Of is absent (its zero value), null, or a value. Where null means the same
// as absent (contract §2.2), Get and Or treat them alike.
type Of[T any] struct {
	given bool
	value *T
}

// Some is a value.
func Some[T any](value T) Of[T] { return Of[T]{given: true, value: &value} }

// Null is null.
func Null[T any]() Of[T] { return Of[T]{given: true} }

// Given reports whether there is a value or null.
func (o Of[T]) Given() bool { return o.given }

// Get is the value, and whether there is one.
func (o Of[T]) Get() (value T, ok bool) {
	if o.value == nil {
		return value, false
	}
	return *o.value, true
}

// Or is the value, or old where there is none.
func (o Of[T]) Or(old T) T {
	if o.value == nil {
		return old
	}
	return *o.value
}

// Else is o if it is a value, else the other.
func (o Of[T]) Else(other Of[T]) Of[T] {
	if o.value == nil {
		return other
	}
	return o
}

// IsZero reports whether it is absent, for encoding/json's omitzero.
func (o Of[T]) IsZero() bool { return !o.given }

// UnmarshalJSON reads null or a value. Errors: those of T.
func (o *Of[T]) UnmarshalJSON(text []byte) error {
	*o = Of[T]{given: true}
	return json.Unmarshal(text, &o.value)
}

// MarshalJSON writes the value; null for null, and for what is absent.
func (o Of[T]) MarshalJSON() ([]byte, error) { return json.Marshal(o.value) }

// Pointer is a *T: to the value, or nil. It is for packages that use reflection.
func (o Of[T]) Pointer() any { return o.value }

// Give makes it null, and returns a **T for a decoder that uses reflection to fill.
func (o *Of[T]) Give() any {
	*o = Of[T]{given: true}
	return &o.value
}
