package reconcile_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// TestRun_RefundReplacesAnother ends a refund and begins another of the same amount. It does so at each reading of the
// reserve, after the pending refunds were listed. So all readings are equal, but none is from one moment.
func TestRun_RefundReplacesAnother(t *testing.T) {
	t.Parallel()
	h := newHistory(t, 1)
	sold := h.payLive("20")
	one := money.MustParse("1", "EUR")
	var open []payments.Event
	begin := func() {
		h.n++
		change, err := h.read(sold).BeginRefund(fmt.Sprint(h.n), &one, true, h.clock.Now())
		h.must(err)
		before, err := h.store.Reserve(h.Context(), sold.tenant, "EUR")
		h.must(err)
		h.must(h.store.ApplyTransaction(h.Context(), sold.tenant, change, &before))
		open = append(open, change.Events[0])
	}
	replace := func() {
		r := h.read(sold)
		e, _ := r.Refund(open[0].ID)
		change, _ := r.SettleRefund(e, payments.Outcome{Decision: payments.Approved}, h.clock.Now())
		h.move(sold, acquirer.RefundMovement, e.ID, e.Amount)
		h.must(h.store.ApplyTransaction(h.Context(), sold.tenant, change, nil))
		open = open[1:]
		begin()
	}
	begin()
	var scans sync.Mutex
	readings, listed := 0, false
	h.before = func(r *http.Request) {
		switch operation := r.Header.Get("X-Amz-Target"); {
		case strings.HasSuffix(operation, ".Scan"):
			scans.Lock()
			defer scans.Unlock()
			begin() // the first pass then reads the reserve and the refunds at different moments
		case strings.HasSuffix(operation, ".Query") && strings.Contains(bodyOf(t, r), "DUE#"):
			listed = true // the pending refunds were listed for the reading that follows
		case strings.HasSuffix(operation, ".GetItem") && strings.Contains(bodyOf(t, r), "RESERVE#") && listed:
			listed = false
			replace()
			readings++
		}
	}
	if r := h.reconcile(); r.Found != 0 || readings < 2 {
		t.Errorf("got %+v after %d readings, want no breaks after some", r.Breaks, readings)
	}
}

// payLive makes a payment by card in live mode.
func (h *history) payLive(amount string) paid {
	h.Helper()
	p := paid{tenant: identity.Tenant{Mode: identity.Live, Merchant: "MC1"}, id: h.nextUUID()}
	c, err := h.store.CreateCheckout(h.Context(), p.tenant, payments.Checkout{ID: h.nextUUID(), Reference: "sale",
		Amount: money.MustParse(amount, "EUR"), Status: payments.CheckoutPending, CreatedAt: h.clock.Now(),
		Payee: payments.Payee{Code: p.tenant.Merchant, FeeRate: "0.0195"}})
	h.must(err)
	c, err = c.Begin(payments.Attempt{ID: p.id, Method: payments.CardMethod, Installments: 1},
		payments.Source{}, h.clock.Now())
	h.must(err)
	h.move(p, acquirer.CaptureMovement, p.id, c.Amount)
	change, _ := c.Settle(p.id, payments.Outcome{Decision: payments.Approved}, "msg", payments.Session{}, h.clock.Now())
	p.checkout, err = h.store.Apply(h.Context(), p.tenant, change)
	h.must(err)
	return p
}

// bodyOf reads the request's body and puts it back.
func bodyOf(t *testing.T, r *http.Request) string {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return string(body)
}
