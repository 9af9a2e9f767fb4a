package payments_test

import (
	"slices"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/payments"
)

// at are seconds after start.
func at(seconds ...int) (times []time.Time) {
	for _, s := range seconds {
		times = append(times, after(time.Duration(s)*time.Second))
	}
	return times
}

// pollTimes are those of what has been unknown since start: at gaps that double,
// of 15 minutes at most.
var pollTimes = at(5, 15, 35, 75, 155, 315, 635, 1275, 2175, 3075, 3975)

func TestAnUnknownOutcomeIsPolledAtItsTimes(t *testing.T) {
	t.Parallel()
	c := states(t)["unknown"]
	reserved := reserve(t, paidTransaction(t), "operation", "1", false)
	began := reserved.Events[0].CreatedAt
	refund := settleRefund(t, reserved, payments.OutcomeUnknown, began).Events[0]
	for _, want := range pollTimes {
		if !c.PollAt().Equal(want.Add(time.Second)) || !c.WakeAt().Equal(want.Add(time.Minute)) {
			t.Fatalf("polled at %s, and swept at %s, want a second and a minute after %s", c.PollAt(), c.WakeAt(), want)
		}
		c = settle(t, c, payments.Outcome{Decision: payments.OutcomeUnknown}, want).Checkout

		now := began.Add(want.Sub(start))
		if !refund.PollAt().Equal(now.Add(time.Second)) || !refund.WakeAt().Equal(now.Add(time.Minute)) {
			t.Fatalf("refund polled at %s, and swept at %s, want a second and a minute after %s", refund.PollAt(),
				refund.WakeAt(), now)
		}
		change, _ := reserved.Transaction.SettleRefund(refund, payments.Outcome{Decision: payments.OutcomeUnknown}, now)
		refund = change.Events[0]
	}
}

// Questions that are late, or out of turn as those of a client that repeats its
// request, postpone none that is to come.
func TestNoQuestionPostponesAnother(t *testing.T) {
	t.Parallel()
	for now, want := range map[int]int{0: 5, 4: 5, 5: 15, 14: 15, 16: 35, 29: 35, 34: 35, 70: 75, 10_000: 10_275} {
		c := states(t)["pending"]
		for range 20 {
			c = settle(t, c, payments.Outcome{Decision: payments.OutcomeUnknown}, at(now)[0]).Checkout
		}
		if !c.PollAt().Equal(at(want)[0].Add(time.Second)) {
			t.Errorf("asked at %d s, next at %s, want %d s", now, c.PollAt(), want)
		}
		change := reserve(t, paidTransaction(t), "operation", "1", false)
		began := change.Events[0].CreatedAt
		e := settleRefund(t, change, payments.OutcomeUnknown, began.Add(time.Duration(now)*time.Second)).Events[0]
		if next := e.PollAt().Sub(began); next != time.Duration(want+1)*time.Second {
			t.Errorf("refund asked for at %d s, next at %s, want %d s", now, next, want)
		}
	}
}

// Only an outcome that is recorded as unknown is worth a message.
func TestNothingElseIsPolled(t *testing.T) {
	t.Parallel()
	for name, c := range states(t) {
		if !c.PollAt().IsZero() != (name == "unknown") {
			t.Errorf("%s is polled at %s", name, c.PollAt())
		}
	}
	for _, d := range []payments.Decision{payments.Approved, payments.Declined, payments.Cancelled, payments.Challenge} {
		c := settle(t, states(t)["unknown"], payments.Outcome{Decision: d}, after(time.Minute)).Checkout
		if !c.PollAt().IsZero() {
			t.Errorf("%s, and polled at %s", d, c.PollAt())
		}
	}
	reserved := reserve(t, paidTransaction(t), "operation", "1", false)
	shown, _ := reserved.Transaction.ShowRefund(reserved.Events[0], after(time.Hour))
	closed := settleRefund(t, reserved, payments.Approved, after(time.Hour))
	for _, e := range slices.Concat(reserved.Events, shown.Events, closed.Events) {
		if !e.PollAt().IsZero() {
			t.Errorf("%s %s is polled at %s", e.Type, e.Status, e.PollAt())
		}
	}
}

// A payer's turn is looked at after 1, 3, 7, 15, 30 minutes and so on, and at
// its end.
func TestARequiredActionIsLookedAt(t *testing.T) {
	t.Parallel()
	until := after(20 * time.Minute)
	code := &payments.PaymentCode{Text: "0339", Until: until}
	o := payments.Outcome{Decision: payments.Voucher, Code: code}
	c := settle(t, states(t)["pending"], o, after(time.Second)).Checkout
	for _, want := range append(at(60, 180, 420, 900), until) {
		if !c.WakeAt().Equal(want) {
			t.Fatalf("looked at at %s, want %s", c.WakeAt(), want)
		}
		c = settle(t, c, o, want).Checkout
	}
	if !c.WakeAt().After(until) {
		t.Errorf("past the deadline at %s", c.WakeAt())
	}
}

// What becomes of a payer's turn may be unknown too. It is from the time that the
// acquirer does not say, not from the attempt's start; the deadline holds.
func TestARequiredActionOfUnknownOutcomeIsPolled(t *testing.T) {
	t.Parallel()
	c := states(t)["requires action"]
	now := after(10 * time.Minute)
	for _, gap := range []time.Duration{6, 10, 20, 40} {
		c = settle(t, c, payments.Outcome{Decision: payments.OutcomeUnknown}, now).Checkout
		if got := c.PollAt().Sub(now); got != gap*time.Second {
			t.Fatalf("polled after %s, want %d s", got, gap)
		}
		now = c.PollAt()
	}
	beforeEnd := c.Attempt.Deadline.Add(-time.Second)
	if got := settle(t, c, payments.Outcome{Decision: payments.OutcomeUnknown}, beforeEnd).Checkout.PollAt(); !got.Equal(
		c.Attempt.Deadline.Add(time.Second)) {
		t.Errorf("at the end polled at %s", got)
	}
	if back := settle(t, c, payments.Outcome{Decision: payments.Challenge}, now).Checkout; !back.PollAt().IsZero() ||
		!back.RequiresAction() {
		t.Errorf("with the payer again, and polled at %s", back.PollAt())
	}
}
