package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

var storedReaderCheckouts = map[string]stored{
	"CreateReaderCheckout": {
		sets: "Version is 1; the reader has its id, and the next Version",
		write: func(w fixture) []storedtest.Read {
			c, reads := w.storeCheckoutAtReader()
			due := store.Due{Tenant: w.tenant, CheckoutID: c.ID}
			return append(reads, w.anyCheckout(c), w.dueItems(due), w.fastPath(map[store.Due]time.Time{due: c.PollAt()}))
		},
		unseen: storedtest.NotRead{"CHECKOUT write_id": "a creation recognises itself by its id", "READER write_id": notRead},
	},
	"Apply, at a reader": {
		sets: "Checkout.Version is the next",
		write: func(w fixture) []storedtest.Read {
			c, reads := w.storeCheckoutAtReader()
			tx := storedtest.Fill(w, w.Filler, func(tx *payments.Transaction) { tx.Shard = shard })
			tx = tx.Restored(w.tenant.Merchant, payments.CodeOfID(tx.ID), tx.ID)
			got, err := w.Apply(w.Context(), w.tenant, payments.CheckoutChange{Checkout: c, Transaction: &tx})
			c.Version = 2
			wantAnswer(w, c, got, err)
			due := store.Due{Tenant: w.tenant, CheckoutID: c.ID}
			return append(append(reads, w.transaction(store.Record{Transaction: tx})...), w.anyCheckout(c), w.dueItems(due),
				w.fastPath(map[store.Due]time.Time{due: c.PollAt()}),
				w.reconciled(store.ReconciledItem{Name: tx.Code, Transaction: &tx}))
		},
		unseen: storedtest.NotRead{"CHECKOUT write_id": notRead, "READER write_id": notRead, "TRANSACTION write_id": notRead},
	},
}

// storeCheckoutAtReader stores a checkout at a reader with all its fields, and returns it with the expected reads.
func (w fixture) storeCheckoutAtReader() (payments.Checkout, []storedtest.Read) {
	w.Helper()
	r, c := w.storeReader(w.reader()), w.fillCheckoutAtReader()
	got, err := w.CreateReaderCheckout(w.Context(), w.tenant, r, c)
	c.Version = 1
	wantAnswer(w, c, got, err)
	r.Checkout, r.Version = c.ID, 2
	return c, append(w.readers(r), w.audited(w.tenant.Merchant), w.newReaders(1))
}

func (w fixture) anyCheckout(want payments.Checkout) storedtest.Read {
	return storedtest.Expect("AnyCheckout", want, func(ctx context.Context) (payments.Checkout, error) {
		return w.AnyCheckout(ctx, w.tenant, want.ID)
	})
}

// TestCheckout_AtReader checks that the operations on online checkouts do not find a checkout at a reader.
func TestCheckout_AtReader(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	c := draft("")
	c.Reader = &payments.ReaderSale{ReaderID: "rdr_1", Serial: "VS1"}
	r, err := createReader(t.Context(), s, "rdr_1", "VS1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = s.CreateReaderCheckout(t.Context(), tenant, r, c); err != nil {
		t.Fatal(err)
	}
	if _, err = s.AnyCheckout(t.Context(), tenant, c.ID); err != nil {
		t.Errorf("AnyCheckout: got %v, want it", err)
	}
	if got, err := s.Checkout(t.Context(), tenant, c.ID); !failure.Is(err, failure.KindNotFound) {
		t.Errorf("Checkout: got %+v, %v, want not found", got, err)
	}
	if got, _, err := s.CheckoutWithInstrument(t.Context(), tenant, c.ID, "ada", "none"); !failure.Is(err,
		failure.KindNotFound) {
		t.Errorf("CheckoutWithInstrument: got %+v, %v, want not found", got, err)
	}
	if got, err := collect(s.Checkouts(t.Context(), tenant, 1)); err != nil || len(got) != 0 {
		t.Errorf("Checkouts: got %+v, %v, want none", got, err)
	}
	if got, err := s.CheckoutsByReference(t.Context(), tenant, ""); err != nil || len(got) != 0 {
		t.Errorf("CheckoutsByReference: got %+v, %v, want none", got, err)
	}
}
