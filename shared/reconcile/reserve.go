package reconcile

import (
	"context"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// reserve has a tenant's reserve for pending refunds, and the sum of those refunds, in minor units.
type reserve struct {
	actual, expected int64
	version          int      // version of the stored reserve
	refunds          []string // ids of the pending refunds
}

// noteReserve adds a reserve to the matcher.
func (r *run) noteReserve(t identity.Tenant, h store.Reserve) {
	key := balanceKey{t, h.Amount.Currency()}
	of := r.matcher.reserves[key]
	of.actual, of.version = h.Amount.Minor(), h.Version
	r.matcher.reserves[key] = of
}

// noteOpen adds a pending refund to the matcher.
func (r *run) noteOpen(t identity.Tenant, e payments.Event) {
	if !e.InReserve {
		return
	}
	key := balanceKey{t, e.Amount.Currency()}
	of := r.matcher.reserves[key]
	of.expected += e.Amount.Minor()
	of.refunds = append(of.refunds, e.ID)
	r.matcher.reserves[key] = of
}

// longestPollGap is longer than any gap between two polls of a refund (package payments). So every pending refund
// becomes due within this time.
const longestPollGap = time.Hour

// checkReserves compares each tenant's reserve with its pending refunds. The first pass reads the two at different
// times. Where they differ, both are read again, at most maxReadings times. The difference is a break only if two
// successive readings have the same reserve version and the same sum of refunds. The sum alone would not prove a break,
// because one refund may replace another of the same amount.
func (r *run) checkReserves(ctx context.Context) error {
	for _, key := range sortedKeys(r.matcher.reserves) {
		of := r.matcher.reserves[key]
		for n := range maxReadings {
			if of.actual == of.expected {
				break
			}
			due, err := r.readDueRefunds(ctx)
			if err != nil {
				return err
			}
			before := of
			if of, err = r.readReserve(ctx, key, append(of.refunds, due[key.tenant]...)); err != nil {
				return err
			}
			if n > 0 && of.actual != of.expected && of.version == before.version && of.expected == before.expected {
				r.addBreak(Break{key.tenant.String(), ReserveDiffers, key.tenant.Merchant, "expected " +
					amountText(of.expected, key.currency) + " for pending refunds, actual " + amountText(of.actual, key.currency)})
				break
			}
		}
	}
	return nil
}

// readDueRefunds reads the pending refunds from the index that the sweep reads. It reads all possible shards, because a
// refund in a shard above the configured number also counts in the reserve.
func (r *run) readDueRefunds(ctx context.Context) (map[identity.Tenant][]string, error) {
	due := map[identity.Tenant][]string{}
	for shard := range store.MaxDueShards {
		for d, err := range r.Store.Overdue(ctx, shard, r.Store.Now().Add(longestPollGap)) {
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

// readReserve reads a tenant's reserve in a currency. It adds the candidates that are still pending refunds and count
// in that reserve.
func (r *run) readReserve(ctx context.Context, key balanceKey, candidates []string) (reserve, error) {
	stored, err := r.Store.Reserve(ctx, key.tenant, key.currency)
	if err != nil {
		return reserve{}, err
	}
	of := reserve{actual: stored.Amount.Minor(), version: stored.Version}
	seen := map[string]bool{}
	for _, id := range candidates {
		if seen[id] {
			continue
		}
		seen[id] = true
		e, err := r.readRefund(ctx, key.tenant, id)
		if err != nil {
			return reserve{}, err
		}
		if e.Open() && e.InReserve && e.Amount.Currency() == key.currency {
			of.expected += e.Amount.Minor()
			of.refunds = append(of.refunds, id)
		}
	}
	return of, nil
}

// readRefund reads a refund, or returns the zero event if none exists.
func (r *run) readRefund(ctx context.Context, t identity.Tenant, id string) (payments.Event, error) {
	code, _ := payments.CodeWithin(id)
	records, err := r.Store.Transactions(ctx, t, code)
	for _, record := range records {
		if e, ok := record.Refund(id); ok {
			return e, err
		}
	}
	return payments.Event{}, err
}
