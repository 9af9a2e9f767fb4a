package stripe_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// refunding returns an approved charge's refund.
func (w *fixture) refunding(t *testing.T, amount string) acquirer.Refund {
	t.Helper()
	if o := w.mustCharge(t, cardCharge("c", plainCard, "100")); o.Decision != payments.Approved {
		t.Fatalf("got %+v, want approved", o)
	}
	return acquirer.Refund{ID: "r", ChargeID: "c", Amount: money.MustParse(amount, "EUR")}
}

// expectRefund makes a call for the refund and expects the decision.
func expectRefund(t *testing.T, o payments.Outcome, err error, want payments.Decision) {
	t.Helper()
	if err != nil || o.Decision != want {
		t.Errorf("got %+v, %v, want %s", o, err, want)
	}
}

// TestRefund_ReplyLostForDays checks that a refund whose reply was lost is never requested again after Stripe has
// forgotten its idempotency key. It is found by its metadata.
func TestRefund_ReplyLostForDays(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	r := w.refunding(t, "10")
	w.Wire.Inject(faults.Times(1, "POST refunds", faults.LoseReply))
	if o, err := w.Refund(t.Context(), r); err == nil || errors.Is(err, acquirer.ErrNotTaken) {
		t.Errorf("got %+v, %v, want an unknown outcome", o, err)
	}
	other := r
	other.ID = "other"
	o, err := w.Refund(t.Context(), other)
	expectRefund(t, o, err, payments.Approved)
	w.Advance(23 * time.Hour)
	clear(w.api.Replies)
	w.api.Page = 1 // the newest refund is first
	found, err := w.otherProcess().Refund(t.Context(), r)
	expectRefund(t, found, err, payments.Approved)
	if n := w.api.Count(http.MethodPost, "/refunds"); n != 2 || found.AcquirerReference == o.AcquirerReference {
		t.Errorf("got %d requests for refunds, and %s, want two and another refund", n, found.AcquirerReference)
	}
}

// TestRefund_RequestLostForDays checks that a refund that Stripe has never received is declined after a day, but not
// before.
func TestRefund_RequestLostForDays(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	r := w.refunding(t, "10")
	w.Wire.Inject(faults.Times(1, "POST refunds", faults.FailBefore))
	if o, err := w.Refund(t.Context(), r); err == nil || errors.Is(err, acquirer.ErrNotTaken) {
		t.Errorf("got %+v, %v, want an unknown outcome", o, err)
	}
	o, err := w.CancelRefund(t.Context(), r.ID)
	expectRefund(t, o, err, payments.OutcomeUnknown)
	w.Advance(23 * time.Hour)
	o, err = w.Refund(t.Context(), r)
	expectRefund(t, o, err, payments.OutcomeUnknown)
	w.Advance(time.Hour)
	for range 2 {
		o, err = w.Refund(t.Context(), r)
		expectRefund(t, o, err, payments.Declined)
	}
	if n := w.api.Count(http.MethodPost, "/refunds"); n != 0 {
		t.Errorf("got %d requests for the refund at Stripe, want none", n)
	}
}

// TestRefund_PendingFails checks that a pending refund is read again by its id, because a repeated request would return
// it as it was at first.
func TestRefund_PendingFails(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	r := w.refunding(t, "42.25")
	for range 2 {
		o, err := w.Refund(t.Context(), r)
		expectRefund(t, o, err, payments.OutcomeUnknown)
	}
	for _, step := range []struct {
		before, after string
		want          payments.Decision
	}{{"pending", "requires_action", payments.OutcomeUnknown}, {"requires_action", "failed", payments.Declined}} {
		w.api.Find("refund", "r", step.before)["status"] = step.after
		o, err := w.Refund(t.Context(), r)
		expectRefund(t, o, err, step.want)
	}
	o, err := w.CancelRefund(t.Context(), r.ID)
	expectRefund(t, o, err, payments.Declined)
	if n := w.api.Count(http.MethodPost, "/refunds"); n != 1 {
		t.Errorf("got %d requests for the refund, want 1", n)
	}
}

func TestRefund_WithoutItsCharge(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	amount := money.MustParse("10", "EUR")
	unknown := acquirer.Refund{ID: "unknown", ChargeID: "none", Amount: amount}
	w.refunding(t, "10")
	other := acquirer.Refund{ID: "other", ChargeID: "c", Amount: money.MustParse("10", "USD")}
	for r, code := range map[acquirer.Refund]string{unknown: "25", other: "13"} {
		o, err := w.Refund(t.Context(), r)
		expectRefund(t, o, err, payments.Declined)
		if o.ReturnCode != code {
			t.Errorf("%s: got code %s, want %s", r.ID, o.ReturnCode, code)
		}
	}
	if n := w.api.Count(http.MethodPost, "/refunds"); n != 0 {
		t.Errorf("got %d requests for refunds, want none", n)
	}
}

// TestRefund_ChargeUnreadable checks that a refund whose charge cannot be read is not taken, and can be made later.
func TestRefund_ChargeUnreadable(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	r := w.refunding(t, "10")
	w.Wire.Inject(func() func(string) faults.Fault {
		reads := 0
		return func(operation string) faults.Fault {
			if operation == "GetItem" {
				reads++
			}
			if reads == 2 {
				return faults.FailBefore
			}
			return faults.None
		}
	}())
	if _, err := w.Refund(t.Context(), r); !errors.Is(err, acquirer.ErrNotTaken) {
		t.Errorf("got error %v, want %v", err, acquirer.ErrNotTaken)
	}
	w.Wire.Inject(nil)
	o, err := w.Refund(t.Context(), r)
	expectRefund(t, o, err, payments.Approved)
}

// TestRefund_Refused checks the answers of Stripe that decide a refund, and those that do not.
func TestRefund_Refused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status     int
		kind, code string
		want       payments.Decision // "": the call fails, and a repeated call succeeds
		returnCode string
	}{
		{http.StatusBadRequest, "invalid_request_error", "charge_already_refunded", payments.Declined, "13"},
		{http.StatusNotFound, "invalid_request_error", "resource_missing", payments.Declined, "25"},
		{http.StatusPaymentRequired, "card_error", "insufficient_funds", payments.Declined, "51"},
		{http.StatusBadRequest, "idempotency_error", "", "", ""},
		{http.StatusUnauthorized, "invalid_request_error", "", "", ""},
		{http.StatusForbidden, "invalid_request_error", "", "", ""},
		{http.StatusConflict, "idempotency_error", "idempotency_key_in_use", "", ""},
		{http.StatusTooManyRequests, "invalid_request_error", "rate_limit", "", ""},
		{http.StatusInternalServerError, "api_error", "", "", ""},
	} {
		w := newFixture(t)
		r := w.refunding(t, "10")
		w.api.Instead("POST refunds", c.status, c.kind, c.code)
		o, err := w.Refund(t.Context(), r)
		if o.Decision != c.want || o.ReturnCode != c.returnCode || (err == nil) != (c.want != "") {
			t.Errorf("%d %s: got %+v, %v, want %q", c.status, c.code, o, err, c.want)
		}
		if errors.Is(err, acquirer.ErrNotTaken) {
			t.Errorf("%d %s: got error %v of a refund that is stored, want another", c.status, c.code, err)
		}
		want := c.want
		if want == "" {
			want = payments.Approved
		}
		o, err = w.Refund(t.Context(), r)
		expectRefund(t, o, err, want)
	}
}

// TestRefund_ListUnreadable checks that nothing is concluded from a list that cannot be read.
func TestRefund_ListUnreadable(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	r := w.refunding(t, "10")
	w.Wire.Inject(faults.Times(1, "POST refunds", faults.FailBefore))
	if _, err := w.Refund(t.Context(), r); err == nil {
		t.Error("got no error of a lost request, want one")
	}
	w.Advance(48 * time.Hour)
	w.Wire.Inject(faults.Times(1, "GET refunds", faults.FailBefore))
	if o, err := w.Refund(t.Context(), r); err == nil || errors.Is(err, acquirer.ErrNotTaken) {
		t.Errorf("got %+v, %v, want an unknown outcome", o, err)
	}
}
