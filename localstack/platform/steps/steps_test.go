package steps_test

import (
	"errors"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/platform/steps"
)

func TestTry(t *testing.T) {
	t.Parallel()
	first, second := errors.New("first"), errors.New("second")
	done := 0
	step := func(errs ...error) func() {
		return func() {
			for _, err := range errs {
				steps.Check(err)
				done++
			}
		}
	}
	for want, errs := range map[error][]error{nil: {nil, nil}, first: {nil, first, second}} {
		if err := steps.Try(step(errs...)); !errors.Is(err, want) {
			t.Errorf("%v: got error %v, want %v", errs, err, want)
		}
	}
	if done != 3 {
		t.Errorf("got %d parts, want 3: none after an error", done)
	}
}

func TestTry_OtherPanics(t *testing.T) {
	t.Parallel()
	defer func() {
		if got := recover(); got != "a bug" {
			t.Errorf("got panic %v, want the step's own", got)
		}
	}()
	_ = steps.Try(func() { panic("a bug") })
}
