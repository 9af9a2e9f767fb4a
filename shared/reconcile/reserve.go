package reconcile

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// reserve has a tenant's reserve for pending refunds, and the sum of those refunds, in minor units.
type reserve struct {
	actual, expected int64
	version          int // version of the stored reserve
}

func (k balanceKey) compare(other balanceKey) int {
	return cmp.Or(cmp.Compare(k.tenant.String(), other.tenant.String()), cmp.Compare(k.currency, other.currency))
}

// longestPollGap is longer than any gap between two polls of a refund (package payments). So every pending refund
// becomes due within this time.
const longestPollGap = time.Hour

// checkReserves compares the noted reserves with the pending refunds of their tenants. Refunds and reserve are read at
// different times, so each is read at most maxReadings times. A difference is a break only if two successive readings
// have the same reserve version and the same sum of refunds. The version must be the same, too, because one refund may
// replace another of the same amount.
func (r *run) checkReserves(ctx context.Context) error {
	keys, before := r.book.reserves, map[balanceKey]reserve{}
	for n := range maxReadings {
		if len(keys) == 0 {
			break
		}
		shards := store.MaxDueShards
		if n == 0 {
			shards = r.Store.DueShards()
		}
		due, err := r.readDueRefunds(ctx, shards)
		if err != nil {
			return err
		}
		for _, key := range slices.SortedFunc(maps.Keys(keys), balanceKey.compare) {
			of, err := r.readReserve(ctx, key, due[key.tenant])
			if err != nil {
				return err
			}
			was := before[key]
			before[key] = of
			agree := n > 0 && of.version == was.version && of.expected == was.expected
			if of.actual != of.expected && agree {
				r.addBreaks([]Break{{key.tenant.String(), ReserveDiffers, key.tenant.Merchant, "expected " +
					amountText(of.expected, key.currency) + " for pending refunds, actual " + amountText(of.actual, key.currency)}})
			}
			if of.actual == of.expected || agree {
				delete(keys, key)
			}
		}
	}
	return nil
}

// readDueRefunds reads the pending refunds from the index that the sweep reads. Only if a reserve differs, all possible
// shards are read: a refund in a shard above the configured number counts in the reserve, too.
func (r *run) readDueRefunds(ctx context.Context, shards int) (map[identity.Tenant][]string, error) {
	due := map[identity.Tenant][]string{}
	for shard := range shards {
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
