package store_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Contract §6.1: of several matches the SUCCESSFUL, else the newest.
func TestWhichOfSeveralTransactionsIsMeant(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	record := func(id string, status payments.TransactionStatus, second int) store.Record {
		return store.Record{Transaction: payments.Transaction{CheckoutTransaction: payments.CheckoutTransaction{
			ID: id, Status: status, CreatedAt: start.Add(time.Duration(second) * time.Second)}}}
	}
	old, paid := record("old", payments.TransactionFailed, 0), record("paid", payments.Successful, 1)
	newer, newest := record("newer", payments.TransactionCanceled, 2), record("newest", payments.TransactionPending, 3)
	for _, c := range []struct {
		of   []store.Record
		want string
	}{
		{[]store.Record{old}, "old"}, {[]store.Record{old, newest, newer}, "newest"}, {[]store.Record{newest, old}, "newest"},
		{[]store.Record{old, paid, newest}, "paid"}, {[]store.Record{paid, newer}, "paid"}, {[]store.Record{newer, paid}, "paid"},
	} {
		if got := store.Preferred(c.of); got.ID != c.want {
			t.Errorf("got %s, want %s", got.ID, c.want)
		}
	}
}
