package store_test

import (
	"context"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
	"github.com/cashwrap/cashwrap/shared/store"
)

const payoutDay = "2027-05-02"

var storedPayouts = map[string]stored{
	"CreatePayout": {
		write:  func(w fixture) []storedtest.Read { return w.payout(w.storePayout()) },
		unseen: storedtest.NotRead{"PAYOUT write_id": "a second creation changes nothing"},
	},
	"OpenPayout": {
		sets: "the schedule's Version is the next",
		write: func(w fixture) []storedtest.Read {
			schedule := storedtest.Fill[merchant.PayoutSchedule](w, w.Filler)
			schedule.Version = 0 // not stored yet
			p := storedtest.Fill[payout.Payout](w, w.Filler)
			w.must(w.OpenPayout(w.Context(), w.tenant, schedule, &p))
			schedule.Version = 1
			return append(w.payout(p, store.Due{Tenant: w.tenant, Schedule: true}),
				storedtest.Expect("PayoutSchedule", schedule, func(ctx context.Context) (merchant.PayoutSchedule, error) {
					return w.PayoutSchedule(ctx, w.tenant)
				}))
		},
		unseen: storedtest.NotRead{"SCHEDULE write_id": notRead, "PAYOUT write_id": notRead},
	},
	"StepPayout": {
		sets: "Version is the next",
		write: func(w fixture) []storedtest.Read {
			p := w.storePayout()
			step := storedtest.Fill(w, w.Filler, func(s *payout.Step) {
				s.Payout.ID, s.Payout.Version, s.Entry.About = p.ID, p.Version, ledger.OfPayout(p.ID)
			})
			got, err := w.StepPayout(w.Context(), w.tenant, step)
			step.Payout.Version++
			wantAnswer(w, step.Payout, got, err)
			return append(w.payout(step.Payout), w.entries(ledger.OfPayout(p.ID), *step.Entry))
		},
		unseen: storedtest.NotRead{"PAYOUT write_id": notRead},
	},
	"CollectPayout": {
		sets: "each Version is the next; in live mode it changes the reserve's version",
		write: func(w fixture) []storedtest.Read {
			w.tenant.Mode = identity.Live
			p := w.storePayout()
			tx, payables := w.storeWaiting()
			c := storedtest.Fill(w, w.Filler, func(c *payout.Collection) {
				c.Payout.ID, c.Payout.Version, c.Payout.Day = p.ID, p.Version, payoutDay
				c.Payables, c.Transactions, c.CarriedForward.Shard = payables, []payments.Transaction{w.fillTransaction(tx)}, shard
			})
			got, err := w.CollectPayout(w.Context(), w.tenant, c)
			c.Payout.Version++
			c.Transactions[0].Version++
			wantAnswer(w, c.Payout, got, err)
			return append(w.payout(c.Payout), w.records(c.Payout, c.Records), w.transactionOf(c.Transactions[0]),
				w.payables(*c.CarriedForward),
				storedtest.Expect("Held", store.Reserve{Amount: money.Zero("EUR"), Version: 1},
					func(ctx context.Context) (store.Reserve, error) { return w.Reserve(ctx, w.tenant, "EUR") }))
		},
		unseen: storedtest.NotRead{"PAYOUT write_id": notRead, "TRANSACTION write_id": notRead},
	},
	"ApplyPayoutOutcome": {
		sets: "each Version is the next",
		write: func(w fixture) []storedtest.Read {
			p := w.storePayout()
			tx, payables := w.storeWaiting()
			e := storedtest.Fill(w, w.Filler, func(e *payments.Event) {
				e.ID, e.TransactionID, e.Code = tx.RefundID("deduction"), tx.ID, tx.Code
				e.Type, e.Status = payments.PayoutDeductionEvent, payments.EventPending
			})
			w.must(w.ApplyTransaction(w.Context(), w.tenant, payments.TransactionChange{Transaction: tx,
				Events: []payments.Event{e}}, nil))
			tx.Version++
			open := storedtest.Fill(w, w.Filler, func(c *payout.Collection) {
				for i := range c.Records {
					c.Records[i].Status = payout.RecordOpen
				}
			})
			open.Payout, open.Payables, open.Transactions, open.CarriedForward = p, nil, nil, nil
			p, err := w.CollectPayout(w.Context(), w.tenant, open)
			w.must(err)
			step := storedtest.Fill(w, w.Filler, func(t *payout.OutcomeStep) {
				t.Payout.ID, t.Payout.Version, t.Payout.Day = p.ID, p.Version, p.Day
				t.Transactions = []payments.Transaction{w.fillTransaction(tx)}
				for i := range t.Records {
					t.Records[i].ID = open.Records[i].ID
				}
				t.Events = t.Events[:1]
				t.Events[0].ID, t.Events[0].TransactionID, t.Events[0].Code = e.ID, e.TransactionID, e.Code
				t.Events[0].Type = e.Type
				for i := range t.Payables {
					t.Payables[i].Shard = shard
				}
			})
			got, err := w.ApplyPayoutOutcome(w.Context(), w.tenant, step)
			step.Payout.Version++
			step.Transactions[0].Version++
			wantAnswer(w, step.Payout, got, err)
			return append(w.payout(step.Payout), w.records(step.Payout, step.Records),
				w.transactionOf(step.Transactions[0], step.Events...),
				w.payables(append(payables, step.Payables...)...))
		},
		unseen: storedtest.NotRead{"PAYOUT write_id": notRead, "TRANSACTION write_id": notRead},
	},
}

func (w fixture) storePayout() payout.Payout {
	w.Helper()
	p := storedtest.Fill(w, w.Filler, func(p *payout.Payout) { p.Day = payoutDay })
	w.must(w.CreatePayout(w.Context(), w.tenant, p))
	return p
}

// storeWaiting stores a transaction with two payables, and nothing else of its payment.
func (w fixture) storeWaiting() (payments.Transaction, []payments.Payable) {
	w.Helper()
	change := w.prepareChange()
	change.Instrument, change.Session, change.Callback, change.Entry = nil, nil, nil, nil
	_, err := w.Apply(w.Context(), w.tenant, change)
	w.must(err)
	w.remove("CHECKOUT", "REFERENCE")
	return *change.Transaction, change.Payables
}

// fillTransaction returns the transaction with other values in all its fields.
func (w fixture) fillTransaction(tx payments.Transaction) payments.Transaction {
	w.Helper()
	return storedtest.Fill(w, w.Filler, func(next *payments.Transaction) {
		next.Version, next.Shard = tx.Version, tx.Shard
		*next = next.Restored(w.tenant.Merchant, tx.Code, tx.ID)
	})
}

// payout expects the only payout from each read.
func (w fixture) payout(p payout.Payout, others ...store.Due) []storedtest.Read {
	return []storedtest.Read{
		storedtest.Expect("Payout", p, func(ctx context.Context) (payout.Payout, error) {
			return w.Payout(ctx, w.tenant, p.ID)
		}),
		storedtest.Expect("MoneyOfPayout", p, func(ctx context.Context) (payout.Payout, error) {
			found, err := collect(store.Reads{View: w.View, Consistent: true}.MoneyOfPayout(ctx, w.tenant, p.ID))
			if err != nil || len(found) == 0 || found[0].Payout == nil {
				return payout.Payout{}, err
			}
			return *found[0].Payout, nil
		}),
		w.dueItems(append(others, store.Due{Tenant: w.tenant, PayoutID: p.ID})...),
	}
}

// records expects the payout's records from each read.
func (w fixture) records(p payout.Payout, want []payout.Record) storedtest.Read {
	from := p
	from.OutcomeAppliedTo = "" // of all records
	type read struct{ ToTell, Listed, Scanned []payout.Record }
	return storedtest.Expect("records", read{want, want, want}, func(ctx context.Context) (read, error) {
		toTell, err := w.RecordsWithoutOutcome(ctx, w.tenant, from, 10)
		if err != nil {
			return read{}, err
		}
		listed, err := w.PayoutRecords(ctx, w.tenant, p.Day, p.Day, false, 10)
		if err != nil {
			return read{}, err
		}
		items, err := collect(store.Reads{View: w.View, Consistent: true}.MoneyOfRecords(ctx, w.tenant, p.Day, p.ID))
		var found []payout.Record
		for _, item := range items {
			if item.Record != nil {
				found = append(found, *item.Record)
			}
		}
		return read{toTell, listed, found}, err
	})
}

// transactionOf expects the transaction with its events, and the history.
func (w fixture) transactionOf(tx payments.Transaction, events ...payments.Event) storedtest.Read {
	type read struct {
		Record  store.Record
		History []payments.HistoryItem
		Place   store.Bound
	}
	want := read{store.Record{Transaction: tx, Events: events}, []payments.HistoryItem{tx.HistoryItem()},
		store.Bound{At: tx.CreatedAt, ID: tx.ID}}
	return storedtest.Expect("Transaction", want, func(ctx context.Context) (read, error) {
		r, err := w.Transaction(ctx, w.tenant, tx.ID)
		if err != nil {
			return read{}, err
		}
		history, err := w.history(ctx)
		if err != nil {
			return read{}, err
		}
		place, err := w.HistoryPlace(ctx, w.tenant, tx.ID, seesAll)
		return read{store.Record{Transaction: r.Transaction, Events: r.Events}, history, place}, err
	})
}
