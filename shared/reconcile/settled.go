package reconcile

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/settlement"
	"github.com/cashwrap/cashwrap/shared/store"
)

// addMovement adds a line of an acquirer's statement to the closings of what the acquirer is to settle.
func addMovement(days map[dayKey]store.Closing, l store.StatementLine) {
	sign, gross, fee, reserve := acquirer.Kind(l.Kind).Sign(), grossOf(l), l.Fee.Minor(), l.Reserve.Minor()
	if isBankLine(l) || faultOf(l) != "" {
		return
	}
	k := dayKey{store.AcquirerSeries(l.Tenant, l.Amount.Currency()), l.AvailableOn}
	more := store.Closing{Sums: map[string]int64{settlement.GrossSum: sign * gross, settlement.FeeSum: fee}}
	if l.Kind == string(acquirer.SettlementMovement) {
		more.Sums[settlement.FeeSum] = -fee
		more.Tallies = map[string]store.Tally{settlement.GrossTally + l.ID: {Count: 1, Amount: gross},
			settlement.FeeTally + l.ID: {Count: 1, Amount: fee}}
	}
	if reserve != 0 {
		more.Sums[settlement.ReserveSum] = reserve
	}
	days[k] = days[k].Add(more)
}

// addCorrection adds an operator's correction of a settlement to the same closings.
func addCorrection(days map[dayKey]store.Closing, t identity.Tenant, e ledger.Entry) {
	if c, ok := settlement.CorrectionClosing(t, e); ok {
		k := dayKey{c.Series, c.Day}
		days[k] = days[k].Add(c)
	}
}

// checkSettled returns the breaks of one series of store.AcquirerBook, as settlement.Find wants its closings.
func checkSettled(of store.Series, closings []store.Closing, until time.Time) (breaks []Break) {
	for _, u := range settlement.Find(closings, until) {
		kind := SettlementDiffers
		if u.Missing {
			kind = SettlementMissing
		}
		breaks = append(breaks, Break{of.Tenant.String(), kind, strings.Join(u.IDs, ", "), u.Text})
	}
	return breaks
}

// checkSettled checks what the acquirer is to settle with the current tenant, in each currency that it ever was to
// settle.
func (n *night) checkSettled(ctx context.Context) error {
	for _, currency := range slices.Sorted(maps.Keys(n.settled)) {
		of := store.AcquirerSeries(n.tenant, currency)
		closings, err := settlement.Open(ctx, n.Store.View, of, settlement.Day(n.proof.Until))
		if err != nil {
			return err
		}
		n.addBreaks(checkSettled(of, closings, n.proof.Until))
	}
	return nil
}

// checkSettled checks what acquirers are to settle, by the lines and corrections of all tenants.
func (r *run) checkSettled() {
	days := slices.SortedFunc(maps.Keys(r.book.acquirer), dayKey.compare)
	before := settlement.Day(r.settledUntil())
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
