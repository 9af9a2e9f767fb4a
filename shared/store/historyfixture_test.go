package store_test

import (
	"cmp"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// shopFixture writes transactions, each with a separate checkout.
type shopFixture struct {
	*testing.T
	*store.Store
	shards int // of the merchant
}

func (w shopFixture) sale(at time.Time, summary string) payments.Transaction {
	w.Helper()
	d := draft(uuid.NewString())
	d.Shard = merchant.Merchant{Shards: w.shards}.ShardOf(d.ID)
	checkout, err := w.CreateCheckout(w.Context(), tenant, d)
	if err != nil {
		w.Fatal(err)
	}
	id, none := uuid.NewString(), money.Zero("EUR")
	tx := payments.Transaction{CheckoutTransaction: payments.CheckoutTransaction{ID: id, Code: payments.CodeOfID(id),
		Amount: checkout.Amount, Status: payments.TransactionSuccessful, PaymentType: "ECOM",
		EntryMode: "CUSTOMER_ENTRY", Installments: 1,
		CreatedAt: at}, CheckoutID: checkout.ID, Shard: checkout.Shard,
		ProductSummary: summary, Username: "till@shop.example", Card: &payments.CardSummary{Brand: "VISA", LastFour: "0091"},
		Captured: checkout.Amount, Refundable: checkout.Amount, Refunded: none, ChargedBack: none, Fee: none,
		PayoutPlan: merchant.SinglePayment, UpdatedAt: at, Version: 1}
	tx = tx.Restored(tenant.Merchant, tx.Code, id)
	if _, err := w.Apply(w.Context(), tenant, payments.CheckoutChange{Checkout: checkout, Transaction: &tx}); err != nil {
		w.Fatal(err)
	}
	return tx
}

// refund writes an event of the transaction in the status.
func (w shopFixture) refund(tx *payments.Transaction, cause string, status payments.EventStatus,
	at time.Time) payments.Event {
	w.Helper()
	e := payments.Event{ID: tx.RefundID(cause), TransactionID: tx.ID, Code: tx.Code,
		Type: payments.RefundEvent, Status: status,
		Amount: money.MustParse("1", "EUR"), CreatedAt: at, UpdatedAt: at,
		TransactionSummary: tx.HistoryItem().TransactionSummary}
	w.write(tx, e)
	return e
}

func (w shopFixture) write(tx *payments.Transaction, events ...payments.Event) {
	w.Helper()
	if err := w.ApplyTransaction(w.Context(), tenant, payments.TransactionChange{
		Transaction: *tx, Events: events}, nil); err != nil {
		w.Fatal(err)
	}
	tx.Version++
}

// ids returns the ids of a walk through the index.
func ids(t testing.TB, walk iter.Seq2[store.HistoryEntry, error]) []string {
	t.Helper()
	found := []string{}
	for _, entry := range mustCollect(t, walk) {
		found = append(found, entry.ID)
	}
	return found
}

// idsOf returns the ids of a walk through items.
func idsOf(t testing.TB, walk iter.Seq2[payments.HistoryItem, error]) []string {
	t.Helper()
	found := []string{}
	for _, item := range mustCollect(t, walk) {
		found = append(found, item.ID)
	}
	return found
}

func mustCollect[T any](t testing.TB, walk iter.Seq2[T, error]) []T {
	t.Helper()
	found, err := collect(walk)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// oldestFirst compares items in the order of the history.
func oldestFirst(a, b store.Bound) int {
	return cmp.Or(a.At.Compare(b.At), strings.Compare(a.ID, b.ID))
}

// inRange is the model of a range, from the words of contract §6.2.
func inRange(r store.Range, item store.Bound) bool {
	keeps := func(b *store.Bound, sign int) bool {
		if b == nil {
			return true
		}
		order := sign * item.At.Compare(b.At)
		if b.ID != "" {
			order = sign * oldestFirst(item, *b)
		}
		return order > 0 || (order == 0 && b.Inclusive)
	}
	return keeps(r.Oldest, 1) && keeps(r.Newest, -1)
}

func drawBound(t *rapid.T, label string, items []store.Bound) *store.Bound {
	inclusive := rapid.Bool().Draw(t, label+" inclusive")
	switch rapid.SampledFrom([]string{"none", "time", "place"}).Draw(t, label) {
	case "time":
		at := start.Add(time.Duration(rapid.IntRange(-2, 12).Draw(t, label+" half ms")) * 500 * time.Microsecond)
		at = at.Add(time.Duration(rapid.SampledFrom([]int{-1, 0, 0, 1, 999}).Draw(t, label+" ns")))
		return &store.Bound{At: at, Inclusive: inclusive}
	case "place":
		place := rapid.SampledFrom(items).Draw(t, label+" place")
		place.Inclusive = inclusive
		return &place
	default:
		return nil
	}
}
