package reconcile

import (
	"context"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Rest is what an acquirer has left open, in minor units. Negative amounts mean that it settled too much.
type Rest struct {
	Gross int64 // of the settlement
	Fee   int64 // that the acquirer may still withhold
}

// FindRest returns what a break leaves open, less the corrections under the same id since. The id is one of those in
// the break. FindRest returns false if no break in the closings has the id.
func FindRest(ctx context.Context, s *store.View, of store.Series, id string, now time.Time) (Rest, bool, error) {
	closings, err := openClosings(ctx, s, of, firstUncheckedDay(now))
	if err != nil {
		return Rest{}, false, err
	}
	entries, err := s.Entries(ctx, of.Tenant, ledger.OfSettlement(id, of.Currency))
	if err != nil {
		return Rest{}, false, err
	}
	corrected := map[dayKey]store.Closing{}
	for _, e := range entries {
		addCorrection(corrected, of.Tenant, e)
	}
	var rest Rest
	var found bool
	for _, u := range findUnsettled(closings, now) {
		switch {
		case !slices.Contains(u.ids, id):
			continue
		case u.kind == SettlementMissing:
			rest = Rest{openSum(u.last, availableSum, corrected), openSum(u.last, feesSum, corrected)}
		case u.sum == availableSum:
			rest.Gross = openSum(u.day, availableSum, corrected)
		default:
			rest.Fee = openSum(u.day, feesSum, corrected)
		}
		found = true
	}
	return rest, found, nil
}

// openSum returns a balance of a day, with the corrections of later days.
func openSum(day store.Closing, sum string, corrected map[dayKey]store.Closing) int64 {
	open := day.Balances[sum]
	for k, c := range corrected {
		if k.day > day.Day {
			open += c.Sums[sum]
		}
	}
	return open
}
