package payments_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/payments"
)

// at returns times in seconds after start.
func at(seconds ...int) (times []time.Time) {
	for _, s := range seconds {
		times = append(times, after(time.Duration(s)*time.Second))
	}
	return times
}

// pollTimes are the polls of an outcome that is unknown since start. Gaps double, up to 15 minutes.
var pollTimes = at(5, 15, 35, 75, 155, 315, 635, 1275, 2175, 3075, 3975)

func TestPollAt_UnknownOutcome(t *testing.T) {
	t.Parallel()
	c := states(t)["unknown"]
	begun := beginRefund(t, paidTransaction(t), "operation", "1", false)
	began := begun.Events[0].CreatedAt
	refund := settleRefund(t, begun, payments.OutcomeUnknown, began).Events[0]
	for _, want := range pollTimes {
		if !c.PollAt().Equal(want.Add(time.Second)) || !c.DueAt().Equal(want.Add(time.Minute)) {
			t.Fatalf("got poll at %s, sweep at %s, want a second and a minute after %s", c.PollAt(), c.DueAt(), want)
		}
		c = settle(t, c, payments.Outcome{Decision: payments.OutcomeUnknown}, want).Checkout

		now := began.Add(want.Sub(start))
		if !refund.PollAt().Equal(now.Add(time.Second)) || !refund.DueAt().Equal(now.Add(time.Minute)) {
			t.Fatalf("refund: got poll at %s, sweep at %s, want a second and a minute after %s", refund.PollAt(),
				refund.DueAt(), now)
		}
		change, _ := begun.Transaction.SettleRefund(refund, payments.Outcome{Decision: payments.OutcomeUnknown}, now)
		refund = change.Events[0]
	}
}

// TestNextPoll_LatePolls checks that late or unplanned polls, such as those of a client that repeats its request,
// postpone no other poll.
func TestNextPoll_LatePolls(t *testing.T) {
	t.Parallel()
	for now, want := range map[int]int{0: 5, 4: 5, 5: 15, 14: 15, 16: 35, 29: 35, 34: 35, 70: 75, 10_000: 10_275} {
		c := states(t)["pending"]
		for range 20 {
			c = settle(t, c, payments.Outcome{Decision: payments.OutcomeUnknown}, at(now)[0]).Checkout
		}
		if !c.PollAt().Equal(at(want)[0].Add(time.Second)) {
			t.Errorf("polled at %d s: got the next at %s, want a second after %d s", now, c.PollAt(), want)
		}
		change := beginRefund(t, paidTransaction(t), "operation", "1", false)
		began := change.Events[0].CreatedAt
		e := settleRefund(t, change, payments.OutcomeUnknown, began.Add(time.Duration(now)*time.Second)).Events[0]
		if next := e.PollAt().Sub(began); next != time.Duration(want+1)*time.Second {
			t.Errorf("refund polled at %d s: got the next after %s, want a second after %d s", now, next, want)
		}
	}
}

// TestPollAt_OtherStates checks that messages start polls only of outcomes recorded as unknown.
func TestPollAt_OtherStates(t *testing.T) {
	t.Parallel()
	for name, c := range states(t) {
		if !c.PollAt().IsZero() != (name == "unknown") {
			t.Errorf("%s: got poll at %s, want a time: %t", name, c.PollAt(), name == "unknown")
		}
	}
	for _, d := range []payments.Decision{payments.Approved, payments.Declined, payments.Cancelled, payments.Challenge} {
		c := settle(t, states(t)["unknown"], payments.Outcome{Decision: d}, after(time.Minute)).Checkout
		if !c.PollAt().IsZero() {
			t.Errorf("%s: got poll at %s, want never", d, c.PollAt())
		}
	}
	begun := beginRefund(t, paidTransaction(t), "operation", "1", false)
	shown, _ := begun.Transaction.ShowRefund(begun.Events[0], after(time.Hour))
	closed := settleRefund(t, begun, payments.Approved, after(time.Hour))
	for _, e := range slices.Concat(begun.Events, shown.Events, closed.Events) {
		if !e.PollAt().IsZero() {
			t.Errorf("%s %s: got poll at %s, want never", e.Type, e.Status, e.PollAt())
		}
	}
}

// TestNextPoll_RequiresAction checks the polls while the payer must act: after 1, 3, 7, 15, 30 minutes and so on, and
// at the deadline.
func TestNextPoll_RequiresAction(t *testing.T) {
	t.Parallel()
	until := after(20 * time.Minute)
	code := &payments.PaymentCode{Text: "0339", Until: until}
	o := payments.Outcome{Decision: payments.Voucher, Code: code}
	c := settle(t, states(t)["pending"], o, after(time.Second)).Checkout
	for _, want := range append(at(60, 180, 420, 900), until) {
		if !c.DueAt().Equal(want) {
			t.Fatalf("got poll at %s, want %s", c.DueAt(), want)
		}
		c = settle(t, c, o, want).Checkout
	}
	if !c.DueAt().After(until) {
		t.Errorf("at the deadline: got the next poll at %s, want it after %s", c.DueAt(), until)
	}
}

// TestNextPoll_UnknownWhileRequiresAction checks that an outcome that becomes unknown while the payer must act is
// polled from that time, not from the attempt's start. The deadline does not change.
func TestNextPoll_UnknownWhileRequiresAction(t *testing.T) {
	t.Parallel()
	c := states(t)["requires action"]
	now := after(10 * time.Minute)
	for _, gap := range []time.Duration{6, 10, 20, 40} {
		c = settle(t, c, payments.Outcome{Decision: payments.OutcomeUnknown}, now).Checkout
		if got := c.PollAt().Sub(now); got != gap*time.Second {
			t.Fatalf("got poll after %s, want %d s", got, gap)
		}
		now = c.PollAt()
	}
	beforeEnd := c.Attempt.Deadline.Add(-time.Second)
	if got := settle(t, c, payments.Outcome{Decision: payments.OutcomeUnknown}, beforeEnd).Checkout.PollAt(); !got.Equal(
		c.Attempt.Deadline.Add(time.Second)) {
		t.Errorf("before the deadline: got poll at %s, want %s", got, c.Attempt.Deadline.Add(time.Second))
	}
	if back := settle(t, c, payments.Outcome{Decision: payments.Challenge}, now).Checkout; !back.PollAt().IsZero() ||
		!back.RequiresAction() {
		t.Errorf("challenged again: got poll at %s, requires action %t, want never, true", back.PollAt(),
			back.RequiresAction())
	}
}

// TestCheckoutChanges_AsSettle checks that an outcome that changes nothing is known before it is recorded. At the next
// poll, each outcome is recorded.
func TestCheckoutChanges_AsSettle(t *testing.T) {
	t.Parallel()
	all := states(t)
	all["at a reader"] = atReader()
	all["at a reader, unknown"] = settle(t, atReader(), byCard(payments.OutcomeUnknown), after(time.Second)).Checkout
	same := 0
	for name, c := range all {
		if !c.AttemptOpen() {
			continue
		}
		for _, d := range []payments.Decision{payments.Approved, payments.Declined, payments.Cancelled, payments.Challenge,
			payments.OutcomeUnknown} {
			if c.Reader != nil && d == payments.Challenge {
				continue // a terminal's charge has no challenge
			}
			o, now := payments.Outcome{Decision: d}, after(4*time.Second)
			want := !reflect.DeepEqual(c, settle(t, c, o, now).Checkout)
			if strings.HasSuffix(name, "pending") && d == payments.OutcomeUnknown {
				want = false // the request may still run
			}
			if got := c.Changes(o, now); got != want {
				t.Errorf("%s, %s: got %t, want %t", name, d, got, want)
			}
			if !want {
				same++
			}
			if !c.Changes(o, c.Attempt.NextPoll) {
				t.Errorf("%s, %s at the next poll: got false, want true", name, d)
			}
		}
	}
	if same < 4 {
		t.Errorf("got %d outcomes that change nothing, want at least 4", same)
	}
}

func TestEventChanges_UnknownOutcome(t *testing.T) {
	t.Parallel()
	begun := beginRefund(t, paidTransaction(t), "operation", "1", false)
	shown, _ := begun.Transaction.ShowRefund(begun.Events[0], after(time.Hour))
	pending := settleRefund(t, begun, payments.OutcomeUnknown, after(time.Hour)).Events[0]
	unknown, soon := payments.Outcome{Decision: payments.OutcomeUnknown}, after(time.Hour+time.Second)
	for _, c := range []struct {
		name string
		e    payments.Event
		o    payments.Outcome
		now  time.Time
		want bool
	}{
		{"first unknown outcome", shown.Events[0], unknown, soon, true},
		{"unknown again", pending, unknown, soon, false},
		{"unknown at the next poll", pending, unknown, pending.NextPoll, true},
		{"final", pending, payments.Outcome{Decision: payments.Approved}, soon, true},
	} {
		if got := c.e.Changes(c.o, c.now); got != c.want {
			t.Errorf("%s: got %t, want %t", c.name, got, c.want)
		}
	}
	e := begun.Events[0]
	if !e.MayStillRun(e.NextPoll.Add(-1)) || e.MayStillRun(e.NextPoll) || pending.MayStillRun(soon) {
		t.Error("got another time, want only a begun refund before its poll to run")
	}
}
