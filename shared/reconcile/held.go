package reconcile

import (
	"context"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// holding is what a tenant holds for refunds in flight, and those refunds.
type holding struct {
	held, open int64
	refunds    []string // ids
}

// noteHeld takes the balance that is held into the leftovers.
func (r *run) noteHeld(t identity.Tenant, h store.Held) {
	p := purse{t, h.Amount.Currency()}
	of := r.leftovers.holdings[p]
	of.held = h.Amount.Minor()
	r.leftovers.holdings[p] = of
}

// noteOpen takes a refund in flight into the leftovers.
func (r *run) noteOpen(t identity.Tenant, e payments.Event) {
	if !e.Held {
		return
	}
	p := purse{t, e.Amount.Currency()}
	of := r.leftovers.holdings[p]
	of.open += e.Amount.Minor()
	of.refunds = append(of.refunds, e.ID)
	r.leftovers.holdings[p] = of
}

// longestLook is beyond the widest gap between two questions about a refund
// (package payments): by then each that is open is due.
const longestLook = time.Hour

// checkHeld compares what each tenant holds with its refunds in flight. The
// pass saw the two at different times, so where they differ both are read
// again, and as with other suspects it takes two looks that find the same.
func (r *run) checkHeld(ctx context.Context) error {
	for _, p := range purses(r.leftovers.holdings) {
		of := r.leftovers.holdings[p]
		for look := range looks {
			if of.held == of.open {
				break
			}
			due, err := r.dueRefunds(ctx)
			if err != nil {
				return err
			}
			before := of
			if of, err = r.readHolding(ctx, p, append(of.refunds, due[p.tenant]...)); err != nil {
				return err
			}
			if look > 0 && of.held != of.open && of.held == before.held && of.open == before.open {
				r.find(Difference{p.tenant.String(), HeldDiffers, p.tenant.Merchant, "holds " + minorText(of.held, p.currency) +
					" for refunds in flight of " + minorText(of.open, p.currency)})
				break
			}
		}
	}
	return nil
}

// dueRefunds are those in flight, by the index that has the sweep ask for them.
func (r *run) dueRefunds(ctx context.Context) (map[identity.Tenant][]string, error) {
	due := map[identity.Tenant][]string{}
	for shard := range store.DueShards {
		for d, err := range r.Store.Overdue(ctx, shard, r.Store.Now().Add(longestLook)) {
			if err != nil {
				return nil, err
			}
			if d.RefundID != "" {
				due[d.Tenant] = append(due[d.Tenant], d.RefundID)
			}
		}
	}
	return due, nil
}

// readHolding reads what a tenant holds, and which of the refunds are in
// flight still.
func (r *run) readHolding(ctx context.Context, p purse, candidates []string) (holding, error) {
	held, err := r.Store.Held(ctx, p.tenant, p.currency)
	if err != nil {
		return holding{}, err
	}
	of := holding{held: held.Amount.Minor()}
	known := map[string]bool{}
	for _, id := range candidates {
		if known[id] {
			continue
		}
		known[id] = true
		e, err := r.refund(ctx, p.tenant, id)
		if err != nil {
			return holding{}, err
		}
		if e.Open() && e.Held && e.Amount.Currency() == p.currency {
			of.open += e.Amount.Minor()
			of.refunds = append(of.refunds, id)
		}
	}
	return of, nil
}

// refund reads one; zero when it is gone.
func (r *run) refund(ctx context.Context, t identity.Tenant, id string) (payments.Event, error) {
	code, _ := payments.CodeWithin(id)
	records, err := r.Store.Transactions(ctx, t, code)
	for _, record := range records {
		if e, ok := record.Refund(id); ok {
			return e, err
		}
	}
	return payments.Event{}, err
}
