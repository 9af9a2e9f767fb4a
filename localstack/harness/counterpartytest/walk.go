package counterpartytest

import (
	"iter"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
)

// WalkPages tests a walk over three or more pages. The walk must yield all lines, stop early, and report a failing
// page. WalkPages returns the lines.
func WalkPages[T any](tb testing.TB, w *faults.Wire, operation string, lines int, walk func() iter.Seq2[T, error]) []T {
	tb.Helper()
	pages, lost := 0, 0
	w.Inject(func(op string) faults.Fault {
		if op != operation {
			return faults.None
		}
		if pages++; pages == lost {
			return faults.FailBefore
		}
		return faults.None
	})
	defer w.Inject(nil)
	whole, failures := collect(tb, walk())
	if pages < 3 || len(whole) != lines || failures != 0 {
		tb.Fatalf("%d lines and %d errors on %d pages, want %d lines on three pages or more", len(whole),
			failures, pages, lines)
	}
	pages, lost = 0, 2
	if some, failures := collect(tb, walk()); len(some) == 0 || len(some) >= lines || failures != 1 {
		tb.Errorf("without the second page: %d lines of %d, %d errors", len(some), lines, failures)
	}
	pages, lost = 0, 0
	for _, err := range walk() {
		if err != nil {
			tb.Error(err)
		}
		break // range panics if the walk goes on after the break
	}
	if pages != 1 {
		tb.Errorf("%d pages for the first line", pages)
	}
	return whole
}

// collect returns the lines of a walk and the number of errors. It fails the test if the walk yields anything after an
// error.
func collect[T any](tb testing.TB, walk iter.Seq2[T, error]) (lines []T, failures int) {
	tb.Helper()
	for line, err := range walk {
		switch {
		case failures > 0:
			tb.Errorf("it went on after an error: %+v, %v", line, err)
		case err != nil:
			failures++
		default:
			lines = append(lines, line)
		}
	}
	return lines, failures
}
