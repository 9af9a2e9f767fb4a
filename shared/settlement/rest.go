package settlement

import (
	"context"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Rest is what an acquirer has left open, in minor units. Negative amounts mean that it settled too much.
type Rest struct {
	Gross int64
	Fee   int64 // that the acquirer may still withhold
}

// FindRest returns what is left open of an Unsettled with an id, less the corrections of its settlements that its
// closings do not have yet. It returns false if no gross amount or fee with the id is left open.
func FindRest(ctx context.Context, s *store.View, of store.Series, id string, now time.Time) (Rest, bool, error) {
	closings, err := Open(ctx, s, of, Day(now))
	if err != nil {
		return Rest{}, false, err
	}
	left, found := map[string]int64{}, false
	for _, u := range Find(closings, now) {
		if !slices.Contains(u.ids, id) {
			continue
		}
		found = true
		corrected, err := u.readCorrections(ctx, s, of, closings)
		if err != nil {
			return Rest{}, false, err
		}
		for sum, minor := range u.left {
			left[sum] = minor + corrected[sum]
		}
	}
	return Rest{left[GrossSum], left[FeeSum]}, found, nil
}

// readCorrections returns the sums of the corrections that are not in the closings until the day of the Unsettled.
func (u Unsettled) readCorrections(ctx context.Context, s *store.View, of store.Series,
	closings []store.Closing) (map[string]int64, error) {
	sums := map[string]int64{}
	for _, id := range u.ids {
		entries, err := s.Entries(ctx, of.Tenant, ledger.OfSettlement(id, of.Currency))
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			c, ok := CorrectionClosing(of.Tenant, e)
			if !ok || c.Day <= u.day && isIn(closings, c) {
				continue
			}
			for sum, minor := range c.Sums {
				sums[sum] += minor
			}
		}
	}
	return sums, nil
}

// isIn returns true if closings have a correction. They have all corrections from before their first day.
func isIn(closings []store.Closing, correction store.Closing) bool {
	if correction.Day < closings[0].Day {
		return true
	}
	return slices.ContainsFunc(closings, func(c store.Closing) bool {
		for name := range correction.Tallies {
			if _, ok := c.Tallies[name]; ok {
				return true
			}
		}
		return false
	})
}
