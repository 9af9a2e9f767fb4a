package store_test

import (
	"context"
	"encoding/json"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/outbox"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

var storedCallbacks = map[string]stored{
	"SaveCallback, owed": {write: func(w fixture) []storedtest.Read {
		c := w.storeCallback(outbox.Pending)
		return []storedtest.Read{w.callback(c), w.dueItems(store.Due{CallbackID: c.ID}), w.fastPath(nil), w.expiries()}
	}},
	"SaveCallback, delivered": {
		sets: "it expires after 31 days",
		write: func(w fixture) []storedtest.Read {
			c := w.storeCallback(outbox.Delivered)
			return []storedtest.Read{w.callback(c), w.dueItems(), w.fastPath(nil), w.expiries(start.AddDate(0, 0, 31))}
		},
	},
	"SaveCallback, dead": {
		sets: "it expires after 90 days",
		write: func(w fixture) []storedtest.Read {
			c := w.storeCallback(outbox.Dead)
			return []storedtest.Read{w.callback(c), w.dueItems(store.Due{CallbackID: c.ID}), w.fastPath(nil),
				w.expiries(start.AddDate(0, 0, 90))}
		},
	},
	"ReplayCallback": {write: func(w fixture) []storedtest.Read {
		c := w.storeCallback(outbox.Dead)
		c.State, c.Sweeps = outbox.Pending, 0
		w.must(w.ReplayCallback(w.Context(), w.tenant, c))
		// The fast path reads the callback's tenant as Callback does.
		due := store.Due{CallbackID: c.ID, Tenant: w.tenant}
		return []storedtest.Read{w.callback(c), w.dueItems(store.Due{CallbackID: c.ID}),
			w.fastPath(map[store.Due]time.Time{due: c.NextAt}), w.expiries()}
	}},
	"SaveBreaker": {
		sets: "Version is the next; it expires after a day",
		write: func(w fixture) []storedtest.Read {
			b := storedtest.Fill[payments.Breaker](w, w.Filler)
			b.Version = 0 // not stored yet
			w.must(w.SaveBreaker(w.Context(), w.tenant, "shop.example", b))
			b.Version = 1
			return []storedtest.Read{w.expiries(start.AddDate(0, 0, 1)),
				storedtest.Expect("Breaker", b, func(ctx context.Context) (payments.Breaker, error) {
					return w.Breaker(ctx, w.tenant, "shop.example")
				})}
		},
	},
}

// storeCallback stores a callback that was due, and then saves it in the state.
func (w fixture) storeCallback(state string) payments.Callback {
	w.Helper()
	owed := storedtest.Fill(w, w.Filler, func(c *payments.Callback) { c.State = outbox.Pending })
	checkout, err := w.CreateCheckout(w.Context(), w.tenant, draft("order"))
	w.must(err)
	checkout.ValidUntil = nil // never due
	_, err = w.Apply(w.Context(), w.tenant, payments.CheckoutChange{Checkout: checkout, Callback: &owed})
	w.must(err)
	next := storedtest.Fill(w, w.Filler, func(c *payments.Callback) { c.ID, c.State = owed.ID, state })
	w.must(w.SaveCallback(w.Context(), w.tenant, next, owed.Tries))
	w.remove("CHECKOUT", "REFERENCE")
	return next
}

// remove deletes items by their sort keys, which a case needed only for its preparation.
func (w fixture) remove(sortKeys ...any) {
	w.Helper()
	_, table := w.Raw()
	var items []struct {
		PK string `dynamo:"pk"`
		SK string `dynamo:"sk"`
	}
	w.must(table.Scan().Filter("sk IN (?, ?)", sortKeys...).All(w.Context(), &items))
	for _, item := range items {
		w.must(table.Delete("pk", item.PK).Range("sk", item.SK).Run(w.Context()))
	}
}

// callback expects the callback from Callback.
func (w fixture) callback(c payments.Callback) storedtest.Read {
	type ofTenant struct {
		Tenant   identity.Tenant
		Callback payments.Callback
	}
	return storedtest.Expect("Callback", ofTenant{w.tenant, c}, func(ctx context.Context) (ofTenant, error) {
		of, found, err := w.Callback(ctx, c.ID)
		return ofTenant{of, found}, err
	})
}

var storedCustomers = map[string]stored{
	"CreateCustomer": {
		sets: "Version is 1",
		write: func(w fixture) []storedtest.Read {
			c := storedtest.Fill[payments.Customer](w, w.Filler)
			got, err := w.CreateCustomer(w.Context(), w.tenant, c, "operation")
			c.Version = 1
			wantAnswer(w, c, got, err)
			return []storedtest.Read{w.customer(c)}
		},
	},
	"UpdateCustomer": {
		sets: "Version is the next; it changes the details alone",
		write: func(w fixture) []storedtest.Read {
			c := storedtest.Fill[payments.Customer](w, w.Filler)
			_, err := w.CreateCustomer(w.Context(), w.tenant, payments.Customer{ID: c.ID, CreatedAt: c.CreatedAt},
				"operation")
			w.must(err)
			text, err := json.Marshal(c.Details)
			w.must(err)
			var change payments.PersonalDetailsChange
			w.must(json.Unmarshal(text, &change))
			got, err := w.UpdateCustomer(w.Context(), w.tenant, c.ID, &change)
			c.Version = 2
			wantAnswer(w, c, got, err)
			return []storedtest.Read{w.customer(c)}
		},
	},
	"Apply, of a card that is known": {
		sets: "CreatedAt, and a mandate that is not given, stay",
		write: func(w fixture) []storedtest.Read {
			i := w.fillAndSaveCard()
			next := storedtest.Fill(w, w.Filler, func(next *payments.Instrument) {
				next.Token, next.CustomerID = i.Token, i.CustomerID
			})
			next.Mandate = nil
			w.saveCard(next)
			next.Mandate, next.CreatedAt, next.NetworkTransactionID = i.Mandate, i.CreatedAt, i.NetworkTransactionID
			return []storedtest.Read{w.instrument(next)}
		},
	},
	"DeactivateInstrument": {
		sets: "Active and the mandate's status",
		write: func(w fixture) []storedtest.Read {
			i := w.fillAndSaveCard()
			before, err := w.DeactivateInstrument(w.Context(), w.tenant, i.CustomerID, i.Token)
			wantAnswer(w, i, before, err)
			return []storedtest.Read{w.instrument(i.Deactivated())}
		},
		unseen: storedtest.NotRead{"CARD active": "nothing is read as false; Apply's case misses it"},
	},
	"RefuseCard": {
		sets: "Active and the mandate's status",
		write: func(w fixture) []storedtest.Read {
			i := w.fillAndSaveCard()
			w.must(w.RefuseCard(w.Context(), w.tenant, payments.RefusedCard{CustomerID: i.CustomerID, Token: i.Token,
				AcquirerToken: i.Card.AcquirerToken}))
			return []storedtest.Read{w.instrument(i.Deactivated())}
		},
		unseen: storedtest.NotRead{"CARD active": "nothing is read as false; Apply's case misses it"},
	},
	"ForgetCard": {
		sets: "it takes the acquirer's token away",
		write: func(w fixture) []storedtest.Read {
			i := w.fillAndSaveCard()
			_, err := w.DeactivateInstrument(w.Context(), w.tenant, i.CustomerID, i.Token)
			w.must(err)
			w.must(w.ForgetCard(w.Context(), w.tenant, i.CustomerID, i.Token, i.Card.AcquirerToken))
			i = i.Deactivated()
			i.Card.AcquirerToken = ""
			return []storedtest.Read{w.instrument(i)}
		},
		unseen: storedtest.NotRead{"CARD active": "nothing is read as false; Apply's case misses it"},
	},
}

// customer expects the customer from Customer, and from a repeated creation by the same operation, which writes
// nothing.
func (w fixture) customer(c payments.Customer) storedtest.Read {
	return storedtest.Expect("Customer", []payments.Customer{c, c},
		func(ctx context.Context) ([]payments.Customer, error) {
			read, err := w.Customer(ctx, w.tenant, c.ID)
			if err != nil {
				return nil, err
			}
			again, err := w.CreateCustomer(ctx, w.tenant, payments.Customer{ID: c.ID}, "operation")
			return []payments.Customer{read, again}, err
		})
}

// fillAndSaveCard stores a card with all its fields, as the only item of the table.
func (w fixture) fillAndSaveCard() payments.Instrument {
	w.Helper()
	i := storedtest.Fill[payments.Instrument](w, w.Filler)
	w.saveCard(i)
	return i
}

func (w fixture) saveCard(i payments.Instrument) {
	w.Helper()
	checkout, err := w.CreateCheckout(w.Context(), w.tenant, draft("order"))
	w.must(err)
	_, err = w.Apply(w.Context(), w.tenant, payments.CheckoutChange{Checkout: checkout, Instrument: &i})
	w.must(err)
	w.remove("CHECKOUT", "REFERENCE")
}

func (w fixture) instrument(i payments.Instrument) storedtest.Read {
	return storedtest.Expect("Instrument", i, func(ctx context.Context) (payments.Instrument, error) {
		return w.Instrument(ctx, w.tenant, i.CustomerID, i.Token)
	})
}
