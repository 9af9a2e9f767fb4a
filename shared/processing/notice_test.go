package processing_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/aws/sdkcall"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/processing"
)

// sandbox returns the acquirer of newFixture, which must not have been replaced.
func (o *fixture) sandbox() *sandbox.Acquirer {
	return o.Acquirers[identity.Test].(observed).Acquirer.(*sandbox.Acquirer)
}

// hintOf returns the hint about the checkout's attempt.
func hintOf(c payments.Checkout) acquirer.Hint {
	return acquirer.Hint{Reference: acquirer.Reference{Tenant: tenant.String(), CheckoutID: c.ID}, ID: c.Attempt.ID}
}

func refundHint(id string) acquirer.Hint {
	return acquirer.Hint{Reference: acquirer.Reference{Tenant: tenant.String(), CheckoutID: "any"}, ID: id, IsRefund: true}
}

// resolve resolves a hint about the checkout's attempt, and returns the checkout afterwards.
func (o *fixture) resolve(t *testing.T, c payments.Checkout) payments.Checkout {
	t.Helper()
	if err := o.ResolveHint(t.Context(), tenant.Mode, hintOf(c)); err != nil {
		t.Errorf("resolve: got %v, want no error", err)
	}
	after, err := o.store.AnyCheckout(t.Context(), tenant, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	return after
}

// notify handles a notice that the sandbox has signed. It fails the test if the platform then writes although nothing
// has changed, or the reverse.
func (o *fixture) notify(t *testing.T, name string, changes bool, hints ...acquirer.Hint) {
	t.Helper()
	header, body, err := o.sandbox().NewNotice(hints...)
	if err != nil {
		t.Fatal(err)
	}
	var writes atomic.Int64
	o.network = func(r *http.Request) (*http.Response, error) {
		if !strings.HasSuffix(r.Header.Get("X-Amz-Target"), "GetItem") &&
			!strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".Query") {
			writes.Add(1)
		}
		return enginetest.Do(r)
	}
	defer func() { o.network = nil }()
	if err := o.HandleNotice(t.Context(), identity.Test, header, body); err != nil {
		t.Errorf("%s: got %v, want no error", name, err)
	}
	if n := writes.Load(); (n > 0) != changes {
		t.Errorf("%s: got %d writes, want some: %t", name, n, changes)
	}
}

// payAtBank begins a payment at a bank, and returns the checkout and the session of the bank's page.
func (o *fixture) payAtBank(t *testing.T) (payments.Checkout, string) {
	t.Helper()
	c, step, err := o.Start(t.Context(), tenant, processing.PaymentRequest{CheckoutID: o.createFor(t, "").ID,
		Operation: uuid.NewString(), Method: payments.PayPal, Installments: 1})
	if err != nil || step == nil {
		t.Fatalf("got step %+v, %v, want the bank's page", step, err)
	}
	_, session, _ := strings.Cut(step.URL, "/apm/")
	return c, session
}

func (o *fixture) decide(t *testing.T, session string, answer sandbox.BankAnswer) {
	t.Helper()
	if _, err := o.sandbox().DecideSession(t.Context(), session, answer); err != nil {
		t.Fatal(err)
	}
}

func TestHandleNotice_ChargeDecidedLate(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	for answer, want := range map[sandbox.BankAnswer]payments.CheckoutStatus{
		sandbox.Pay: payments.CheckoutPaid, sandbox.Fail: payments.CheckoutFailed, sandbox.Leave: payments.CheckoutPending,
	} {
		c, session := o.payAtBank(t)
		o.notify(t, "before the answer", false, hintOf(c))
		o.decide(t, session, answer)
		o.notify(t, string(answer), want != payments.CheckoutPending, hintOf(c))
		if got := o.read(t, c); got.Status != want {
			t.Errorf("%s: got %s, want %s", answer, got.Status, want)
		}
		o.notify(t, "repeated", false, hintOf(c), hintOf(c))
	}
}

// TestHandleNotice_OtherHints checks that a notice's hints about other payments change nothing, and do not stop the
// notice's last hint.
func TestHandleNotice_OtherHints(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	c, session := o.payAtBank(t)
	o.decide(t, session, sandbox.Pay)
	with := func(change func(*acquirer.Hint)) acquirer.Hint {
		h := hintOf(c)
		change(&h)
		return h
	}
	others := []acquirer.Hint{
		with(func(h *acquirer.Hint) { h.CheckoutID = uuid.NewString() }),
		with(func(h *acquirer.Hint) { h.ID = uuid.NewString() }),
		with(func(h *acquirer.Hint) { h.ID = c.ID }),
		with(func(h *acquirer.Hint) { h.Tenant = "T#MC00000000" }),
		with(func(h *acquirer.Hint) { h.Tenant = "L#" + tenant.Merchant }),
		with(func(h *acquirer.Hint) { h.Tenant = tenant.Merchant }),
		with(func(h *acquirer.Hint) { h.Tenant += "#" + c.ID }),
		with(func(h *acquirer.Hint) { h.IsRefund = true }),
		refundHint(payments.ClientTransactionID(c.Attempt.ID)),
		refundHint("unknown"),
	}
	for _, h := range others {
		o.notify(t, "another", false, h)
	}
	if got := o.read(t, c); got.Status != payments.CheckoutPending || !got.RequiresAction() {
		t.Fatalf("after other hints: got %s, %+v, want PENDING, waiting", got.Status, got.Attempt)
	}
	o.notify(t, "all", true, append(others, hintOf(c))...)
	if got := o.read(t, c); got.Status != payments.CheckoutPaid {
		t.Errorf("got %s, want %s", got.Status, payments.CheckoutPaid)
	}
}

// TestHandleNotice_EarlierAttempt checks that a hint about a closed attempt does not touch the attempt that followed.
func TestHandleNotice_EarlierAttempt(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	first, err := o.pay(t, o.createFor(t, ""), challenged)
	if err != nil {
		t.Fatal(err)
	}
	second, err := o.pay(t, first, challenged)
	if err != nil || second.Attempt.ID == first.Attempt.ID {
		t.Fatalf("got attempt %+v, %v, want another", second.Attempt, err)
	}
	o.notify(t, "earlier attempt", false, hintOf(first))
	if got := o.read(t, second); got.Attempt.ID != second.Attempt.ID || !got.RequiresAction() {
		t.Errorf("got %+v, want attempt %s waiting", got.Attempt, second.Attempt.ID)
	}
}

// TestHandleNotice_RunningCharge checks a hint while the request that began the attempt still runs. An unknown outcome
// is not recorded, because the request may yet learn that the acquirer did not take the charge. A final outcome is.
func TestHandleNotice_RunningCharge(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	bank := o.Acquirers[identity.Test]
	running := &runningCharge{Acquirer: bank, during: func(c acquirer.Charge) {
		stored, err := o.store.Checkout(t.Context(), tenant, c.Reference.CheckoutID)
		if err != nil {
			t.Fatal(err)
		}
		o.Acquirers[identity.Test] = bank
		o.notify(t, "not yet at the acquirer", false, hintOf(stored))
		if _, err := bank.Charge(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		o.notify(t, "decided", true, hintOf(stored))
	}}
	o.Acquirers[identity.Test] = running
	if paid, err := o.pay(t, o.createFor(t, ""), passing); err != nil || paid.Status != payments.CheckoutPaid ||
		len(paid.Transactions) != 1 {
		t.Errorf("got %s with transactions %+v, %v, want PAID with one", paid.Status, paid.Transactions, err)
	}
	begun, err := o.createFor(t, "").Begin(payments.Attempt{ID: uuid.NewString(), Operation: "request",
		Method: payments.CardMethod}, payments.Source{}, o.Now())
	if err != nil {
		t.Fatal(err)
	}
	if begun, err = o.store.SaveCheckout(t.Context(), tenant, begun); err != nil {
		t.Fatal(err)
	}
	o.Acquirers[identity.Test] = forgetful{bank, o.Now().Add(time.Minute), o.Now}
	if got := o.resolve(t, begun); got.Version != begun.Version {
		t.Errorf("an unknown outcome: got version %d, want %d", got.Version, begun.Version)
	}
}

// runningCharge calls a function before it passes a charge on.
type runningCharge struct {
	acquirer.Acquirer
	during func(acquirer.Charge)
}

func (r *runningCharge) Charge(ctx context.Context, c acquirer.Charge) (payments.Outcome, error) {
	r.during(c)
	return r.Acquirer.Charge(ctx, c)
}

// TestHandleNotice_RefundSettledLate checks a refund of unknown outcome, before and after the acquirer knows it.
func TestHandleNotice_RefundSettledLate(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	id := o.createPaid(t, tenant, "100", "EUR")
	if err := o.tryRefund(t.Context(), tenant, id, "42.25", ""); err != nil {
		t.Fatal(err)
	}
	r, _ := o.readRecord(t, id)
	if len(r.Events) != 1 || r.Events[0].Status != payments.EventPending {
		t.Fatalf("got events %+v, want a pending refund", r.Events)
	}
	h := refundHint(r.Events[0].ID)
	o.notify(t, "still unknown", false, h)
	o.Advance(30 * time.Second)
	o.notify(t, "settled", true, h)
	if r, back := o.readRecord(t, id); r.Refunded.String() != "42.25" || back != "42.25" {
		t.Errorf("got %s refunded, at the acquirer %q, want 42.25 in both", r.Refunded, back)
	}
	o.notify(t, "repeated", false, h)
}

// TestHandleNotice_RunningRefund checks a hint about a refund whose own request still runs. The request then learns
// that the acquirer did not take the refund, and withdraws it.
func TestHandleNotice_RunningRefund(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	id := o.sell(t)
	bank := o.Acquirers[identity.Test]
	o.Acquirers[identity.Test] = &busy{Acquirer: bank, happens: func(r acquirer.Refund) {
		o.Acquirers[identity.Test] = bank
		o.notify(t, "running", false, refundHint(r.ID))
	}}
	if err := o.refund(t, id, "one"); failure.Of(err).Kind != failure.KindUpstream {
		t.Errorf("refund: got %v, want an upstream failure", err)
	}
	if r, back := o.readRecord(t, id); !r.Refunded.IsZero() || back != "" {
		t.Errorf("got %s refunded, at the acquirer %q, want none", r.Refunded, back)
	}
}

// TestHandleNotice_RefundCutOff checks a hint about a refund whose request ended without an outcome. The hint is used
// once the refund is due.
func TestHandleNotice_RefundCutOff(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	id := o.sell(t)
	r, _ := o.readRecord(t, id)
	change, err := r.BeginRefund("one", nil, false, o.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := o.store.ApplyTransaction(t.Context(), tenant, change, nil); err != nil {
		t.Fatal(err)
	}
	e := change.Events[0]
	o.Advance(e.NextPoll.Sub(o.Now()) - 1)
	o.notify(t, "not due", false, refundHint(e.ID))
	o.Advance(1)
	o.notify(t, "due", true, refundHint(e.ID))
	if r, back := o.readRecord(t, id); r.Refunded.String() != "10.10" || back != "10.10" {
		t.Errorf("got %s refunded, at the acquirer %q, want 10.10 in both", r.Refunded, back)
	}
}

// TestHandleNotice_Refused checks that a notice counts only in its acquirer's mode, and only with a valid signature.
func TestHandleNotice_Refused(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	c, session := o.payAtBank(t)
	o.decide(t, session, sandbox.Pay)
	header, body, err := o.sandbox().NewNotice(hintOf(c))
	if err != nil {
		t.Fatal(err)
	}
	if err = o.HandleNotice(t.Context(), identity.Live, header, body); !errors.Is(err, acquirer.ErrBadNotice) {
		t.Errorf("in live mode: got %v, want ErrBadNotice", err)
	}
	err = o.HandleNotice(t.Context(), identity.Test, header, append(body, ' '))
	if !errors.Is(err, acquirer.ErrBadNotice) {
		t.Errorf("a changed body: got %v, want ErrBadNotice", err)
	}
	o.Acquirers[identity.Live] = o.Acquirers[identity.Test]
	if err := o.HandleNotice(t.Context(), identity.Live, header, body); err != nil {
		t.Errorf("hint of test mode in live mode: got %v, want no error", err)
	}
	if got := o.read(t, c); got.Status != payments.CheckoutPending {
		t.Errorf("got %s, want %s", got.Status, payments.CheckoutPending)
	}
}

// TestHandleNotice_TableFails checks that the error reaches the sender of the notice, who then repeats it, and that the
// other hints are resolved. The error counts as the platform's, even if the acquirer does not answer for a hint.
func TestHandleNotice_TableFails(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	unanswered, _ := o.payAtBank(t)
	lost, session := o.payAtBank(t)
	o.decide(t, session, sandbox.Pay)
	paid, session := o.payAtBank(t)
	o.decide(t, session, sandbox.Pay)
	header, body, err := o.sandbox().NewNotice(hintOf(unanswered), hintOf(lost), hintOf(paid))
	if err != nil {
		t.Fatal(err)
	}
	o.Acquirers[identity.Test] = silentAbout{o.Acquirers[identity.Test], unanswered.Attempt.ID}
	o.network = func(r *http.Request) (*http.Response, error) {
		if call, err := sdkcall.Body(r); err != nil || bytes.Contains(call, []byte(lost.ID)) {
			return nil, faults.ErrNetwork
		}
		return enginetest.Do(r)
	}
	if err := o.HandleNotice(t.Context(), identity.Test, header, body); !errors.Is(err, faults.ErrNetwork) ||
		failure.Of(err).Kind != failure.KindInternal {
		t.Errorf("got %v, want %v, an internal failure", err, faults.ErrNetwork)
	}
	o.network = nil
	a, b := o.read(t, lost).Status, o.read(t, paid).Status
	if a != payments.CheckoutPending || b != payments.CheckoutPaid {
		t.Errorf("got %s and %s, want PENDING and PAID", a, b)
	}
	if err := o.HandleNotice(t.Context(), identity.Test, header, body); failure.Of(err).Kind != failure.KindUpstream {
		t.Errorf("the table works again: got %v, want an upstream failure", err)
	}
	if got := o.read(t, lost).Status; got != payments.CheckoutPaid {
		t.Errorf("the table works again: got %s, want PAID", got)
	}
}

// silentAbout is an acquirer that does not answer for one charge.
type silentAbout struct {
	acquirer.Acquirer
	charge string
}

func (s silentAbout) LookUp(ctx context.Context, id string) (payments.Outcome, error) {
	if id == s.charge {
		return payments.Outcome{}, faults.ErrNetwork
	}
	return s.Acquirer.LookUp(ctx, id)
}
