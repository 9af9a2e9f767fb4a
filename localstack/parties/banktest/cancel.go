// Package banktest holds banks to what the port promises of all of them.
package banktest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/cashwrap/cashwrap/shared/bank"
)

// Subject is a bank with empty books.
type Subject struct {
	bank.Bank
	Order    func(id string) bank.Transfer // that the bank accepts
	NotTaken func(id string) bank.Transfer // that it does not take
	Take     func(id string)               // has an accepted order, unless it was cancelled, leave the bank's hands
	Pay      func(id string)               // has a taken one executed
}

// Cancel holds a bank to what Cancel promises; open answers a new one.
func Cancel(t *testing.T, open func(*testing.T) Subject) {
	t.Run("ahead", func(t *testing.T) { t.Parallel(); ahead(t, open(t)) })
	t.Run("of what was taken", func(t *testing.T) { t.Parallel(); taken(t, open(t)) })
	t.Run("at the same time", func(t *testing.T) { t.Parallel(); together(t, open(t)) })
}

// ahead: what was cancelled ahead of its arrival is never made, whatever it
// says and however often it comes.
func ahead(t *testing.T, s Subject) {
	for name, order := range map[string]func(string) bank.Transfer{"good": s.Order, "bad": s.NotTaken} {
		if _, err := s.Transfer(t.Context(), s.NotTaken(name)); !errors.Is(err, bank.ErrNotTaken) {
			t.Errorf("%s, before: error %v", name, err)
		}
		for range 2 {
			MustCancel(t, s, name, bank.Cancelled)
			MustBe(t, s, order(name), bank.Cancelled)
		}
	}
	s.lines(t, 0)
	MustBe(t, s, s.Order("another"), Accepted)
}

// taken: what was taken goes its way, and its cancellation tells where it
// stands.
func taken(t *testing.T, s Subject) {
	MustBe(t, s, s.Order("p"), Accepted)
	s.Take("p")
	for _, want := range []bank.State{bank.Accepted, bank.Paid} {
		if want == bank.Paid {
			s.Pay("p")
		}
		for range 2 {
			MustCancel(t, s, "p", bank.Outcome{State: want})
			MustBe(t, s, s.Order("p"), bank.Outcome{State: want})
		}
	}
	s.lines(t, 1)
}

// together: whoever comes first decides, and nobody is told otherwise.
func together(t *testing.T, s Subject) {
	paid := 0
	for i := range 20 {
		id, answers := fmt.Sprint("p", i), make([]bank.Outcome, 4)
		var group sync.WaitGroup
		for n := range answers {
			group.Go(func() {
				var err error
				if n%2 == 0 {
					answers[n], err = s.Transfer(t.Context(), s.Order(id))
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
		made, err := s.Transfer(t.Context(), s.Order(id))
		if err != nil || made != bank.Cancelled && made.State != bank.Accepted {
			t.Errorf("%s: %+v, %v", id, made, err)
		}
		for n, told := range answers {
			if n%2 == 0 && told.State == bank.Accepted {
				continue // what becomes of it was to come
			}
			if told != made {
				t.Errorf("%s: %+v was told, and it is %+v", id, told, made)
			}
		}
		if made.State == bank.Accepted {
			s.Pay(id)
			paid++
		}
	}
	s.lines(t, paid)
}

// lines expects that money left so often.
func (s Subject) lines(t *testing.T, want int) {
	t.Helper()
	n := 0
	for _, err := range s.Statement(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != want {
		t.Errorf("money left %d times, want %d", n, want)
	}
}
