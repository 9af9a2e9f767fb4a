package payments_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// start is the creation time of every checkout in these tests.
var start = time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)

func after(d time.Duration) time.Time { return start.Add(d) }

const returnURL = "https://shop.example/callback"

func newCheckout() payments.Checkout {
	return payments.Checkout{
		ID: "checkout-1", Reference: "order-1", Amount: money.MustParse("10.10", "EUR"),
		Payee:       payments.Payee{Code: "MC0A1B2C3D", Name: "Shop", Email: "shop@shop.example", Country: "DE"},
		Description: "Tea", ReturnURL: returnURL, Status: payments.CheckoutPending, Purpose: payments.PurposeCheckout,
		CreatedAt: start, Version: 7,
	}
}

// attemptFor returns an attempt as a process request passes it to Begin.
func attemptFor(id string, m payments.Method) payments.Attempt {
	return payments.Attempt{ID: id, Operation: "request-" + id, Method: m, PaymentType: m.PaymentType()}
}

func begin(t testing.TB, c payments.Checkout, a payments.Attempt, now time.Time) payments.Checkout {
	t.Helper()
	c, err := c.Begin(a, payments.Source{}, now)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func settle(t testing.TB, c payments.Checkout, o payments.Outcome, now time.Time) payments.CheckoutChange {
	t.Helper()
	change, ok := c.Settle(c.Attempt.ID, o, "msg_1", payments.Session{TokenHash: "hash"}, now)
	if !ok {
		t.Fatalf("%s: got no change, want one", o.Decision)
	}
	return change
}

// attempted returns a checkout after one attempt by card that was begun and settled.
func attempted(t testing.TB, c payments.Checkout, id string, d payments.Decision, now time.Time) payments.Checkout {
	t.Helper()
	return settle(t, begin(t, c, attemptFor(id, payments.CardMethod), now), payments.Outcome{Decision: d}, now).Checkout
}

// states returns checkouts in the states of contract §4.5, named by their history. Attempts begin at start.
func states(t testing.TB) map[string]payments.Checkout {
	t.Helper()
	fresh := newCheckout()
	failed := attempted(t, fresh, "attempt-0", payments.Declined, start)
	requiresAction := attempted(t, fresh, "attempt-1", payments.Challenge, start)
	expired, err := fresh.Deactivate("msg_0", start)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]payments.Checkout{
		"fresh":                 fresh,
		"failed":                failed,
		"pending":               begin(t, fresh, attemptFor("attempt-1", payments.CardMethod), start),
		"failed, pending":       begin(t, failed, attemptFor("attempt-1", payments.CardMethod), start),
		"unknown":               attempted(t, fresh, "attempt-1", payments.OutcomeUnknown, start),
		"requires action":       requiresAction,
		"paid":                  attempted(t, fresh, "attempt-1", payments.Approved, start),
		"expired":               expired.Checkout,
		"late":                  late(fresh),
		"late, failed":          late(failed),
		"late, pending":         late(begin(t, fresh, attemptFor("attempt-1", payments.CardMethod), start)),
		"late, requires action": late(requiresAction),
		"late, paid":            late(attempted(t, fresh, "attempt-1", payments.Approved, start)),
		"valid for an hour":     validUntil(fresh, after(time.Hour)),
	}
}

// late returns the checkout with a valid_until of start.
func late(c payments.Checkout) payments.Checkout { return validUntil(c, start) }

func validUntil(c payments.Checkout, at time.Time) payments.Checkout {
	c.ValidUntil = &at
	return c
}

// conflict returns "error_code slug" of a Conflict, with a mark if it is transient; "" for no error; otherwise the
// error's text.
func conflict(err error) string {
	var e *failure.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e) && e.Kind == failure.KindConflict && e.Transient:
		return e.Code + " " + e.Slug + ", transient"
	case errors.As(err, &e) && e.Kind == failure.KindConflict:
		return e.Code + " " + e.Slug
	default:
		return err.Error()
	}
}

// The conflicts of contract §3.3.
const (
	alreadyPaid   = "CHECKOUT_PROCESSED session-already-processed"
	notAgain      = "CHECKOUT_PROCESSED session-cant-be-deactivated"
	notNow        = notAgain + ", transient"
	sessionIsOver = "CHECKOUT_SESSION_IS_EXPIRED session-expired"
	running       = "CONFLICT conflict, transient"
)

// differs returns how two values differ; "" if they do not. Money is equal if its value and currency are.
func differs(want, got any) string {
	return cmp.Diff(want, got, cmpopts.EquateComparable(money.Amount{}))
}

// snapshot returns a checkout as text, including the values that its pointers point to.
func snapshot(t interface{ Fatal(...any) }, c payments.Checkout) string {
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
