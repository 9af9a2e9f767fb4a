package store_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/store"
)

// TestRetry checks that a stale try is repeated, and no other.
func TestRetry(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	stale := fmt.Errorf("an item: %w", store.ErrStale)
	for name, c := range map[string]struct {
		answers []error // of the tries; the last answers all further tries
		tries   int
		err     error
	}{
		"at once":             {[]error{nil}, 1, nil},
		"after two others":    {[]error{stale, store.ErrStale, nil}, 3, nil},
		"an error":            {[]error{refused}, 1, refused},
		"an error, later":     {[]error{stale, refused}, 2, refused},
		"others, at each try": {[]error{stale}, 20, store.ErrContended},
	} {
		tries := 0
		got, err := store.Retry(func(again bool) (int, error) {
			if again != (tries > 0) {
				t.Errorf("%s: try %d: got again %t, want %t", name, tries, again, tries > 0)
			}
			answer := c.answers[min(tries, len(c.answers)-1)]
			tries++
			return tries, answer
		})
		if tries != c.tries || !errors.Is(err, c.err) || (err == nil) != (c.err == nil) || (c.err == nil && got != tries) {
			t.Errorf("%s: got %d after %d tries, %v, want %d tries, %v", name, got, tries, err, c.tries, c.err)
		}
	}
	if !failure.Is(store.ErrContended, failure.KindConflict) || !failure.Of(store.ErrContended).Transient ||
		errors.Is(store.ErrContended, store.ErrStale) {
		t.Errorf("got %+v, want a transient conflict other than ErrStale", store.ErrContended)
	}
}
