package merchant

import "github.com/cashwrap/cashwrap/shared/identity"

// ByMode holds one value for live and one for test mode.
type ByMode[T any] struct {
	Live T `dynamo:"live"`
	Test T `dynamo:"test"`
}

// Of returns the value of the mode.
func (b ByMode[T]) Of(mode identity.Mode) T {
	if mode == identity.Live {
		return b.Live
	}
	return b.Test
}

// With returns both values after the mode's value is replaced.
func (b ByMode[T]) With(mode identity.Mode, of T) ByMode[T] {
	if mode == identity.Live {
		b.Live = of
	} else {
		b.Test = of
	}
	return b
}
