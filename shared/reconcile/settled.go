package reconcile

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Sums in closings of store.AcquirerBook. Movements raise and lower them on the first day whose settlement may contain
// the movement. A settlement lowers them on the last day that it covers. So after each settled day both are zero.
const (
	availableSum = "acquirer_available"      // what the acquirer is to settle
	feesSum      = "acquirer_fees_available" // what it may withhold as fees
)

// Prefixes of the names of tallies in closings of store.AcquirerBook. The id of a settlement follows.
const (
	grossTally = "settlement "
	feeTally   = "fee of settlement "
)

// settledWithin is the time within which an acquirer settles a movement.
const settledWithin = 14 * 24 * time.Hour

// addMovement adds a line of an acquirer's statement to the closings of what the acquirer is to settle.
func addMovement(days map[dayKey]store.Closing, l store.StatementLine) {
	sign, gross, fee := acquirer.Kind(l.Kind).Sign(), grossOf(l), l.Fee.Minor()
	if isBankLine(l) || faultOf(l) != "" {
		return
	}
	k := dayKey{store.Series{Tenant: l.Tenant, Currency: l.Amount.Currency(), Book: store.AcquirerBook}, l.AvailableOn}
	more := store.Closing{Sums: map[string]int64{availableSum: sign * gross, feesSum: fee}}
	if l.Kind == string(acquirer.SettlementMovement) {
		more.Sums[feesSum] = -fee
		more.Tallies = map[string]store.Tally{grossTally + l.ID: {Count: 1, Amount: gross},
			feeTally + l.ID: {Count: 1, Amount: fee}}
	}
	days[k] = days[k].Add(more)
}

// addCorrection adds an operator's correction of a settlement to the same closings, on the correction's UTC date.
func addCorrection(days map[dayKey]store.Closing, of store.Series, e ledger.Entry) {
	if e.Kind != ledger.SettlementCorrected {
		return
	}
	of.Book = store.AcquirerBook
	for _, p := range e.Postings {
		more := store.Closing{}
		switch p.Account {
		case ledger.AcquirerReceivable:
			more.Sums = map[string]int64{availableSum: p.Amount.Minor()}
		case ledger.AcquirerFees:
			more.Sums = map[string]int64{feesSum: -p.Amount.Minor()}
		default:
			continue
		}
		of.Currency = p.Amount.Currency()
		k := dayKey{of, e.At.UTC().Format(time.DateOnly)}
		days[k] = days[k].Add(more)
	}
}

// settledDay returns the first day that is not checked. All movements that are available earlier have been imported,
// and added to closings.
func settledDay(until time.Time) string { return until.UTC().Format(time.DateOnly) }

// checkSettled checks closings of store.AcquirerBook, in order and with balances, up to the last checked day. Before
// the first of them nothing was to be settled. Since the last day that was settled completely, a settlement must settle
// everything, and nothing may wait for longer than settledWithin. So a later settlement with the difference mends a
// break.
func checkSettled(of store.Series, closings []store.Closing, until time.Time) (breaks []Break) {
	add := func(kind BreakKind, id, text string) {
		breaks = append(breaks, Break{of.Tenant.String(), kind, id, text})
	}
	for _, check := range []struct{ sum, tally, name string }{{availableSum, grossTally, "gross amount"},
		{feesSum, feeTally, "fee"}} {
		open := closings
		for i, c := range closings {
			if c.Balances[check.sum] == 0 {
				open = closings[i+1:]
			}
		}
		if len(open) == 0 {
			continue
		}
		if c, id, ok := firstSettlement(open, check.tally); ok {
			actual := c.Tallies[check.tally+id].Amount
			add(SettlementDiffers, id, fmt.Sprintf("%s: expected %s, actual %s; covers movements until %s", check.name,
				amountText(actual+c.Balances[check.sum], of.Currency), amountText(actual, of.Currency), c.Day))
		} else if first := open[0]; len(breaks) == 0 && first.Day < settledDay(until.Add(-settledWithin)) {
			add(SettlementMissing, first.Day+" "+string(of.Currency), fmt.Sprintf("%s of %s, available since %s", check.name,
				amountText(first.Balances[check.sum], of.Currency), first.Day))
		}
	}
	return breaks
}

// firstSettlement returns the first of the closings that has a settlement, and the settlement's id.
func firstSettlement(closings []store.Closing, tally string) (store.Closing, string, bool) {
	for _, c := range closings {
		for _, name := range slices.Sorted(maps.Keys(c.Tallies)) {
			if id, ok := strings.CutPrefix(name, tally); ok {
				return c, id, true
			}
		}
	}
	return store.Closing{}, "", false
}

// checkSettled checks what the acquirer is to settle with the current tenant, in each currency that it ever was to
// settle.
func (n *night) checkSettled(ctx context.Context) error {
	for _, currency := range slices.Sorted(maps.Keys(n.settled)) {
		of := store.Series{Tenant: n.tenant, Currency: currency, Book: store.AcquirerBook}
		var closings []store.Closing
		for c, err := range n.Store.ClosingsBefore(ctx, of, settledDay(n.proof.Until)) {
			if err != nil {
				return err
			}
			closings = append(closings, c)
			if c.Balances[availableSum] == 0 && c.Balances[feesSum] == 0 {
				break
			}
		}
		slices.Reverse(closings)
		n.addBreaks(checkSettled(of, closings, n.proof.Until))
	}
	return nil
}

// checkSettled checks what acquirers are to settle, by the lines and corrections of all tenants.
func (r *run) checkSettled() {
	days := slices.SortedFunc(maps.Keys(r.book.acquirer), dayKey.compare)
	before := settledDay(r.settledUntil())
	for len(days) > 0 {
		of := days[0].Series
		var closings []store.Closing
		var balance store.Closing
		for ; len(days) > 0 && days[0].Series == of; days = days[1:] {
			c := r.book.acquirer[days[0]]
			balance = balance.Add(store.Closing{Sums: c.Sums})
			c.Day, c.Balances = days[0].day, balance.Sums
			if c.Day < before {
				closings = append(closings, c)
			}
		}
		r.addBreaks(checkSettled(of, closings, r.settledUntil()))
	}
}

// settledUntil returns the time before which the run has all lines and corrections. It is the Until of a night that
// begins at the same time.
func (r *run) settledUntil() time.Time { return r.began.Add(-settling).Truncate(time.Millisecond) }

// countSettled adds an item to what acquirers are to settle. It leaves out lines that another run has imported since this
// run's import, and recent corrections: the scan may have missed the movements that they settle.
func (r *run) countSettled(a store.ReconciledItem) {
	switch {
	case r.book.acquirer == nil:
	case a.Line != nil && !a.Line.ImportedAt.After(r.linesUntil):
		addMovement(r.book.acquirer, *a.Line)
	case a.Entry != nil && a.Entry.At.Before(r.settledUntil()):
		addCorrection(r.book.acquirer, store.Series{Tenant: a.Tenant}, *a.Entry)
	}
}
