package store

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/identity"
)

// Due is an entry of the due index: a checkout, a refund, a payout or the payout
// schedule of a tenant, or a callback.
type Due struct {
	Tenant     identity.Tenant
	CheckoutID string
	RefundID   string
	CallbackID string
	PayoutID   string
	Schedule   bool // the tenant's payout schedule
}

// Overdue walks what is due in one shard by the time, the longest overdue
// first. Changes of the items do not disturb the walk: each comes once, and one
// that stays due does not hold up later ones. The index lags, so an entry may
// have been handled already.
func (s *Reader) Overdue(ctx context.Context, shard int, by time.Time) iter.Seq2[Due, error] {
	return s.walk(ctx, "DUE", shard, time.Time{}, by)
}

// DuePayouts walks one shard's payout schedules whose cut-off has come by the
// time, and payouts whose next poll is due.
func (s *Reader) DuePayouts(ctx context.Context, shard int, by time.Time) iter.Seq2[Due, error] {
	return s.walk(ctx, "PAYOUT", shard, time.Time{}, by)
}

// DeadCallbacks walks one shard's callbacks that were given up between two
// times, both inclusive.
func (s *Reader) DeadCallbacks(ctx context.Context, shard int, from, to time.Time) iter.Seq2[Due, error] {
	return s.walk(ctx, "DEAD", shard, from, to)
}

// walk reads one partition of the due index page by page. An error ends it.
func (s *Reader) walk(ctx context.Context, queue string, shard int, from, to time.Time) iter.Seq2[Due, error] {
	return func(yield func(Due, error) bool) {
		keys := s.table.Get(duePartition, fmt.Sprintf("%s#%d", queue, shard)).
			Range(dueSort, dynamo.Between, dueBound(from), micros(to)+"#~").
			Index(dueIndex).Iter()
		var k key
		for keys.Next(ctx, &k) {
			if d, ok := k.due(); ok && !yield(d, nil) {
				return
			}
		}
		if err := keys.Err(); err != nil {
			yield(Due{}, err)
		}
	}
}

// dueBound is the lowest sort key at the time; the zero time is before all.
func dueBound(at time.Time) string {
	if at.IsZero() {
		return "0"
	}
	return micros(at)
}

// due is the entry that the key names; false when it names none.
func (k key) due() (Due, bool) {
	id, ok := strings.CutPrefix(k.PK, callbackPrefix)
	if ok {
		return Due{CallbackID: id}, true
	}
	parts := strings.SplitN(k.PK, "#", 4)
	if len(parts) < 3 {
		return Due{}, false
	}
	d := Due{Tenant: identity.Tenant{Mode: identity.Mode(parts[0]), Merchant: parts[1]}}
	id = strings.Join(parts[3:], "")
	switch parts[2] {
	case "CHECKOUT":
		d.CheckoutID = id
	case "TRANSACTION":
		if d.RefundID, ok = strings.CutPrefix(k.SK, eventPrefix); !ok {
			return Due{}, false
		}
	case "PAYOUT":
		d.PayoutID = id
	case "PAYOUTSCHEDULE":
		d.Schedule = true
	default:
		return Due{}, false
	}
	return d, true
}
