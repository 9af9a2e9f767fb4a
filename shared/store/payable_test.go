package store_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// wantOwed checks that the waiting payables sum to exactly the amount.
func wantOwed(t *testing.T, s *store.Store, amount string) {
	t.Helper()
	exact := eur(amount)
	above, err := exact.Add(eur("0.01"))
	if err != nil {
		t.Fatal(err)
	}
	for atLeast, want := range map[money.Amount]bool{exact: true, above: false} {
		if got, err := s.BalanceAtLeast(t.Context(), tenant, 1, atLeast); err != nil || got != want {
			t.Errorf("balance at least %s: got %t, %v; want exactly %s", atLeast, got, err, exact)
		}
	}
}

func TestBalanceAtLeast_Debits(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	wantOwed(t, s, "0")
	tx := pay(t, s, tenant, "order-1", "attempt-1")
	pay(t, s, tenant, "order-2", "attempt-2")
	wantOwed(t, s, "19.80")
	// The refund is 0.20 above the rest of its own parts. That excess is a debit.
	apply(t, s, beginRefund(t, tx, "operation", "10.10", false))
	apply(t, s, decide(t, readTx(t, s, tx.ID), tx.RefundID("operation"), payments.Approved, start.Add(2*time.Hour)))
	wantOwed(t, s, "9.70")
	if covered, err := s.BalanceAtLeast(t.Context(), tenant, 1, eur("-1000")); err != nil || !covered {
		t.Errorf("a minimum far below: got %t, %v, want true", covered, err)
	}
	if covered, err := s.BalanceAtLeast(t.Context(), tenant, 1, money.MustParse("1", "USD")); err != nil || covered {
		t.Errorf("another currency: got %t, %v, want false", covered, err)
	}
}

// TestBalanceAtLeast_ReadsAsNeeded checks that all debits are read first, then credits until they suffice.
func TestBalanceAtLeast_ReadsAsNeeded(t *testing.T) {
	t.Parallel()
	pages := map[string]bool{} // the requests for pages, each counted once: under load the SDK repeats some
	wire := &faults.Wire{Send: func(r *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".Query") {
			pages[string(body)] = true
		}
		return enginetest.Do(r)
	}}
	s := openTable(t, clock.New(), wire)
	_, table := s.Raw()
	padding := strings.Repeat("x", 300_000) // a page holds three and a half payables
	put := func(sk, amount string) {
		t.Helper()
		payable := map[string]any{"pk": "PAYABLE#" + tenant.String() + "#EUR", "sk": sk, "amount": eur(amount),
			"padding": padding}
		if err := table.Put(payable).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 12 {
		put(fmt.Sprintf("CREDIT#%016d#payable", i), "1")
	}
	put("DEBIT#9999999999999999#payable", "-2") // counts although it comes last by time
	for _, test := range []struct {
		atLeast string
		want    bool
		pages   int
	}{
		{"-1000", true, 1}, {"-2", true, 1}, {"0.01", true, 2}, {"1", true, 2}, {"3", true, 3},
		{"10", true, 5}, {"10.01", false, 5},
	} {
		clear(pages)
		covered, err := s.BalanceAtLeast(t.Context(), tenant, 1, eur(test.atLeast))
		if err != nil || covered != test.want || len(pages) > test.pages {
			t.Errorf("at least %s: got %t, %v, after %d pages; want %t after at most %d",
				test.atLeast, covered, err, len(pages), test.want, test.pages)
		}
	}
}
