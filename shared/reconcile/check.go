package reconcile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// result has the breaks that one reading of a suspect finds.
type result struct {
	breaks     []Break
	imbalances sums // only the sums with an index of at least tenantSums
	open       int  // number of movements and bank lines that may still be recorded
}

func (f *result) addBreak(s *reading, kind BreakKind, id, text string) {
	f.breaks = append(f.breaks, Break{s.tenant.String(), kind, id, text})
}

// isFinal returns true if the reading found no break, or found the same breaks as the previous reading.
func (f result) isFinal(before *result) bool {
	if len(f.breaks) == 0 && f.imbalances == (sums{}) {
		return true
	}
	return before != nil && slices.Equal(f.breaks, before.breaks) && f.imbalances == before.imbalances
}

// addResult adds a final result to the report.
func (r *run) addResult(s *reading, found result) {
	for _, b := range found.breaks {
		r.addBreak(b)
	}
	r.report.Open += found.open
	if found.imbalances != (sums{}) {
		key := balanceKey{s.tenant, s.currency()}
		of := r.matcher.imbalances[key]
		for i, minor := range found.imbalances {
			of[i] += minor
		}
		r.matcher.imbalances[key] = of
	}
}

// findBreaks returns the breaks of a suspect. It changes nothing.
func (r *run) findBreaks(s *reading) result {
	var found result
	var expected, actual []line
	var total sums
	for _, item := range s.sides {
		expected, actual = append(expected, item.expected...), append(actual, item.actual...)
		for i, minor := range item.sums {
			total[i] += minor
		}
	}
	never := func(line) bool { return false }
	found.compare(s, expected, actual, never, never)
	r.checkItems(&found, s)
	for i, minor := range total {
		switch {
		case minor == 0:
		case i >= tenantSums:
			found.imbalances[i] = minor
		case i == countSum:
			found.addBreak(s, SumsDiffer, s.id, fmt.Sprintf("%s: off by %d", sumNames[i], minor))
		case s.exists:
			found.addBreak(s, SumsDiffer, s.id, sumNames[i]+": off by "+amountText(minor, s.currency()))
		}
	}
	if s.checkAcquirer {
		r.checkMovements(&found, s)
	}
	if s.checkBank {
		r.checkBankLines(&found, s)
	}
	return found
}

// checkItems checks each item separately.
func (r *run) checkItems(found *result, s *reading) {
	if s.transaction != nil {
		if why := contradiction(*s.transaction); why != "" {
			found.addBreak(s, SumsDiffer, s.id, why)
		}
	}
	for _, e := range s.events {
		if !s.exists {
			found.addBreak(s, Orphan, e.ID, fmt.Sprintf("%s of the transaction %s, which does not exist", e.Type, s.id))
		}
		if isStuck(&e, r.began) {
			found.addBreak(s, RefundStuck, e.ID, fmt.Sprintf("%s %s since %s", e.Amount, e.Amount.Currency(),
				e.CreatedAt.Format(time.RFC3339)))
		}
	}
}

// isPending returns true if a refund's outcome is unknown. A deduction is never pending, because it does not depend on
// the acquirer.
func isPending(e payments.Event) bool { return e.Type == payments.RefundEvent && e.Open() }

// isStuck returns true if a refund has been pending for too long.
func isStuck(e *payments.Event, now time.Time) bool {
	return e != nil && isPending(*e) && now.Sub(e.CreatedAt) > openFor
}

// contradiction describes a contradiction within one transaction. It returns "" if there is none.
func contradiction(t payments.Transaction) string {
	captured := t.Captured.Minor()
	switch {
	case captured != 0 && t.Status != payments.TransactionSuccessful:
		return "captured, and yet " + string(t.Status)
	case captured != 0 && captured != t.Amount.Minor():
		return "captured " + t.Captured.String() + " of " + t.Amount.String()
	case t.Refundable.Sign() < 0, t.Refunded.Sign() < 0, t.ChargedBack.Sign() < 0:
		return "refundable " + t.Refundable.String() + ", refunded " + t.Refunded.String() + ", charged back " +
			t.ChargedBack.String()
	default:
		return ""
	}
}

// checkMovements compares the entries with the acquirer's statement. The statement may lack entries that were written
// after the statement was requested. A recent movement without an entry may be recorded later.
func (r *run) checkMovements(found *result, s *reading) {
	var expected, actual []line
	maybeLater, movedAt := map[line]bool{}, map[line]time.Time{}
	for _, e := range s.entries {
		if l, ok := expectedMovement(e); ok {
			expected = append(expected, l)
			maybeLater[l] = !e.At.Before(s.statementAt)
		}
	}
	for _, m := range s.movements {
		l := actualMovement(m)
		actual = append(actual, l)
		movedAt[l] = m.At
	}
	found.compare(s, expected, actual, func(l line) bool { return maybeLater[l] }, func(l line) bool {
		recent := r.began.Sub(movedAt[l]) <= openFor
		if recent {
			found.open++
		}
		return recent
	})
}

// compare finds missing, unexpected, duplicate and different lines. It ignores a missing line that may still
// come (maybeLater), and an unexpected line whose cause may still come (maybeExplained).
func (f *result) compare(s *reading, expected, actual []line, maybeLater, maybeExplained func(line) bool) {
	of := "; transaction " + payments.CodeOfID(s.id) + " " + s.id
	if s.notUUID {
		of = "; " + s.id
	}
	wanted, seen := map[string]line{}, map[string]bool{}
	for _, l := range expected {
		wanted[l.kind+" "+l.id] = l
	}
	for _, l := range actual {
		key := l.kind + " " + l.id
		want, isExpected := wanted[key]
		switch {
		case seen[key]:
			f.addBreak(s, BreakKind(l.kind+duplicate), l.id, l.text+", once more"+of)
		case !isExpected && !maybeExplained(l):
			f.addBreak(s, BreakKind(l.kind+unexpected), l.id, l.text+of)
		case isExpected && want.text != l.text:
			f.addBreak(s, BreakKind(l.kind+differs), l.id, "expected "+want.text+", actual "+l.text+of)
		}
		seen[key] = true
	}
	for _, l := range expected {
		if key := l.kind + " " + l.id; !seen[key] && !maybeLater(l) {
			seen[key] = true
			f.addBreak(s, BreakKind(l.kind+missing), l.id, l.text+of)
		}
	}
}

// currency returns the currency of the suspect's money, or "" if the suspect has no money.
func (s *reading) currency() money.Currency {
	switch {
	case s.transaction != nil:
		return s.transaction.Amount.Currency()
	case s.payout != nil:
		return s.payout.Currency
	case len(s.entries) > 0 && len(s.entries[0].Postings) > 0:
		return s.entries[0].Postings[0].Amount.Currency()
	case len(s.bankLines) > 0:
		return s.bankLines[0].Amount.Currency()
	default:
		return s.payablesIn
	}
}

// imbalanceKinds maps each sum with an index of at least tenantSums to the kind of its break.
var imbalanceKinds = map[int]BreakKind{payableSum: PayablesDiffer,
	transitSum: TransitDiffers, bankSum: BankDiffers}

// checkTenants checks the sums over all items of each tenant.
func (r *run) checkTenants() {
	for _, key := range sortedKeys(r.matcher.journals) {
		r.addBreak(Break{key.tenant.String(), JournalUnbalanced, key.tenant.Merchant,
			"the journal is off by " + amountText(r.matcher.journals[key], key.currency)})
	}
	for _, key := range sortedKeys(r.matcher.imbalances) {
		for i, off := range r.matcher.imbalances[key] {
			if off != 0 {
				r.addBreak(Break{key.tenant.String(), imbalanceKinds[i], key.tenant.Merchant,
					sumNames[i] + ": off by " + amountText(off, key.currency)})
			}
		}
	}
}

// sortedKeys returns the keys of a map, sorted by tenant and currency.
func sortedKeys[V any](of map[balanceKey]V) []balanceKey {
	return slices.SortedFunc(maps.Keys(of), func(a, b balanceKey) int {
		return cmp.Or(cmp.Compare(a.tenant.String(), b.tenant.String()), cmp.Compare(a.currency, b.currency))
	})
}

// finish completes the report with its totals.
func (r *run) finish() Report {
	r.report.Tenants = len(r.matcher.tenants)
	for key, minor := range r.matcher.totals {
		r.report.Totals = append(r.report.Totals, Total{key.account, key.currency, decimalText(minor, key.currency)})
	}
	slices.SortFunc(r.report.Totals, func(a, b Total) int {
		return cmp.Or(cmp.Compare(a.Currency, b.Currency), cmp.Compare(a.Account, b.Account))
	})
	return r.report
}
