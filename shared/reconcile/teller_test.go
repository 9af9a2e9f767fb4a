package reconcile_test

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payout"
)

// teller pays, pays and says so later, rejects, at once or when it came back, does not take the order, or thinks about it.
type teller struct{ h *history }

func (b teller) Transfer(_ context.Context, t bank.Transfer) (bank.Outcome, error) {
	switch before, known := b.h.heard[t.ID]; {
	case known && before == notTaken:
		return bank.Outcome{}, bank.ErrNotTaken
	case known:
		return before, nil
	}
	what := b.h.IntN(8)
	outcome := bank.Outcome{State: bank.Paid}
	if what < 2 {
		outcome = bank.Outcome{State: bank.Rejected, Reason: "AC04"}
	}
	switch {
	case what == 7:
		b.h.heard[t.ID] = notTaken
		return bank.Outcome{}, bank.ErrNotTaken
	case what == 6:
		return bank.Outcome{State: bank.Accepted}, nil
	case what > 0:
		b.h.book(t, false)
	}
	if b.h.heard[t.ID] = outcome; what == 1 {
		b.h.book(t, true)
	}
	if what == 5 {
		return bank.Outcome{}, errSilence
	}
	return outcome, nil
}

// Cancel refuses from now on what it has neither paid nor rejected.
func (b teller) Cancel(_ context.Context, id string) (bank.Outcome, error) {
	if before, known := b.h.heard[id]; known && before != notTaken {
		return before, nil
	}
	b.h.heard[id] = bank.Cancelled
	return bank.Cancelled, nil
}

// notTaken stands for no outcome: of an order that is not taken, however often it comes.
var notTaken bank.Outcome

var errSilence = errors.New("no answer in time")

func (b teller) Statement(context.Context) iter.Seq2[bank.Booking, error] {
	return func(yield func(bank.Booking, error) bool) {
		for _, line := range b.h.bookings {
			if !yield(line, nil) {
				return
			}
		}
	}
}

func (h *history) book(t bank.Transfer, back bool) {
	h.bookings = append(h.bookings, bank.Booking{ID: t.ID, Tenant: t.Tenant, Amount: t.Amount,
		Return: back, At: h.clock.Now()})
}

// banks are those of both modes.
func (h *history) banks() map[identity.Mode]bank.Bank {
	return map[identity.Mode]bank.Bank{identity.Live: teller{h}, identity.Test: teller{h}}
}

// loseBookings drops lines of the bank's statement, one at a time: each loss is a difference, but that of what was booked
// in silence.
func (h *history) loseBookings() {
	h.Helper()
	all, lost := h.bookings, 0
	for i, line := range all {
		t, _ := identity.ParseTenant(line.Tenant)
		p, err := h.store.Payout(h.Context(), t, line.ID)
		h.must(err)
		if p.Status == payout.Sent {
			continue
		}
		lost++
		h.bookings = slices.Delete(slices.Clone(all), i, i+1)
		if r := h.reconcile(); r.Found == 0 {
			h.Errorf("the booking %+v is lost, and all agree", line)
		}
	}
	h.bookings = all
	if r := h.reconcile(); r.Found != 0 || lost == 0 || r.Bookings != len(all) {
		h.Errorf("after %d losses: %+v", lost, r)
	}
}
