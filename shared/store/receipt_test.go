package store_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/store"
)

const receiptCode = "T000000001"

func numberReceipt(t *testing.T, s *store.Store, of identity.Tenant, id string) int64 {
	t.Helper()
	n, err := s.NumberReceipt(t.Context(), of, receiptCode, id)
	if err != nil {
		t.Fatalf("%s: got error %v, want a number", id, err)
	}
	return n
}

func TestNumberReceipt_PerMerchantAndMode(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	live := identity.Tenant{Mode: identity.Live, Merchant: tenant.Merchant}
	other := identity.Tenant{Mode: identity.Test, Merchant: "MC00000000"}
	for _, c := range []struct {
		of   identity.Tenant
		id   string
		want int64
	}{
		{tenant, "a", 1}, {tenant, "b", 2}, {tenant, "a", 1}, {live, "a", 1}, {other, "a", 1}, {tenant, "c", 3},
		{live, "b", 2}, {tenant, "b", 2},
	} {
		if got := numberReceipt(t, s, c.of, c.id); got != c.want {
			t.Errorf("%s %s: got number %d, want %d", c.of, c.id, got, c.want)
		}
	}
}

// TestNumberReceipt_Concurrently checks that a receipt has one number for all concurrent callers, and that different
// receipts have different numbers without a gap.
func TestNumberReceipt_Concurrently(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	const receipts, readers = 25, 4
	got := make([]int64, receipts*readers)
	errs := make([]error, len(got))
	var all sync.WaitGroup
	for i := range got {
		all.Go(func() { got[i], errs[i] = s.NumberReceipt(t.Context(), tenant, receiptCode, fmt.Sprint(i%receipts)) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for i, n := range got {
		if n != got[i%receipts] {
			t.Errorf("receipt %d: got number %d, want %d", i%receipts, n, got[i%receipts])
		}
	}
	ofEach := slices.Sorted(slices.Values(got[:receipts]))
	for i, n := range ofEach {
		if n != int64(i+1) {
			t.Fatalf("got numbers %v, want 1 to %d, each once", ofEach, receipts)
		}
	}
}

func TestNumberReceipt_LostReply(t *testing.T) {
	t.Parallel()
	const tries = 3 // of the SDK
	wire := &faults.Wire{Send: enginetest.Do}
	s := openTable(t, clock.New(), wire)
	want := int64(0)
	for _, c := range []struct {
		name, operation string
		lost            int
		fault           faults.Fault
		fails           bool // the call must be repeated
	}{
		{name: "nothing"},
		{name: "one reply", operation: "TransactWriteItems", lost: 1, fault: faults.LoseReply},
		{name: "every reply", operation: "TransactWriteItems", lost: tries, fault: faults.LoseReply},
		{name: "one request", operation: "TransactWriteItems", lost: 1, fault: faults.FailBefore},
		{name: "every request", operation: "TransactWriteItems", lost: tries, fault: faults.FailBefore,
			fails: true},
		{name: "one read", operation: "GetItem", lost: 1, fault: faults.FailBefore},
		{name: "every read", operation: "GetItem", lost: tries, fault: faults.FailBefore,
			fails: true},
	} {
		want++
		wire.Inject(faults.Times(c.lost, c.operation, c.fault))
		got, err := s.NumberReceipt(t.Context(), tenant, receiptCode, c.name)
		if (err != nil) != c.fails || (!c.fails && got != want) {
			t.Errorf("%s lost: got number %d, %v, want %d, an error %t", c.name, got, err, want, c.fails)
		}
		wire.Inject(nil)
		if got := numberReceipt(t, s, tenant, c.name); got != want {
			t.Errorf("%s lost, later: got number %d, want %d", c.name, got, want)
		}
	}
}
