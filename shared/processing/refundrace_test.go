package processing_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/processing"
	"github.com/cashwrap/cashwrap/shared/store"
)

// sell creates a paid transaction of 10.10.
func (o *fixture) sell(t *testing.T) string {
	t.Helper()
	paid, err := o.pay(t, o.create(t, time.Hour), passing)
	if err != nil || paid.Status != payments.CheckoutPaid {
		t.Fatalf("pay: got %s, %v, want PAID", paid.Status, err)
	}
	return paid.Transactions[0].ID
}

func (o *fixture) refund(t *testing.T, transaction, operation string) error {
	t.Helper()
	return o.Refund(t.Context(), tenant, processing.RefundRequest{By: identity.Platform(), TransactionID: transaction,
		Operation: operation, Amount: "4.00"})
}

// readRecord returns the transaction with its events, and the amount that the acquirer has refunded.
func (o *fixture) readRecord(t *testing.T, id string) (r store.Record, givenBack string) {
	t.Helper()
	r, err := o.store.Transaction(t.Context(), tenant, id)
	if err != nil {
		t.Fatal(err)
	}
	for line, err := range o.Acquirers[identity.Test].Statement(t.Context(), time.Time{}) {
		if err != nil {
			t.Fatal(err)
		}
		if line.Kind == acquirer.RefundMovement {
			givenBack += line.Amount.String()
		}
	}
	return r, givenBack
}

// busy is an acquirer that does not take the first refund. Before it answers that request, it calls a function before
// its first answer.
type busy struct {
	acquirer.Acquirer
	once    sync.Once
	happens func(acquirer.Refund)
}

func (b *busy) Refund(ctx context.Context, r acquirer.Refund) (payments.Outcome, error) {
	first := false
	b.once.Do(func() { first = true })
	if !first {
		return b.Acquirer.Refund(ctx, r)
	}
	if b.happens != nil {
		b.happens(r)
	}
	return payments.Outcome{}, acquirer.ErrNotTaken
}

// TestRefund_NotTakenAfterPoll checks a slow request to the acquirer. Before the answer arrives, the sweep polls the
// refund, and the acquirer makes the refund. Then the acquirer answers the slow request with ErrNotTaken. The refund
// was made nevertheless, so it must not be withdrawn.
func TestRefund_NotTakenAfterPoll(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	id := o.sell(t)
	o.Acquirers[identity.Test] = &busy{Acquirer: o.Acquirers[identity.Test], happens: func(r acquirer.Refund) {
		o.Advance(2 * time.Minute)
		if err := o.ResolveRefundDue(t.Context(), tenant, r.ID); err != nil {
			t.Errorf("sweep: got %v, want no error", err)
		}
	}}
	if err := o.refund(t, id, "one"); err != nil {
		t.Errorf("refund: got %v, want no error", err)
	}
	if r, back := o.readRecord(t, id); r.Refunded.String() != "4.00" || back != "4.00" {
		t.Errorf("refunded: got %s, at the acquirer %q, want 4.00 in both", r.Refunded, back)
	}
}

// TestRefund_NotTakenDuringPoll checks the case of TestRefund_NotTakenAfterPoll while the sweep's request is still on
// the way to the acquirer.
func TestRefund_NotTakenDuringPoll(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	id := o.sell(t)
	bank := o.Acquirers[identity.Test]
	asked, withdrawn, swept := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	o.Acquirers[identity.Test] = &busy{Acquirer: waiting{bank, asked, withdrawn}, happens: func(r acquirer.Refund) {
		o.Advance(2 * time.Minute)
		go func() { swept <- o.ResolveRefundDue(t.Context(), tenant, r.ID) }()
		<-asked
	}}
	err := o.refund(t, id, "one")
	close(withdrawn)
	if sweepErr := <-swept; err != nil || sweepErr != nil {
		t.Errorf("refund: got %v, sweep: got %v, want no errors", err, sweepErr)
	}
	o.Acquirers[identity.Test] = bank
	if r, back := o.readRecord(t, id); r.Refunded.String() != "4.00" || back != "4.00" {
		t.Errorf("refunded: got %s, at the acquirer %q, want 4.00 in both", r.Refunded, back)
	}
}

// waiting is an acquirer that signals a request for a refund, and waits before it answers.
type waiting struct {
	acquirer.Acquirer
	asked, until chan struct{}
}

func (w waiting) Refund(ctx context.Context, r acquirer.Refund) (payments.Outcome, error) {
	close(w.asked)
	<-w.until
	return w.Acquirer.Refund(ctx, r)
}

// isWithdrawal returns true if the call withdraws a refund.
func isWithdrawal(r *http.Request) bool {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".TransactWriteItems") &&
		strings.Contains(string(body), `"status":{"S":"WITHDRAWN"}`)
}

// TestRefund_WithdrawalFails checks a refund that could not be withdrawn. The answer is not 424, because 424 promises
// that nothing changed (contract §3.4). The sweep then makes that refund.
func TestRefund_WithdrawalFails(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	id := o.sell(t)
	o.Acquirers[identity.Test] = &busy{Acquirer: o.Acquirers[identity.Test]}
	o.network = func(r *http.Request) (*http.Response, error) {
		if isWithdrawal(r) {
			return nil, faults.ErrNetwork
		}
		return enginetest.Do(r)
	}
	if err := o.refund(t, id, "one"); failure.Of(err).Kind != failure.KindInternal {
		t.Errorf("refund: got %v, want an internal failure", err)
	}
	r, _ := o.readRecord(t, id)
	e, known := r.Refund(r.RefundID("one"))
	if !known || e.Status != payments.EventBegun {
		t.Fatalf("refund: got %q, known %t, want %q, known", e.Status, known, payments.EventBegun)
	}
	o.Advance(2 * time.Minute)
	if err := o.ResolveRefundDue(t.Context(), tenant, e.ID); err != nil {
		t.Fatal(err)
	}
	if r, back := o.readRecord(t, id); r.Refunded.String() != "4.00" || back != "4.00" {
		t.Errorf("refunded: got %s, at the acquirer %q, want 4.00 in both", r.Refunded, back)
	}
}

// TestRefund_BegunAgainDuringWithdrawal checks that a repeated withdrawal does not withdraw a refund that a retry has
// begun again. The first withdrawal is written, but its reply is lost. The retry begins the refund before the
// withdrawal is repeated.
func TestRefund_BegunAgainDuringWithdrawal(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	id := o.sell(t)
	bank := o.Acquirers[identity.Test]
	asked, withdrawn, retried := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	o.Acquirers[identity.Test] = &busy{Acquirer: waiting{bank, asked, withdrawn}}
	var once sync.Once
	o.network = func(r *http.Request) (*http.Response, error) {
		lost := isWithdrawal(r)
		response, err := enginetest.Do(r)
		if !lost || err != nil {
			return response, err
		}
		_ = response.Body.Close()
		once.Do(func() {
			go func() { retried <- o.refund(t, id, "one") }()
			<-asked
		})
		return nil, faults.ErrNetwork
	}
	err := o.refund(t, id, "one")
	close(withdrawn)
	if failure.Of(err).Kind != failure.KindUpstream {
		t.Errorf("refund: got %v, want an upstream failure", err)
	}
	if err := <-retried; err != nil {
		t.Errorf("retry: got %v, want no error", err)
	}
	o.Acquirers[identity.Test] = bank
	if r, back := o.readRecord(t, id); r.Refunded.String() != "4.00" || back != "4.00" {
		t.Errorf("refunded: got %s, at the acquirer %q, want 4.00 in both", r.Refunded, back)
	}
}
