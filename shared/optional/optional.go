// Package optional has a type for a member that a partial update may leave out. Declare the field as an Of. It
// distinguishes absent, null and a value. A zero value counts as a value.
package optional

import "encoding/json"

// Of is absent (its zero value), null, or a value. Get and Or treat null as absent (contract §2.2).
type Of[T any] struct {
	given bool
	value *T
}

// Some returns an Of with the value.
func Some[T any](value T) Of[T] { return Of[T]{given: true, value: &value} }

// Null returns an Of that is null.
func Null[T any]() Of[T] { return Of[T]{given: true} }

// Given returns true for null and for a value.
func (o Of[T]) Given() bool { return o.given }

// Get returns the value, if there is one.
func (o Of[T]) Get() (value T, ok bool) {
	if o.value == nil {
		return value, false
	}
	return *o.value, true
}

// Or returns the value, or old if o has no value.
func (o Of[T]) Or(old T) T {
	if o.value == nil {
		return old
	}
	return *o.value
}

// Else returns o if o has a value, and otherwise other.
func (o Of[T]) Else(other Of[T]) Of[T] {
	if o.value == nil {
		return other
	}
	return o
}

// IsZero returns true if o is absent, for encoding/json's omitzero.
func (o Of[T]) IsZero() bool { return !o.given }

// UnmarshalJSON reads null or a value. Errors: those of T.
func (o *Of[T]) UnmarshalJSON(text []byte) error {
	*o = Of[T]{given: true}
	return json.Unmarshal(text, &o.value)
}

// MarshalJSON writes the value, or null if o has no value.
func (o Of[T]) MarshalJSON() ([]byte, error) { return json.Marshal(o.value) }

// Pointer returns a *T to the value, or nil if o has no value. It is for packages that use reflection.
func (o Of[T]) Pointer() any { return o.value }

// Give makes o null, and returns a **T that a decoder sets by reflection.
func (o *Of[T]) Give() any {
	*o = Of[T]{given: true}
	return &o.value
}
