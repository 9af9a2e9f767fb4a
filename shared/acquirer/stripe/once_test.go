package stripe_test

import (
	"errors"
	"net/http"
	"slices"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/stripetest"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// TestCharge_PayerAbsentChallenged checks that a charge without the payer is declined if Stripe still asks for the
// payer.
func TestCharge_PayerAbsentChallenged(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.api.Next["POST confirm"] = stripetest.Reply{Status: http.StatusOK, Body: object{
		"id": "pi_1", "status": "requires_action",
		"next_action": object{"redirect_to_url": object{"url": "https://hooks.stripe.example"}}}}
	c := cardCharge("c", plainCard, "10")
	c.Agreement = new(acquirer.Agreement)
	for range 2 {
		if o := w.mustCharge(t, c); o.Decision != payments.Declined || o.ReturnCode != "65" {
			t.Errorf("got %+v, want declined with 65", o)
		}
	}
	if got := w.api.Statuses(); !slices.Equal(got, []string{"canceled"}) {
		t.Errorf("got intents %q, want one cancelled", got)
	}
}

// TestLookUp_CancelledMeanwhile checks a call that reads a charge before another call stores that it declines it, and
// that reads the intent after the other has cancelled it. Stripe has forgotten the reason by then.
func TestLookUp_CancelledMeanwhile(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	failPut := func(n int) func(string) faults.Fault {
		return func(operation string) faults.Fault {
			if operation == "PutItem" {
				n--
			}
			if n == 0 {
				return faults.FailBefore
			}
			return faults.None
		}
	}
	w.Wire.Inject(failPut(2)) // the first one pins
	if o, err := w.Charge(t.Context(), cardCharge("c", stripetest.StolenCard, "10")); err == nil {
		t.Fatalf("got %+v, want an error", o)
	}
	other := w.otherProcess()
	other.Wire.Meanwhile("GET payment_intents", 1, func() {
		w.Wire.Inject(failPut(2)) // the first one stores why the intent is cancelled
		if o, err := w.LookUp(t.Context(), "c"); err == nil {
			t.Errorf("got %+v, want an error", o)
		}
	})
	if o, err := other.LookUp(t.Context(), "c"); err != nil || o.Decision != payments.Declined || !o.NeverRetry {
		t.Errorf("got %+v, %v, want declined for good", o, err)
	}
	if got := w.api.Statuses(); !slices.Equal(got, []string{"canceled"}) {
		t.Errorf("got intents %q, want one cancelled", got)
	}
}

// TestCharge_DeclineUnclear checks that a decline is certain even if the replies to its writes are lost.
func TestCharge_DeclineUnclear(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.Wire.Inject(faults.Always("PutItem", faults.LoseReply))
	o := w.mustCharge(t, cardCharge("c", stripetest.StolenCard, "10"))
	if o.Decision != payments.Declined || !o.NeverRetry {
		t.Errorf("got %+v, want declined for good", o)
	}
}

// TestCharge_OutcomeNotStored checks a declined charge whose process dies after it has cancelled the intent. Nothing
// can charge the intent any more, and the reason survives even if Stripe forgets it.
func TestCharge_OutcomeNotStored(t *testing.T) {
	t.Parallel()
	for _, remembers := range []bool{true, false} {
		w := newFixture(t)
		w.api.Remembers = remembers
		puts := 0
		w.Wire.Inject(func(operation string) faults.Fault {
			if operation == "PutItem" {
				puts++
			}
			if puts == 3 { // the first one pins, the second one stores the reason
				return faults.FailBefore
			}
			return faults.None
		})
		if o, err := w.Charge(t.Context(), cardCharge("c", stripetest.DecliningCard, "10")); err == nil ||
			errors.Is(err, acquirer.ErrNotTaken) {
			t.Errorf("got %+v, %v, want an unknown outcome", o, err)
		}
		w.Wire.Inject(nil)
		for range 2 {
			if o, err := w.LookUp(t.Context(), "c"); err != nil || o.Decision != payments.Declined {
				t.Errorf("Stripe remembers %t: got %+v, %v, want declined", remembers, o, err)
			}
		}
	}
}

// TestCharge_ConfirmationRefusedAfterwards checks that a refusal of the second confirmation does not hide the success
// of the first.
func TestCharge_ConfirmationRefusedAfterwards(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	confirmations := 0
	w.Wire.Inject(func(operation string) faults.Fault {
		if operation != "POST confirm" {
			return faults.None
		}
		if confirmations++; confirmations == 1 {
			return faults.LoseReply
		}
		w.api.Instead("POST confirm", http.StatusBadRequest, "invalid_request_error", "parameter_missing")
		return faults.None
	})
	if o := w.mustCharge(t, cardCharge("c", plainCard, "10")); o.Decision != payments.Approved || confirmations != 2 {
		t.Errorf("got %+v after %d confirmations, want approved after two", o, confirmations)
	}
}

// TestCharge_PinUnclear checks that a call whose pin may not be stored confirms nothing.
func TestCharge_PinUnclear(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.Wire.Inject(faults.Times(1, "PutItem", faults.FailBefore))
	if o, err := w.Charge(t.Context(), cardCharge("c", plainCard, "10")); err == nil ||
		errors.Is(err, acquirer.ErrNotTaken) {
		t.Errorf("got %+v, %v, want an unknown outcome", o, err)
	}
	if n := w.api.Count(http.MethodPost, "/confirm"); n != 0 {
		t.Errorf("got %d confirmations, want none", n)
	}
	w.Wire.Inject(faults.Times(1, "PutItem", faults.LoseReply)) // the pin is found by a read
	if o := w.mustCharge(t, cardCharge("c", plainCard, "10")); o.Decision != payments.Approved {
		t.Errorf("again: got %+v, want approved", o)
	}
}

// TestCharge_ByOtherCalls checks that only the call that has pinned the intent confirms it, even if that call ends
// before the confirmation.
func TestCharge_ByOtherCalls(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.Wire.Inject(faults.Times(-1, "POST confirm", faults.FailBefore))
	if o, err := w.Charge(t.Context(), cardCharge("c", plainCard, "10")); err != nil ||
		o.Decision != payments.OutcomeUnknown || w.Wire.Calls("POST confirm") != 2 {
		t.Fatalf("got %+v, %v and %d confirmations, want an unknown outcome after two", o, err,
			w.Wire.Calls("POST confirm"))
	}
	other := w.otherProcess()
	if o := other.mustCharge(t, cardCharge("c", plainCard, "10")); o.Decision != payments.OutcomeUnknown {
		t.Errorf("again: got %+v, want an unknown outcome", o)
	}
	if _, err := other.LookUp(t.Context(), "c"); !errors.Is(err, acquirer.ErrUnknownCharge) {
		t.Errorf("look up: got error %v, want %v", err, acquirer.ErrUnknownCharge)
	}
	if o, err := other.Cancel(t.Context(), "c"); err != nil || o.Decision != payments.Cancelled {
		t.Errorf("cancel: got %+v, %v, want cancelled", o, err)
	}
	w.Wire.Inject(nil)
	if n := w.api.Count(http.MethodPost, "/confirm"); n != 0 {
		t.Errorf("got %d confirmations at Stripe, want none", n)
	}
}

func TestCharge_ConfirmationAnsweredLate(t *testing.T) {
	t.Parallel()
	for name, status := range map[string]int{"busy": http.StatusConflict, "rate limit": http.StatusTooManyRequests,
		"failure": http.StatusInternalServerError} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newFixture(t)
			w.api.Instead("POST confirm", status, "api_error", "")
			if o := w.mustCharge(t, cardCharge("c", plainCard, "10")); o.Decision != payments.Approved {
				t.Errorf("got %+v, want approved by the second request", o)
			}
			forms := w.api.Requests(http.MethodPost, "/confirm")
			if len(forms) != 2 || forms[0] != forms[1] {
				t.Errorf("got confirmations %q, want the same twice", forms)
			}
		})
	}
}

func TestCharge_ConfirmationRefused(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.api.Instead("POST confirm", http.StatusBadRequest, "invalid_request_error", "parameter_missing")
	if _, err := w.Charge(t.Context(), cardCharge("c", plainCard, "10")); !errors.Is(err, acquirer.ErrNotTaken) {
		t.Errorf("got error %v, want %v", err, acquirer.ErrNotTaken)
	}
	if o := w.mustCharge(t, cardCharge("c", plainCard, "10")); o.Decision != payments.Cancelled {
		t.Errorf("again: got %+v, want cancelled", o)
	}
	if got := w.api.Statuses(); !slices.Equal(got, []string{"canceled"}) {
		t.Errorf("got intents %q, want one cancelled", got)
	}
}

// TestCharge_DeclinedIntentCancelled checks that no other card can be charged through a declined intent, and that the
// reason survives although the stand-in forgets it.
func TestCharge_DeclinedIntentCancelled(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for range 2 {
		o := w.mustCharge(t, cardCharge("c", stripetest.StolenCard, "10"))
		if o.Decision != payments.Declined || o.ReturnCode != "43" || !o.NeverRetry {
			t.Errorf("got %+v, want declined for good with 43", o)
		}
	}
	if got := w.api.Statuses(); !slices.Equal(got, []string{"canceled"}) {
		t.Errorf("got intents %q, want one cancelled", got)
	}
}

// TestCharge_BeforePin checks that a failure before an intent is pinned is not taken, and that nothing was confirmed.
func TestCharge_BeforePin(t *testing.T) {
	t.Parallel()
	for _, operation := range []string{"POST payment_methods", "POST customers", "POST payment_intents"} {
		for _, status := range []int{http.StatusBadRequest, http.StatusForbidden, http.StatusInternalServerError} {
			w := newFixture(t)
			w.api.Instead(operation, status, "api_error", "")
			c := cardCharge("c", plainCard, "10")
			c.Store, c.Customer = true, "ada"
			if _, err := w.Charge(t.Context(), c); !errors.Is(err, acquirer.ErrNotTaken) {
				t.Errorf("%s answered %d: got error %v, want %v", operation, status, err, acquirer.ErrNotTaken)
			}
			if n := w.api.Count(http.MethodPost, "/confirm"); n != 0 {
				t.Errorf("%s answered %d: got %d confirmations, want none", operation, status, n)
			}
		}
	}
}

// TestCharge_RefusedBesideAnother checks two calls for one charge at the same time, if one of them fails before it
// could pin an intent. It must not return ErrNotTaken once the other has pinned an intent, and the other must not
// confirm after it has.
func TestCharge_RefusedBesideAnother(t *testing.T) {
	t.Parallel()
	c := cardCharge("c", plainCard, "10")
	w := newFixture(t)
	other := w.otherProcess()
	w.Wire.Inject(faults.Times(1, "POST payment_intents", faults.FailBefore))
	w.Wire.Meanwhile("POST payment_methods", 1, func() { other.mustCharge(t, c) })
	if o, err := w.Charge(t.Context(), c); err != nil || o.Decision != payments.Approved {
		t.Errorf("after the other: got %+v, %v, want the other's approval", o, err)
	}

	w = newFixture(t)
	other = w.otherProcess()
	other.Wire.Inject(faults.Times(1, "POST payment_intents", faults.FailBefore))
	w.Wire.Meanwhile("POST payment_intents", 1, func() {
		if _, err := other.Charge(t.Context(), c); !errors.Is(err, acquirer.ErrNotTaken) {
			t.Errorf("before the other: got error %v, want %v", err, acquirer.ErrNotTaken)
		}
	})
	o, err := w.Charge(t.Context(), c)
	if err != nil || o.Decision != payments.Cancelled || w.api.Count("POST", "/confirm") != 0 {
		t.Errorf("after a refusal: got %+v, %v, want cancelled and no confirmation", o, err)
	}
}

// TestCharge_Conflict checks that a call leaves the charge to another call that Stripe is still answering.
func TestCharge_Conflict(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	c := cardCharge("c", plainCard, "10")
	w.api.Instead("POST payment_methods", http.StatusConflict, "idempotency_error", "idempotency_key_in_use")
	if o, err := w.Charge(t.Context(), c); err == nil || errors.Is(err, acquirer.ErrNotTaken) {
		t.Errorf("got %+v, %v, want an unknown outcome", o, err)
	}
	if o := w.mustCharge(t, c); o.Decision != payments.Approved {
		t.Errorf("got %+v, want approved", o)
	}
}
