package callbacks_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// readerCallback is the receiver's callback about a payment at a reader (contract §11.4).
func (s shop) readerCallback(p world.Payment, status, reason, at string) world.ReaderCallback {
	s.Helper()
	want := world.ReaderCallback{ID: strings.TrimPrefix(s.id(), "msg_"), EventType: "solo.transaction.updated",
		Timestamp: at}
	want.Payload.ClientTransactionID, want.Payload.TransactionID = payments.ClientTransactionID(p.ID), p.ID
	want.Payload.MerchantCode, want.Payload.Status, want.Payload.FailureReason = s.Merchant.Code, status, reason
	return want
}

// received returns the bodies of callbacks about payments at readers.
func (s shop) received() []world.ReaderCallback {
	s.Helper()
	var all []world.ReaderCallback
	for _, d := range s.Receiver.Deliveries() {
		if d.Reader == nil {
			s.Errorf("got a callback on the online checkout %s, want one on a reader's", d.Checkout)
			continue
		}
		all = append(all, *d.Reader)
	}
	return all
}

// now formats the time as callbacks do.
func (s shop) now() string { return s.Clock.Now().Format("2006-01-02T15:04:05.000Z") }

// TestReaderCallback_EachOutcome checks that each outcome sends one callback, signed like all callbacks (contract
// §11.4).
func TestReaderCallback_EachOutcome(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ amount, status, reason string }{
		{"10.10", "successful", ""}, {"42.01", "failed", "declined"},
		{"42.24", "failed", "the acquirer did not take the payment"},
	} {
		s := newShop(t)
		p := s.PayAtReader(world.Sale{Amount: c.amount})
		at := s.now()
		s.RunUntilIdle()
		s.PassMinute()
		want := []world.ReaderCallback{s.readerCallback(p, c.status, c.reason, at)}
		if diff := cmp.Diff(want, s.received()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.amount, diff)
		}
	}
}

func TestReaderCallback_UnpaidCheckout(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	r := s.PairReader("TILL0001")
	checkout := r.Begin(1010)
	r.Must(http.StatusAccepted, r.Terminate())
	at := s.now()
	s.Clock.Advance(time.Hour)
	p := r.Payment(checkout)
	s.RunUntilIdle()
	want := []world.ReaderCallback{s.readerCallback(p, "failed", "terminated", at)}
	if diff := cmp.Diff(want, s.received()); diff != "" || p.Status != "CANCELLED" {
		t.Errorf("got a %s payment, callbacks (-want +got):\n%s", p.Status, diff)
	}
}

// TestReaderCallback_Retries checks that each try has the same body and webhook-id, even days later.
func TestReaderCallback_Retries(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.Receiver.Answer(http.StatusInternalServerError)
	s.PayAtReader(world.Sale{Amount: "10.10"})
	s.RunUntilIdle()
	s.Clock.Advance(time.Minute)
	s.RunUntilIdle()
	s.wantTries(2, "after a minute")
	tries := s.Receiver.Tries()
	if tries[0].Body != tries[1].Body || tries[0].Header.Get("webhook-id") != tries[1].Header.Get("webhook-id") {
		t.Errorf("got tries %+v, want two with the same id and body", tries)
	}
}

// TestReaderCallback_Chargeback checks that a chargeback at a reader sends no callback (contract §11.4). A chargeback
// online sends no callback either (contract §11.1).
func TestReaderCallback_Chargeback(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p := s.PayAtReader(world.Sale{Amount: "10.10"})
	s.Operate(map[string]any{"command": "charge_back", "merchant_code": s.Merchant.Code, "mode": "test",
		"transaction": p.ID}, nil)
	s.RunUntilIdle()
	s.PassMinute()
	if got := s.received(); len(got) != 1 || got[0].Payload.Status != "successful" {
		t.Errorf("got %+v, want only that of the payment", got)
	}
}
