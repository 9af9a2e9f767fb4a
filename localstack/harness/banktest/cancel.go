// Package banktest tests the rules of the interface to banks (bank.Bank). Call Cancel in the tests of each bank.
package banktest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/bank"
)

// Subject is a bank under test. The bank has no transfers yet.
type Subject struct {
	bank.Bank
	Accepted func(id string) bank.Transfer // returns a transfer that the bank accepts
	NotTaken func(id string) bank.Transfer // returns a transfer that the bank does not take
	Take     func(id string)               // makes an accepted transfer final, unless the transfer was cancelled
	Pay      func(id string)               // pays a taken transfer
}

// Cancel tests the method Cancel of banks. open returns a new bank.
func Cancel(t *testing.T, open func(*testing.T) Subject) {
	t.Run("ahead", func(t *testing.T) { t.Parallel(); testCancelAhead(t, open(t)) })
	t.Run("of what was taken", func(t *testing.T) { t.Parallel(); testCancelTaken(t, open(t)) })
	t.Run("at the same time", func(t *testing.T) { t.Parallel(); testCancelConcurrently(t, open(t)) })
}

// testCancelAhead checks that a transfer which is cancelled before it is requested is never made, however often it is
// requested.
func testCancelAhead(t *testing.T, s Subject) {
	for name, request := range map[string]func(string) bank.Transfer{"good": s.Accepted, "bad": s.NotTaken} {
		if _, err := s.Transfer(t.Context(), s.NotTaken(name)); !errors.Is(err, bank.ErrNotTaken) {
			t.Errorf("%s, before: error %v", name, err)
		}
		for range 2 {
			MustCancel(t, s, name, bank.Cancelled)
			MustBe(t, s, request(name), bank.Cancelled)
		}
	}
	s.checkLines(t, 0)
	MustBe(t, s, s.Accepted("another"), Accepted)
}

// testCancelTaken checks that a taken transfer is made. A later call of Cancel must return the transfer's outcome.
func testCancelTaken(t *testing.T, s Subject) {
	MustBe(t, s, s.Accepted("p"), Accepted)
	s.Take("p")
	for _, want := range []bank.State{bank.Accepted, bank.Paid} {
		if want == bank.Paid {
			s.Pay("p")
		}
		for range 2 {
			MustCancel(t, s, "p", bank.Outcome{State: want})
			MustBe(t, s, s.Accepted("p"), bank.Outcome{State: want})
		}
	}
	s.checkLines(t, 1)
}

// testCancelConcurrently requests and cancels a transfer at the same time. The first call must decide, and all calls
// must get the same outcome.
func testCancelConcurrently(t *testing.T, s Subject) {
	paid := 0
	for i := range 20 {
		id, answers := fmt.Sprint("p", i), make([]bank.Outcome, 4)
		var group sync.WaitGroup
		for n := range answers {
			group.Go(func() {
				var err error
				if n%2 == 0 {
					answers[n], err = s.Transfer(t.Context(), s.Accepted(id))
					s.Take(id)
				} else {
					answers[n], err = s.Cancel(t.Context(), id)
				}
				if err != nil {
					t.Errorf("%s: %v", id, err)
				}
			})
		}
		group.Wait()
		made, err := s.Transfer(t.Context(), s.Accepted(id))
		if err != nil || made != bank.Cancelled && made.State != bank.Accepted {
			t.Errorf("%s: %+v, %v", id, made, err)
		}
		for n, got := range answers {
			if n%2 == 0 && got.State == bank.Accepted {
				continue // the transfer was still pending
			}
			if got != made {
				t.Errorf("%s: got %+v, want %+v", id, got, made)
			}
		}
		if made.State == bank.Accepted {
			s.Pay(id)
			paid++
		}
	}
	s.checkLines(t, paid)
}

func (s Subject) checkLines(t *testing.T, want int) {
	t.Helper()
	n := 0
	for _, err := range s.Statement(t.Context(), time.Time{}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != want {
		t.Errorf("%d statement lines, want %d", n, want)
	}
}
