package sandbox_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/payments"
)

func TestCharge_HundredConcurrently(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	outcomes := make([]payments.Outcome, 100)
	var group sync.WaitGroup
	for i := range outcomes {
		group.Go(func() {
			o, err := w.Charge(t.Context(), cardCharge("c", plainCard, "10"))
			if err != nil {
				t.Errorf("charge %d: got error %v, want none", i, err)
			}
			outcomes[i] = o
		})
	}
	group.Wait()
	for i, o := range outcomes {
		if o.Decision != payments.Approved || o.AuthCode != outcomes[0].AuthCode {
			t.Errorf("charge %d: got %+v, want approved with the first one's auth code, %+v", i, o, outcomes[0])
		}
	}
	if n := w.countCaptures(t, "c"); n != 1 {
		t.Errorf("got %d captures, want 1", n)
	}
}

func TestCharge_SameIDOtherFields(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	first := w.mustCharge(t, cardCharge("c", plainCard, "10"))
	for _, other := range []acquirer.Charge{
		cardCharge("c", plainCard, "11.00"), cardCharge("c", plainCard, "42.24"), cardCharge("c", plainCard, "42.25"),
		cardCharge("c", askingCard, "20"), methodCharge("c", payments.IDEAL, "20", "EUR"),
	} {
		if o := w.mustCharge(t, other); o.Decision != payments.Approved || o.AuthCode != first.AuthCode {
			t.Errorf("%s of %s: got %+v, want approved with auth code %s", other.Method, other.Amount, o, first.AuthCode)
		}
	}
	if n := w.countCaptures(t, "c"); n != 1 {
		t.Errorf("got %d captures, want 1", n)
	}
}

func TestCharge_RepeatedReturnsSamePage(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for _, c := range []acquirer.Charge{cardCharge("3ds", askingCard, "10"),
		methodCharge("bank", payments.IDEAL, "10", "EUR")} {
		first := w.mustCharge(t, c)
		again := must(t)(w.restart().Charge(t.Context(), c))
		if first.Step == nil || again.Step == nil || first.Step.URL != again.Step.URL ||
			first.Step.Payload["PaReq"] != again.Step.Payload["PaReq"] {
			t.Errorf("%s: got %+v, then %+v, want the same page", c.ID, first.Step, again.Step)
		}
	}
}

// TestCharge_LostRequestOrReply checks a charge for which the table's request or reply is lost. The repeated call must
// charge only once.
func TestCharge_LostRequestOrReply(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]struct {
		fault faults.Fault
		known bool // the charge was stored, so Charge finds it and returns its outcome
	}{"lost request": {faults.FailBefore, false}, "lost reply": {faults.LoseReply, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newFixture(t)
			w.Wire.Inject(faults.Times(1, "TransactWriteItems", f.fault))
			o, err := w.Charge(t.Context(), cardCharge("c", plainCard, "10"))
			if f.known && (err != nil || o.Decision != payments.Approved) {
				t.Errorf("got %+v, %v, want its own charge recognised as approved", o, err)
			}
			if !f.known && (err == nil || errors.Is(err, acquirer.ErrNotTaken)) {
				t.Errorf("got error %v, want an unknown outcome", err)
			}
			if o := w.mustCharge(t, cardCharge("c", plainCard, "10")); o.Decision != payments.Approved {
				t.Errorf("again: got %+v, want approved", o)
			}
			if n := w.countCaptures(t, "c"); n != 1 {
				t.Errorf("got %d captures, want 1", n)
			}
		})
	}
}

// TestCharge_UnknownOutcomeLostReply checks that a new charge of 42.25 has an unknown outcome even if the table's reply
// is lost.
func TestCharge_UnknownOutcomeLostReply(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.Wire.Inject(faults.Times(1, "TransactWriteItems", faults.LoseReply))
	wantUnknown(t)(w.Charge(t.Context(), cardCharge("c", plainCard, "42.25")))
}

func TestCharge_TableUnreadable(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.Wire.Inject(func(operation string) faults.Fault {
		if operation == "TransactWriteItems" {
			return faults.LoseReply
		}
		return faults.FailBefore
	})
	wantUnknown(t)(w.Charge(t.Context(), cardCharge("c", plainCard, "10")))
	w.Wire.Inject(nil)
	if o := must(t)(w.LookUp(t.Context(), "c")); o.Decision != payments.Approved || w.countCaptures(t, "c") != 1 {
		t.Errorf("got %+v and %d captures, want approved and 1", o, w.countCaptures(t, "c"))
	}
}

func TestComplete_LostRequestOrReply(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]faults.Fault{"lost request": faults.FailBefore, "lost reply": faults.LoseReply} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newFixture(t)
			paRes := w.answerChallenge(t, cardCharge("c", askingCard, "10"), "approve")
			w.Wire.Inject(faults.Times(1, "TransactWriteItems", f))
			o, err := w.Complete(t.Context(), "c", paRes)
			if f == faults.LoseReply && (err != nil || o.Decision != payments.Approved) {
				t.Errorf("got %+v, %v, want its own write recognised as approved", o, err)
			}
			if f == faults.FailBefore && err == nil {
				t.Errorf("got %+v, want an error of a request that never arrived", o)
			}
			again := must(t)(w.Complete(t.Context(), "c", paRes))
			if again.Decision != payments.Approved || w.countCaptures(t, "c") != 1 {
				t.Errorf("again: got %+v and %d captures, want approved and 1", again, w.countCaptures(t, "c"))
			}
		})
	}
}

func TestCancel_UnknownIDRefusedForGood(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for range 2 {
		if o := must(t)(w.Cancel(t.Context(), "c")); o.Decision != payments.Cancelled {
			t.Fatalf("got %+v, want cancelled", o)
		}
	}
	for _, amount := range []string{"10", "42.24", "42.25"} {
		if o := w.mustCharge(t, cardCharge("c", plainCard, amount)); o.Decision != payments.Cancelled {
			t.Errorf("a late charge of %s: got %+v, want cancelled", amount, o)
		}
	}
	if o := must(t)(w.restart().LookUp(t.Context(), "c")); o.Decision != payments.Cancelled ||
		w.countCaptures(t, "c") != 0 {
		t.Errorf("look up: got %+v and %d captures, want cancelled and none", o, w.countCaptures(t, "c"))
	}
}

func TestCancel_DecidedCharge(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for _, c := range []struct {
		number, amount string
		want           payments.Decision
	}{{plainCard, "10", payments.Approved}, {plainCard, "11.00", payments.Declined},
		{askingCard, "10", payments.Cancelled}} {
		id := c.number + c.amount
		w.mustCharge(t, cardCharge(id, c.number, c.amount))
		if o := must(t)(w.Cancel(t.Context(), id)); o.Decision != c.want {
			t.Errorf("%s: got %s, want %s", id, o.Decision, c.want)
		}
	}
}

// TestCancel_RacesWithCharge checks that Cancel and Charge get the same outcome, whichever comes first.
func TestCancel_RacesWithCharge(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for _, id := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		var charged, cancelled payments.Outcome
		var group sync.WaitGroup
		group.Go(func() { charged, _ = w.Charge(t.Context(), cardCharge(id, plainCard, "10")) })
		group.Go(func() { cancelled, _ = w.Cancel(t.Context(), id) })
		group.Wait()
		captured := w.countCaptures(t, id) == 1
		if charged.Decision != cancelled.Decision || captured != (charged.Decision == payments.Approved) {
			t.Errorf("%s: got charge %s, cancel %s, captured %t, want the same of both, and captured only if approved", id,
				charged.Decision, cancelled.Decision, captured)
		}
	}
}

func TestCancel_RacesWithComplete(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for _, id := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		paRes := w.answerChallenge(t, cardCharge(id, askingCard, "10"), "approve")
		var completed, cancelled payments.Outcome
		var group sync.WaitGroup
		group.Go(func() { completed, _ = w.Complete(t.Context(), id, paRes) })
		group.Go(func() { cancelled, _ = w.Cancel(t.Context(), id) })
		group.Wait()
		if completed.Decision != cancelled.Decision || completed.Decision == payments.Challenge {
			t.Errorf("%s: got completed %s, cancelled %s, want the same of both, and no challenge", id, completed.Decision,
				cancelled.Decision)
		}
	}
}
