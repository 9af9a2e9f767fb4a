package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/outbox"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

var storedTransactions = map[string]stored{
	"Apply": {
		sets: "Checkout.Version is the next; Session.TokenHash is the key; a card that is known already keeps its CreatedAt",
		write: func(w fixture) []storedtest.Read {
			change := w.prepareChange()
			got, err := w.Apply(w.Context(), w.tenant, change)
			change.Checkout.Version++
			wantAnswer(w, change.Checkout, got, err)
			return w.applied(change)
		},
		unseen: storedtest.NotRead{"CHECKOUT write_id": notRead, "TRANSACTION write_id": notRead},
	},
	"ApplyTransaction": {
		sets: "Transaction.Version is the next; ReserveDelta is added to the reserve",
		write: func(w fixture) []storedtest.Read {
			before := w.prepareChange()
			before.Instrument, before.Session, before.Callback = nil, nil, nil
			_, err := w.Apply(w.Context(), w.tenant, before)
			w.must(err)
			change := w.prepareTransactionChange(before)
			w.must(w.ApplyTransaction(w.Context(), w.tenant, change, &store.Reserve{}))
			change.Transaction.Version++
			before.Checkout.Version++
			return w.transactionApplied(before, change)
		},
		unseen: storedtest.NotRead{"CHECKOUT write_id": notRead, "TRANSACTION write_id": notRead},
	},
}

// prepareChange stores a checkout and the customer of its card, and returns a change of the checkout with all parts.
func (w fixture) prepareChange() payments.CheckoutChange {
	w.Helper()
	c := w.storeDraft()
	change := storedtest.Fill(w, w.Filler, func(change *payments.CheckoutChange) {
		tx := change.Transaction
		tx.ForeignID, tx.Shard = c.Reference, shard
		*tx = tx.Restored(w.tenant.Merchant, payments.CodeOfID(tx.ID), tx.ID)
		sale := change.Checkout.Reader
		change.Checkout = c
		change.Checkout.Reader = sale
		change.Checkout.Transactions = change.Checkout.Transactions[:1]
		change.Checkout.Transactions[0].ID = tx.ID
		change.Checkout = change.Checkout.Restored(c.ID, w.tenant.Merchant)
		change.Callback.State = outbox.Pending
		change.Entry.About = ledger.OfTransaction(tx.ID)
		for i := range change.Payables {
			change.Payables[i].TransactionID, change.Payables[i].Code, change.Payables[i].Shard = tx.ID, tx.Code, shard
		}
		change.Payables[0].Kind = payments.PayablePart
	})
	change.Checkout.Reader, change.Transaction.Reader = nil, "" // online
	return change
}

// applied expects the change from each read.
func (w fixture) applied(change payments.CheckoutChange) []storedtest.Read {
	c, i, tx := change.Checkout, *change.Instrument, *change.Transaction
	customer := storedtest.Fill(w, w.Filler, func(c *payments.Customer) { c.ID, c.Version = i.CustomerID, 1 })
	_, err := w.CreateCustomer(w.Context(), w.tenant, customer, "operation")
	w.must(err)
	session := *change.Session
	session.TokenHash = ""
	type withInstrument struct {
		Checkout   payments.Checkout
		Instrument *payments.Instrument
	}
	type ofTenant[T any] struct {
		Tenant identity.Tenant
		Value  T
	}
	return append(w.transaction(store.Record{Transaction: tx}),
		storedtest.Expect("Checkout", c, func(ctx context.Context) (payments.Checkout, error) {
			return w.Checkout(ctx, w.tenant, c.ID)
		}),
		storedtest.Expect("Checkouts", []payments.Checkout{c}, func(ctx context.Context) ([]payments.Checkout, error) {
			return collect(w.Checkouts(ctx, w.tenant, allShards))
		}),
		storedtest.Expect("CheckoutWithInstrument", withInstrument{c, &i}, func(ctx context.Context) (withInstrument, error) {
			checkout, instrument, err := w.CheckoutWithInstrument(ctx, w.tenant, c.ID, i.CustomerID, i.Token)
			return withInstrument{checkout, instrument}, err
		}),
		storedtest.Expect("Instrument", i, func(ctx context.Context) (payments.Instrument, error) {
			return w.Instrument(ctx, w.tenant, i.CustomerID, i.Token)
		}),
		storedtest.Expect("Instruments", []payments.Instrument{i}, func(ctx context.Context) ([]payments.Instrument, error) {
			return w.Instruments(ctx, w.tenant, i.CustomerID)
		}),
		w.customer(customer),
		storedtest.Expect("Session", ofTenant[payments.Session]{w.tenant, session},
			func(ctx context.Context) (ofTenant[payments.Session], error) {
				of, found, err := w.Session(ctx, change.Session.TokenHash)
				return ofTenant[payments.Session]{of, found}, err
			}),
		w.callback(*change.Callback),
		w.expiries(session.ExpiresAt),
		w.dueItems(store.Due{Tenant: w.tenant, CheckoutID: c.ID}, store.Due{CallbackID: change.Callback.ID}),
		w.entries(ledger.OfTransaction(tx.ID), *change.Entry),
		w.payables(change.Payables...),
		w.reconciled(store.ReconciledItem{Name: tx.Code, Transaction: &tx},
			store.ReconciledItem{Name: tx.Code, Entry: change.Entry},
			store.ReconciledItem{Name: "EUR#1", Payable: &change.Payables[0]},
			store.ReconciledItem{Name: "EUR#1", Payable: &change.Payables[1]}),
	)
}

// prepareTransactionChange returns a change of the transaction that before has stored.
func (w fixture) prepareTransactionChange(before payments.CheckoutChange) payments.TransactionChange {
	old := before.Transaction
	return storedtest.Fill(w, w.Filler, func(change *payments.TransactionChange) {
		tx := &change.Transaction
		tx.Version, tx.CreatedAt = old.Version, old.CreatedAt
		*tx = tx.Restored(w.tenant.Merchant, old.Code, old.ID)
		tx.ForeignID, tx.CheckoutID, tx.Shard = old.ForeignID, old.CheckoutID, old.Shard
		change.Callback.State = outbox.Pending
		change.Entry.About = ledger.OfTransaction(tx.ID)
		change.Events = append(change.Events, storedtest.Fill[payments.Event](w, w.Filler))
		for i := range change.Events {
			e := &change.Events[i]
			e.ID, e.TransactionID, e.Code, e.Type = tx.RefundID(e.ID), tx.ID, tx.Code, payments.RefundEvent
			e.Shard = shard
		}
		change.Events[0].Status = payments.EventPending
		change.Events[1].Status = payments.EventBegun // hidden from clients
		credit := before.Payables[0]
		change.Payables[0].ID, change.Payables[0].EligibleAt = credit.ID, credit.EligibleAt
		change.Payables[0].Kind, change.Payables[1].Kind = payments.PayablePart, payments.PayableRefundDeduction
		for i := range change.Payables {
			change.Payables[i].TransactionID, change.Payables[i].Code, change.Payables[i].Shard = tx.ID, tx.Code, shard
		}
		change.Payables[1].ID = change.Events[2].ID
	})
}

// transactionApplied expects, from each read, the change that followed before.
func (w fixture) transactionApplied(before payments.CheckoutChange,
	change payments.TransactionChange) []storedtest.Read {
	tx, hidden := change.Transaction, change.Events[1]
	visible := []payments.Event{change.Events[0], change.Events[2]}
	payables := []payments.Payable{change.Payables[0], before.Payables[1], change.Payables[1]}
	found := []store.ReconciledItem{{Name: tx.Code, Transaction: &tx}, {Name: tx.Code, Entry: before.Entry},
		{Name: tx.Code, Entry: change.Entry}, {Name: "EUR", Reserve: &store.Reserve{Amount: change.ReserveDelta, Version: 1}}}
	for i := range payables {
		found = append(found, store.ReconciledItem{Name: "EUR#1", Payable: &payables[i]})
	}
	for _, e := range sortEvents(change.Events) {
		found = append(found, store.ReconciledItem{Name: tx.Code, Event: &e})
	}
	due := func(e payments.Event) store.Due { return store.Due{Tenant: w.tenant, RefundID: e.ID} }
	checkout := store.Due{Tenant: w.tenant, CheckoutID: before.Checkout.ID}
	return append(w.transaction(store.Record{Transaction: tx, Events: visible}),
		storedtest.Expect("the hidden refund", hidden, func(ctx context.Context) (payments.Event, error) {
			r, err := w.Transaction(ctx, w.tenant, tx.ID)
			e, _ := r.Refund(hidden.ID)
			return e, err
		}),
		storedtest.Expect("DeductionsOf", map[string]payments.Event{visible[1].ID: visible[1]},
			func(ctx context.Context) (map[string]payments.Event, error) {
				return w.DeductionsOf(ctx, w.tenant, change.Payables)
			}),
		storedtest.Expect("Reserve", store.Reserve{Amount: change.ReserveDelta, Version: 1},
			func(ctx context.Context) (store.Reserve, error) { return w.Reserve(ctx, w.tenant, "EUR") }),
		storedtest.Expect("Checkout", before.Checkout, func(ctx context.Context) (payments.Checkout, error) {
			return w.Checkout(ctx, w.tenant, before.Checkout.ID)
		}),
		storedtest.Expect("Checkouts", []payments.Checkout{before.Checkout},
			func(ctx context.Context) ([]payments.Checkout, error) {
				return collect(w.Checkouts(ctx, w.tenant, allShards))
			}),
		w.callback(*change.Callback),
		w.dueItems(checkout, store.Due{CallbackID: change.Callback.ID}, due(visible[0]), due(hidden)),
		w.fastPath(map[store.Due]time.Time{checkout: before.Checkout.PollAt(), due(visible[0]): visible[0].PollAt(),
			due(hidden): hidden.PollAt()}),
		w.entries(ledger.OfTransaction(tx.ID), *before.Entry, *change.Entry),
		w.payables(payables...),
		w.reconciled(found...),
	)
}

// transaction expects the only transaction from each read.
func (w fixture) transaction(r store.Record) []storedtest.Read {
	history := []payments.HistoryItem{r.HistoryItem()}
	for _, e := range r.Events {
		history = append(history, e.HistoryItem())
	}
	record := func(name string, get func(context.Context) (store.Record, error)) storedtest.Read {
		return storedtest.Expect(name, r, func(ctx context.Context) (store.Record, error) {
			found, err := get(ctx)
			return store.Record{Transaction: found.Transaction, Events: found.Events}, err
		})
	}
	answers := []storedtest.Read{
		record("Transaction", func(ctx context.Context) (store.Record, error) {
			return w.Transaction(ctx, w.tenant, r.ID)
		}),
		record("FindTransaction", func(ctx context.Context) (store.Record, error) {
			return w.FindTransaction(ctx, w.tenant, r.Code)
		}),
		record("TransactionByForeignID", func(ctx context.Context) (store.Record, error) {
			return w.TransactionByForeignID(ctx, w.tenant, r.ForeignID)
		}),
		storedtest.Expect("TransactionsOf", map[string]payments.Transaction{r.ID: r.Transaction},
			func(ctx context.Context) (map[string]payments.Transaction, error) {
				return w.TransactionsOf(ctx, w.tenant,
					[]payments.Payable{{Kind: payments.PayablePart, Code: r.Code, TransactionID: r.ID}})
			}),
		storedtest.Expect("History", history, func(ctx context.Context) ([]payments.HistoryItem, error) {
			return w.history(ctx)
		}),
		storedtest.Expect("HistoryOf", history, func(ctx context.Context) ([]payments.HistoryItem, error) {
			return collect(w.HistoryOf(ctx, w.tenant, r.Code, store.Range{}))
		}),
	}
	for _, item := range history {
		answers = append(answers, storedtest.Expect("HistoryPlace of "+item.ID, store.Bound{At: item.CreatedAt, ID: item.ID},
			func(ctx context.Context) (store.Bound, error) {
				return w.HistoryPlace(ctx, w.tenant, item.ID, seesAll)
			}))
	}
	return answers
}

// history returns a page of the history, if the index has the attributes of each item that filters read.
func (w fixture) history(ctx context.Context) ([]payments.HistoryItem, error) {
	entries, err := collect(w.History(ctx, w.tenant, allShards, store.Range{}, 10, 10))
	if err != nil {
		return nil, err
	}
	items, err := w.HistoryItems(ctx, entries)
	for i, item := range items {
		if diff := cmp.Diff(item.Entry(), entries[i].HistoryEntry); diff != "" {
			return nil, fmt.Errorf("the entry of %s differs (-want +got):\n%s", item.ID, diff)
		}
	}
	return items, err
}

func (w fixture) entries(about ledger.Reference, want ...ledger.Entry) storedtest.Read {
	return storedtest.Expect("Entries", want, func(ctx context.Context) ([]ledger.Entry, error) {
		return w.Entries(ctx, w.tenant, about)
	})
}

func (w fixture) payables(want ...payments.Payable) storedtest.Read {
	return storedtest.Expect("Payables", want, func(ctx context.Context) ([]payments.Payable, error) {
		return w.Payables(ctx, w.tenant, allShards, 0, "EUR", forever, 10)
	})
}

// codeOf returns the code of a failure.
func (fixture) codeOf(_ payments.Checkout, err error) (string, error) {
	return failure.Of(err).Code, nil
}

// sortEvents returns the events in the order of the table.
func sortEvents(events []payments.Event) []payments.Event {
	return slices.SortedFunc(slices.Values(events), func(a, b payments.Event) int { return strings.Compare(a.ID, b.ID) })
}
