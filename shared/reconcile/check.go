package reconcile

import (
	"fmt"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// result has the breaks that one reading of a subject finds.
type result struct {
	breaks   []Break
	faults   []Break // breaks of single lines of statements, which hold back no entry
	open     int     // number of refunds, movements and bank lines whose outcome may still be recorded
	readings int     // number of readings until the result was final
	reading  *reading
	changing bool // the subject changed during each reading, so its breaks are not known
}

func (f *result) addBreak(s *reading, kind BreakKind, id, text string) {
	f.breaks = append(f.breaks, Break{s.tenant.String(), kind, id, text})
}

// isFinal returns true if the reading found no break, or found the same breaks as the previous reading.
func (f result) isFinal(before *result) bool {
	found := f.allBreaks()
	return len(found) == 0 || before != nil && slices.Equal(found, before.allBreaks())
}

// allBreaks returns the breaks that are reported.
func (f result) allBreaks() []Break { return slices.Concat(f.breaks, f.faults) }

// findBreaks returns the breaks of a subject. It changes nothing.
func (r *run) findBreaks(s *reading) result {
	found := result{breaks: s.breaks}
	never := func(line) bool { return false }
	found.compare(s, s.expected, s.actual, never, never)
	r.checkItems(&found, s)
	r.checkMovements(&found, s)
	found.addFaults(s)
	total := s.sums
	total[bankSum] += r.checkBankLines(&found, s)
	for i, minor := range total {
		switch {
		case minor == 0, i == payableSum && !s.exists: // what expects the payables is missing, so the proof reads only some
		case i >= balanceSums:
			found.addBreak(s, balanceKinds[i], s.id, sumNames[i]+": off by "+amountText(minor, s.currency()))
		case i == countSum:
			found.addBreak(s, SumsDiffer, s.id, fmt.Sprintf("%s: off by %d", sumNames[i], minor))
		case s.exists:
			found.addBreak(s, SumsDiffer, s.id, sumNames[i]+": off by "+amountText(minor, s.currency()))
		}
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
		if isPending(e) {
			found.open++
		}
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

// checkMovements compares the entries with the acquirer's statement. The statement may lack the movements of entries
// that were written after it was requested. A recent movement without an entry may be recorded later.
func (r *run) checkMovements(found *result, s *reading) {
	var expected, actual []line
	maybeLater, movedAt := map[line]bool{}, map[line]time.Time{}
	for _, e := range s.entries {
		if l, ok := expectedMovement(e); ok {
			expected = append(expected, l)
			maybeLater[l] = !e.At.Before(r.importedAt)
		}
	}
	for _, m := range s.lines {
		if l, ok := actualMovement(m); ok {
			actual = append(actual, l)
			movedAt[l] = m.At
		}
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
	of := s.named()
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

// named returns the end of a break's text, which names the subject.
func (s *reading) named() string {
	if s.isTransaction() {
		return "; transaction " + payments.CodeOfID(s.id) + " " + s.id
	}
	return "; " + s.id
}

// currency returns the currency of the subject's money, or "" if the subject has no money.
func (s *reading) currency() money.Currency {
	switch {
	case s.transaction != nil:
		return s.transaction.Amount.Currency()
	case s.payout != nil:
		return s.payout.Currency
	case len(s.entries) > 0 && len(s.entries[0].Postings) > 0:
		return s.entries[0].Postings[0].Amount.Currency()
	case s.payablesIn != "":
		return s.payablesIn
	case len(s.lines) > 0:
		return s.lines[0].Amount.Currency()
	default:
		return ""
	}
}

// balanceKinds maps each sum with an index of at least balanceSums to the kind of its break.
var balanceKinds = map[int]BreakKind{payableSum: PayablesDiffer, transitSum: TransitDiffers, bankSum: BankDiffers}
