package faults_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// unknowns are a payment and a refund with unknown outcomes.
type unknowns struct {
	world.Shop
	checkout string
	refunded world.Payment
}

func newUnknowns(t *testing.T) *unknowns {
	t.Helper()
	u := &unknowns{Shop: world.NewShop(t).WithCallbacks()}
	u.refunded = u.Sell("100")
	u.RunUntilIdle()
	u.checkout = u.Create(world.Unanswered, nil)
	if p := u.Pay(u.checkout, u.Card(world.Frictionless)); p.Status != "PENDING" {
		t.Fatalf("pay: got %+v, want status PENDING", p)
	}
	u.Refund(u.refunded, world.Unanswered)
	return u
}

// listOpen returns the names of the payment and the refund that are not settled yet. The payment is settled once its
// callback has come.
func (u *unknowns) listOpen() string {
	u.Helper()
	open := ""
	if len(u.Receiver.Messages(u.checkout)) == 0 {
		open += "payment "
	}
	refund := u.Transaction("id=" + u.refunded.ID)
	if !strings.Contains(string(refund.Body), `"REFUNDED"`) {
		open += "refund"
	}
	return open
}

// advanceUntilSettled advances the clock second by second until the payment and the refund are settled. If they are not
// settled after most seconds, it fails the test. It returns the number of seconds that passed. The sweep ticks once a
// minute, when tick seconds of the minute have passed. If streams is true, the stream is read, so that messages arrive
// within the second.
func (u *unknowns) advanceUntilSettled(most int, streams bool, tick int) (settled int) {
	u.Helper()
	for second := 1; second <= most; second++ {
		u.Clock.Advance(time.Second)
		if second%60 == tick {
			u.Tick("sweep")
		}
		if streams {
			u.Relay()
		} else {
			u.DrainQueues()
		}
		if u.listOpen() == "" {
			return second
		}
	}
	u.Errorf("after %d s: got %s still open, want both settled", most, u.listOpen())
	return most
}

func (u *unknowns) wantRecords() {
	u.Helper()
	want := world.CheckoutRecords{Transactions: map[string]int{"SUCCESSFUL": 1}, Captured: 1}
	if diff := cmp.Diff(want, u.CheckoutRecords(u.checkout)); diff != "" {
		u.Errorf("the checkout's records (-want +got):\n%s", diff)
	}
	if n := len(u.Receiver.Messages(u.checkout)); n != 1 {
		u.Errorf("got %d callbacks, want 1", n)
	}
	if found := u.Reconcile().Found; found != 0 {
		u.Errorf("got %d breaks, want none", found)
	}
}

// TestUnknownOutcome_PolledInTime checks that an outcome that the acquirer knows after 30 seconds is found within 45
// seconds. The sweep may tick at any second of the minute.
func TestUnknownOutcome_PolledInTime(t *testing.T) {
	t.Parallel()
	for _, tick := range []int{0, 4, 20, 34, 59} {
		u := newUnknowns(t)
		if settled := u.advanceUntilSettled(45, true, tick); settled < 30 {
			t.Errorf("got it settled after %d s, want 30 s or more, when the acquirer knows", settled)
		}
		u.wantRecords()
	}
}

// TestUnknownOutcome_WithoutStream checks that the sweep alone suffices, when the stream is not read.
func TestUnknownOutcome_WithoutStream(t *testing.T) {
	t.Parallel()
	u := newUnknowns(t)
	// Without the stream, the payment's callback also comes later, by a grace period and a tick.
	if settled := u.advanceUntilSettled(4*60, false, 59); settled <= 65 {
		t.Errorf("got it settled after %d s, want more than 65 s, by the sweep", settled)
	}
	u.wantRecords()
}

// TestUnknownOutcome_UnheardChallenge checks that a poll records a challenge as the request would have, so that the
// payer can answer it.
func TestUnknownOutcome_UnheardChallenge(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	s.GoLive(func(a acquirer.Acquirer) acquirer.Acquirer { return world.Unheard{Acquirer: a} })
	s = s.NewLiveShop()
	checkout := s.Create("10", map[string]any{"redirect_url": world.RedirectURL})
	if r := s.ProcessCheckout(checkout, s.Card(world.Challenged)); r.Status >= 400 {
		t.Errorf("process: got %d %s, want a status below 400", r.Status, r.Body)
	}
	s.Relay()
	s.Clock.Advance(6 * time.Second)
	if n := s.DrainQueues(); n != 1 {
		t.Errorf("got %d messages, want one, handled", n)
	}
	live := identity.Tenant{Mode: identity.Live, Merchant: s.Merchant.Code}
	c, err := s.App.Store.Checkout(t.Context(), live, checkout)
	if err != nil || c.Attempt.State != payments.AttemptRequiresAction {
		t.Errorf("got %+v, error %v; want an attempt that requires the payer's action", c.Attempt, err)
	}
}
