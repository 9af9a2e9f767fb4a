package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// payIn makes a payment whose checkout is in the shard.
func payIn(t *testing.T, s *store.Store, shard int, name string) payments.Transaction {
	t.Helper()
	d := draft(name)
	d.Shard = shard
	return payFor(t, s, tenant, d, "attempt of "+name)
}

// TestCheckouts_AllShards lists all shards, newest first, up to the limit. A list of fewer shards has fewer checkouts.
func TestCheckouts_AllShards(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	const shards, many = 4, 1010
	var want []string
	for i := range many {
		d := draft(fmt.Sprint("order-", i))
		d.Shard, d.CreatedAt = i%7%shards, start.Add(time.Duration(i)*time.Second)
		c, err := s.CreateCheckout(t.Context(), tenant, d)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, c.ID)
	}
	slices.Reverse(want)
	got, err := collect(s.Checkouts(t.Context(), tenant, shards))
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{}
	for _, c := range got {
		ids = append(ids, c.ID)
	}
	if !slices.Equal(ids, want[:1000]) {
		t.Errorf("got %d checkouts, from %s to %s, want the newest 1000 of %d, newest first", len(ids), ids[0],
			ids[len(ids)-1], many)
	}
	if fewer, err := collect(s.Checkouts(t.Context(), tenant, 2)); err != nil || len(fewer) >= many*5/7 {
		t.Errorf("two shards: got %d (%v), want theirs alone", len(fewer), err)
	}
}

// TestPayables_CreditsFirst checks that the credits of all shards come before any debit, from any first shard. So no
// payout's total becomes negative while there are credits.
func TestPayables_CreditsFirst(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	const shards = 4
	for shard := range shards {
		tx := payIn(t, s, shard, fmt.Sprint("order-", shard))
		apply(t, s, beginRefund(t, tx, "operation", "10.10", false)) // more than the payables: the rest is a debit
		apply(t, s, decide(t, readTx(t, s, tx.ID), tx.RefundID("operation"), payments.Approved, start.Add(2*time.Hour)))
		payIn(t, s, shard, fmt.Sprint("another-", shard))
	}
	for begin := range 2 * shards {
		found, err := s.Payables(t.Context(), tenant, shards, begin, "EUR", later, 100)
		debits := slices.IndexFunc(found, func(u payments.Payable) bool { return u.Kind != payments.PayablePart })
		if err != nil || len(found) != shards*5 || debits != shards*4 {
			t.Errorf("from %d: got %d payables, the first debit at %d (%v), want %d, the first debit at %d", begin,
				len(found), debits, err, shards*5, shards*4)
		}
		if few, err := s.Payables(t.Context(), tenant, shards, begin, "EUR", later, 3); err != nil || len(few) != 3 {
			t.Errorf("from %d: got %d (%v), want 3", begin, len(few), err)
		}
	}
	wantBalance := map[string]bool{"38.80": true, "38.81": false} // 4 × (9.90 - 0.20)
	for atLeast, want := range wantBalance {
		if got, err := s.BalanceAtLeast(t.Context(), tenant, shards, eur(atLeast)); err != nil || got != want {
			t.Errorf("balance at least %s: got %t, %v, want %t", atLeast, got, err, want)
		}
	}
}

// TestHasPayables_LaterShard checks that the only payable is found although it is in the last shard.
func TestHasPayables_LaterShard(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	payIn(t, s, 3, "order")
	for shards, want := range map[int]bool{1: false, 2: false, 4: true} {
		if got, err := s.HasPayables(t.Context(), tenant, shards, "EUR", later); err != nil || got != want {
			t.Errorf("%d shards: got %t, %v, want %t", shards, got, err, want)
		}
	}
	for _, u := range readPayablesIn(t, s, 4) {
		if exists, err := s.PayableExists(t.Context(), tenant, u); err != nil || !exists {
			t.Errorf("%s: got %t, %v, want that it exists", u.ID, exists, err)
		}
	}
}

func readPayablesIn(t *testing.T, s *store.Store, shards int) []payments.Payable {
	t.Helper()
	found, err := s.Payables(t.Context(), tenant, shards, 0, "EUR", later, 100)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestPayables_BeginsAtShard checks that a step takes one query while the shard where it begins has payables.
func TestPayables_BeginsAtShard(t *testing.T) {
	t.Parallel()
	wire := &faults.Wire{Send: enginetest.Do}
	s := openTable(t, clock.New(), wire)
	const shards = 4
	for shard := range shards {
		payIn(t, s, shard, fmt.Sprint("order-", shard))
	}
	for begin := range shards {
		before := wire.Calls("Query")
		found, err := s.Payables(t.Context(), tenant, shards, begin, "EUR", later, 2)
		if queries := wire.Calls("Query") - before; err != nil || len(found) != 2 || queries != 1 {
			t.Errorf("step %d: got %d payables after %d queries (%v), want 2 after one", begin, len(found), queries, err)
		}
	}
}

// TestHistory_ReadsLittleAhead checks that a walk of as many items as most walks need makes at most two queries of each
// shard.
func TestHistory_ReadsLittleAhead(t *testing.T) {
	t.Parallel()
	wire := &faults.Wire{Send: enginetest.Do}
	w := shopFixture{t, openTable(t, clock.New(), wire), 4}
	for i := range 40 {
		w.sale(start.Add(time.Duration(i)*time.Second), "Tea")
	}
	before := wire.Calls("Query")
	got := ids(t, w.History(t.Context(), tenant, w.shards, store.Range{NewestFirst: true}, 11, 11))
	if queries := wire.Calls("Query") - before; len(got) != 11 || queries > 2*w.shards {
		t.Errorf("got %d items after %d queries, want 11 after at most two of each shard", len(got), queries)
	}
}
