// Package settlement finds what acquirers have left open, in the closings of store.AcquirerBook, which the nights of
// reconcile keep. Find checks the closings of one tenant and currency. FindRest tells an operator how much of a
// difference may be written off.
package settlement

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Sums in closings of store.AcquirerBook, in minor units. A movement counts on the first day whose settlement may
// contain it, and a settlement on the last day that it covers. So GrossSum and FeeSum are zero after each settled day.
const (
	GrossSum = "acquirer_available"      // what the acquirer is to settle
	FeeSum   = "acquirer_fees_available" // what it may withhold as fees
	// ReserveSum is what the acquirer keeps as security. It never is below zero. At which rate the acquirer keeps money,
	// and when it pays the money out, is not checked.
	ReserveSum = "acquirer_reserve"
)

// Prefixes of the names of tallies in closings of store.AcquirerBook. The id of a settlement or correction follows.
const (
	GrossTally      = "settlement "
	FeeTally        = "fee of settlement "
	correctionTally = "correction "
)

// CorrectionClosing returns what an operator's correction of a settlement adds to the closing of the correction's UTC
// date. It returns false for other entries.
func CorrectionClosing(t identity.Tenant, e ledger.Entry) (store.Closing, bool) {
	if e.Kind != ledger.SettlementCorrected {
		return store.Closing{}, false
	}
	c := store.Closing{Day: Day(e.At), Sums: map[string]int64{},
		Tallies: map[string]store.Tally{correctionTally + e.ID: {Count: 1}}}
	for _, p := range e.Postings {
		c.Series = store.AcquirerSeries(t, p.Amount.Currency())
		switch p.Account {
		case ledger.AcquirerReceivable:
			c.Sums[GrossSum] = p.Amount.Minor()
		case ledger.AcquirerFees:
			c.Sums[FeeSum] = -p.Amount.Minor()
		}
	}
	return c, true
}

// Day returns the UTC date of a time. Only the closings of days before the day of a run are checked. If a settlement of
// such a day is imported, all its movements are, because no line appears later than its settlement.
func Day(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// Unsettled is a difference between what an acquirer was to settle and what it has settled.
type Unsettled struct {
	Missing bool     // no settlement has come; otherwise settlements differ from the movements
	IDs     []string // of the first settlements with the difference, or the day and currency if none has come
	Text    string

	ids  []string         // of all settlements since the last day that was settled completely
	day  string           // the last day of these settlements, or the last checked day
	left map[string]int64 // by sum, what is left open on that day
}

// Find returns what an acquirer has left open. The closings are of one series, in order, have balances, and begin where
// nothing was to be settled.
//
//   - A settlement differs if an amount is left open on its day, and on all later days. A settlement or correction that
//     brings the balance to zero ends the difference.
//   - A settlement is missing if the acquirer has owed us money for acquirer.SettledWithin, besides such differences.
//     A debt of ours is none: acquirers carry it forward.
//   - More security was paid out than the acquirer kept. Only later settlements end this difference.
func Find(closings []store.Closing, until time.Time) (found []Unsettled) {
	for _, a := range []amount{{GrossSum, GrossTally, "gross amount"}, {FeeSum, FeeTally, "fee"}} {
		found = append(found, a.findDiffering(closings)...)
	}
	found = append(found, findMissing(closings, Day(until.Add(-acquirer.SettledWithin)))...)
	if paid := afterLast(closings, func(c store.Closing) bool { return c.Balances[ReserveSum] >= 0 }); len(paid) > 0 {
		found = append(found, Unsettled{IDs: settlementsOf(paid[0]), Text: fmt.Sprintf(
			"reserve: %s left, less than nothing; covers movements until %s", text(paid[0], paid[0].Balances[ReserveSum]),
			paid[0].Day)})
	}
	return found
}

// amount is one of the two amounts of a settlement: its sum and tally in closings, and its name in texts.
type amount struct{ sum, tally, name string }

// findDiffering returns the settlements since the last day with a balance of zero, if there are any.
func (a amount) findDiffering(closings []store.Closing) []Unsettled {
	open := afterLast(closings, func(c store.Closing) bool { return c.Balances[a.sum] == 0 })
	open = slices.DeleteFunc(slices.Clone(open), func(c store.Closing) bool { return len(settlementsOf(c)) == 0 })
	if len(open) == 0 {
		return nil
	}
	first, last := open[0], open[len(open)-1]
	u := Unsettled{IDs: settlementsOf(first), day: last.Day, left: map[string]int64{a.sum: last.Balances[a.sum]}}
	var actual int64
	for _, id := range u.IDs {
		actual += first.Tallies[a.tally+id].Amount
	}
	for _, c := range open {
		u.ids = append(u.ids, settlementsOf(c)...)
	}
	u.Text = fmt.Sprintf("%s: expected %s, actual %s; covers movements until %s", a.name,
		text(first, actual+first.Balances[a.sum]), text(first, actual), first.Day)
	if last.Day != first.Day {
		u.Text += fmt.Sprintf("; %s left open until %s", text(last, last.Balances[a.sum]), last.Day)
	}
	return []Unsettled{u}
}

// findMissing returns what the acquirer has owed since a day before the limit, without what its last settlement has
// left open.
func findMissing(closings []store.Closing, limit string) []Unsettled {
	since := afterLast(closings, func(c store.Closing) bool { return len(settlementsOf(c)) > 0 })
	left := map[string]int64{}
	if len(since) < len(closings) {
		left = closings[len(closings)-len(since)-1].Balances
	}
	owed := afterLast(since, func(c store.Closing) bool {
		return c.Balances[GrossSum]-c.Balances[FeeSum] <= max(0, left[GrossSum]-left[FeeSum])
	})
	if len(owed) == 0 || owed[0].Day >= limit {
		return nil
	}
	first, last := owed[0], owed[len(owed)-1]
	ids := []string{first.Day + " " + string(first.Currency)}
	more := func(c store.Closing, sum string) int64 { return c.Balances[sum] - left[sum] }
	return []Unsettled{{Missing: true, IDs: ids, ids: ids, day: last.Day,
		left: map[string]int64{GrossSum: more(last, GrossSum), FeeSum: more(last, FeeSum)},
		Text: fmt.Sprintf("gross amount of %s with a fee of %s, available since %s", text(first, more(first, GrossSum)),
			text(first, more(first, FeeSum)), first.Day)}}
}

// afterLast returns the closings after the last one for which is returns true, or all.
func afterLast(closings []store.Closing, is func(store.Closing) bool) []store.Closing {
	for i, c := range slices.Backward(closings) {
		if is(c) {
			return closings[i+1:]
		}
	}
	return closings
}

// settlementsOf returns the ids of the settlements that cover the movements until a day.
func settlementsOf(c store.Closing) (ids []string) {
	for _, name := range slices.Sorted(maps.Keys(c.Tallies)) {
		if id, ok := strings.CutPrefix(name, GrossTally); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// text returns an amount in the currency of a closing.
func text(c store.Closing, minor int64) string {
	return money.FromMinor(minor, c.Currency).String() + " " + string(c.Currency)
}

// Open returns the closings of the days before a day, in order, from the last day on that was settled completely.
func Open(ctx context.Context, s *store.View, of store.Series, day string) ([]store.Closing, error) {
	var closings []store.Closing
	for c, err := range s.ClosingsBefore(ctx, of, day) {
		if err != nil {
			return nil, err
		}
		closings = append(closings, c)
		if c.Balances[GrossSum] == 0 && c.Balances[FeeSum] == 0 && c.Balances[ReserveSum] >= 0 {
			break
		}
	}
	slices.Reverse(closings)
	return closings, nil
}
