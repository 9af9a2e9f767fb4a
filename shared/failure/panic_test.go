package failure_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/shared/failure"
)

func TestRecover_Panic(t *testing.T) {
	t.Parallel()
	usual := errors.New("usual")
	for name, c := range map[string]struct {
		do   func() error
		want []string
	}{
		"a panic":    {func() error { panic("index out of range") }, []string{"panic: index out of range", "panic_test.go"}},
		"an error":   {func() error { return usual }, []string{"usual"}},
		"no failure": {func() error { return nil }, nil},
	} {
		got := func() (err error) {
			defer failure.Recover(&err)
			return c.do()
		}()
		if (got == nil) != (c.want == nil) {
			t.Errorf("%s: got error %v, want %q", name, got, c.want)
		}
		for _, want := range c.want {
			if got != nil && !strings.Contains(got.Error(), want) {
				t.Errorf("%s: got error %v, want %q in it", name, got, want)
			}
		}
	}
}
