package reconcile

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Sums in closings of store.AcquirerBook. A movement counts on the first day whose settlement may contain it, and a
// settlement on the last day that it covers. So availableSum and feesSum are zero after each settled day.
const (
	availableSum = "acquirer_available"      // what the acquirer is to settle
	feesSum      = "acquirer_fees_available" // what it may withhold as fees
	// reserveSum is what the acquirer keeps as security. It never is below zero. At which rate the acquirer keeps money,
	// and when it pays the money out, is not checked.
	reserveSum = "acquirer_reserve"
)

// Prefixes of the names of tallies in closings of store.AcquirerBook. The id of a settlement follows.
const (
	grossTally = "settlement "
	feeTally   = "fee of settlement "
)

// addMovement adds a line of an acquirer's statement to the closings of what the acquirer is to settle.
func addMovement(days map[dayKey]store.Closing, l store.StatementLine) {
	sign, gross, fee, reserve := acquirer.Kind(l.Kind).Sign(), grossOf(l), l.Fee.Minor(), l.Reserve.Minor()
	if isBankLine(l) || faultOf(l) != "" {
		return
	}
	k := dayKey{store.AcquirerSeries(l.Tenant, l.Amount.Currency()),
		cmp.Or(l.AvailableOn, l.At.UTC().Format(time.DateOnly))} // older lines have no AvailableOn
	more := store.Closing{Sums: map[string]int64{availableSum: sign * gross, feesSum: fee}}
	if l.Kind == string(acquirer.SettlementMovement) {
		more.Sums[feesSum] = -fee
		more.Tallies = map[string]store.Tally{grossTally + l.ID: {Count: 1, Amount: gross},
			feeTally + l.ID: {Count: 1, Amount: fee}}
	}
	if reserve != 0 {
		more.Sums[reserveSum] = reserve
	}
	days[k] = days[k].Add(more)
}

// addCorrection adds an operator's correction of a settlement to the same closings, on the correction's UTC date.
func addCorrection(days map[dayKey]store.Closing, t identity.Tenant, e ledger.Entry) {
	if e.Kind != ledger.SettlementCorrected {
		return
	}
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
		k := dayKey{store.AcquirerSeries(t, p.Amount.Currency()), e.At.UTC().Format(time.DateOnly)}
		days[k] = days[k].Add(more)
	}
}

// firstUncheckedDay returns the UTC date of a time. A run checks only the closings of earlier days. If a settlement of
// such a day is imported, all its movements are, because no line appears later than its settlement.
func firstUncheckedDay(until time.Time) string { return until.UTC().Format(time.DateOnly) }

// amountToSettle is one of the two amounts of a settlement: its sum and tally in closings, and its name in breaks.
type amountToSettle struct{ sum, tally, name string }

var grossToSettle, feeToSettle = amountToSettle{availableSum, grossTally, "gross amount"},
	amountToSettle{feesSum, feeTally, "fee"}

// unsettled is a break: a day after which the acquirer had left an amount open.
type unsettled struct {
	amountToSettle
	kind BreakKind
	ids  []string // of the day's settlements, or the day and currency if no settlement has come
	day  store.Closing
	last store.Closing // of the last checked day
}

// findUnsettled returns the amounts that an acquirer has left open by closings of one series of store.AcquirerBook. The
// closings are in order, have balances, and begin where nothing was to be settled. After the last day with a balance of
// zero, the first day with a settlement is a break (SettlementDiffers). If no settlement has come since, a day older
// than acquirer.SettledWithin is a break (SettlementMissing), unless the acquirer owed nothing in the meantime:
// acquirers carry debts of ours forward. A settlement or correction that brings the balance to zero ends the break.
func findUnsettled(closings []store.Closing, until time.Time) (found []unsettled) {
	if len(closings) == 0 {
		return nil
	}
	last := closings[len(closings)-1]
	isWaiting := true
	for _, amount := range []amountToSettle{grossToSettle, feeToSettle} {
		open := afterLast(closings, func(c store.Closing) bool { return c.Balances[amount.sum] == 0 })
		settled := slices.IndexFunc(open, func(c store.Closing) bool { return len(settlementsOf(c)) > 0 })
		if settled >= 0 {
			isWaiting = false
			c := open[settled]
			found = append(found, unsettled{amount, SettlementDiffers, settlementsOf(c), c, last})
		}
	}
	owed := afterLast(closings, func(c store.Closing) bool { return c.Balances[availableSum] <= c.Balances[feesSum] })
	if isWaiting && len(owed) > 0 && owed[0].Day < firstUncheckedDay(until.Add(-acquirer.SettledWithin)) {
		found = append(found, unsettled{grossToSettle, SettlementMissing,
			[]string{owed[0].Day + " " + string(owed[0].Currency)}, owed[0], last})
	}
	return found
}

// text returns the text of the break.
func (u unsettled) text() string {
	if u.kind == SettlementMissing {
		return fmt.Sprintf("gross amount of %s with a fee of %s, available since %s",
			amountText(u.day.Balances[availableSum], u.day.Currency),
			amountText(u.day.Balances[feesSum], u.day.Currency), u.day.Day)
	}
	var actual int64
	for _, id := range u.ids {
		actual += u.day.Tallies[u.tally+id].Amount
	}
	return fmt.Sprintf("%s: expected %s, actual %s; covers movements until %s", u.name,
		amountText(actual+u.day.Balances[u.sum], u.day.Currency), amountText(actual, u.day.Currency), u.day.Day)
}

// checkSettled returns the breaks of one series of store.AcquirerBook, as findUnsettled wants its closings.
func checkSettled(of store.Series, closings []store.Closing, until time.Time) (breaks []Break) {
	add := func(kind BreakKind, ids []string, text string) {
		breaks = append(breaks, Break{of.Tenant.String(), kind, strings.Join(ids, ", "), text})
	}
	for _, u := range findUnsettled(closings, until) {
		add(u.kind, u.ids, u.text())
	}
	if paid := afterLast(closings, func(c store.Closing) bool { return c.Balances[reserveSum] >= 0 }); len(paid) > 0 {
		add(SettlementDiffers, settlementsOf(paid[0]), fmt.Sprintf(
			"reserve: %s left, less than nothing; covers movements until %s",
			amountText(paid[0].Balances[reserveSum], of.Currency), paid[0].Day))
	}
	return breaks
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
		if id, ok := strings.CutPrefix(name, grossTally); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// checkSettled checks what the acquirer is to settle with the current tenant, in each currency that it ever was to
// settle.
func (n *night) checkSettled(ctx context.Context) error {
	for _, currency := range slices.Sorted(maps.Keys(n.settled)) {
		of := store.AcquirerSeries(n.tenant, currency)
		closings, err := openClosings(ctx, n.Store.View, of, firstUncheckedDay(n.proof.Until))
		if err != nil {
			return err
		}
		n.addBreaks(checkSettled(of, closings, n.proof.Until))
	}
	return nil
}

// openClosings returns the closings of store.AcquirerBook of the days before a day, in order, from the last day on that
// was settled completely.
func openClosings(ctx context.Context, s *store.View, of store.Series, day string) ([]store.Closing, error) {
	var closings []store.Closing
	for c, err := range s.ClosingsBefore(ctx, of, day) {
		if err != nil {
			return nil, err
		}
		closings = append(closings, c)
		if c.Balances[availableSum] == 0 && c.Balances[feesSum] == 0 && c.Balances[reserveSum] >= 0 {
			break
		}
	}
	slices.Reverse(closings)
	return closings, nil
}

// checkSettled checks what acquirers are to settle, by the lines and corrections of all tenants.
func (r *run) checkSettled() {
	days := slices.SortedFunc(maps.Keys(r.book.acquirer), dayKey.compare)
	before := firstUncheckedDay(r.settledUntil())
	for len(days) > 0 {
		of := days[0].Series
		var closings []store.Closing
		var balance store.Closing
		for ; len(days) > 0 && days[0].Series == of; days = days[1:] {
			c := r.book.acquirer[days[0]]
			balance = balance.Add(store.Closing{Sums: c.Sums})
			c.Series, c.Day, c.Balances = of, days[0].day, balance.Sums
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

// countSettled adds an item to what acquirers are to settle. It leaves out lines that another run has imported since
// this run's import, and recent corrections: the scan may have missed the movements that they settle.
func (r *run) countSettled(a store.ReconciledItem) {
	switch {
	case r.book.acquirer == nil:
	case a.Line != nil && !a.Line.ImportedAt.After(r.linesUntil):
		addMovement(r.book.acquirer, *a.Line)
	case a.Entry != nil && a.Entry.At.Before(r.settledUntil()):
		addCorrection(r.book.acquirer, a.Tenant, *a.Entry)
	}
}
