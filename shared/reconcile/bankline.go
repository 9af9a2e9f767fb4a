package reconcile

import (
	"slices"

	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payout"
	"github.com/cashwrap/cashwrap/shared/store"
)

// expectedBankLine returns the line of the bank's statement that an entry makes us expect. It returns false for entries
// without such a line. It also returns false for a returned payout, whose statement has no line, or two lines that
// cancel out.
func expectedBankLine(v ledger.Entry) (line, bool) {
	if v.Kind != ledger.PayoutPaid {
		return line{}, false
	}
	for _, p := range v.Postings {
		if p.Account == ledger.Bank {
			return bankLine(v.ID, -p.Amount.Minor(), p.Amount.Currency()), true
		}
	}
	return line{}, false
}

// Kinds of lines of a bank's statement.
const (
	bankPayment = "payment"
	bankReturn  = "return" // the payment came back
)

// actualBankLine converts a line of the bank's statement to a line of the comparison.
func actualBankLine(b store.StatementLine) line {
	id := b.ID
	if b.Kind == bankReturn {
		id = "return " + id
	}
	return bankLine(id, b.Amount.Minor(), b.Amount.Currency())
}

func bankLine(id string, minor int64, c money.Currency) line {
	return line{bankLineKind, id, amountText(minor, c)}
}

// bankAmount returns the amount that an entry about a payout adds to our money at the bank, in minor units. The bank's
// statement has only payouts, and no settlements.
func bankAmount(v ledger.Entry) int64 {
	var sum int64
	for _, p := range v.Postings {
		if p.Account == ledger.Bank && v.About.Subject != ledger.SubjectSettlement {
			sum += p.Amount.Minor()
		}
	}
	return sum
}

// debited returns the amount that a line of the statement takes from our money at the bank, in minor units.
func debited(b store.StatementLine) int64 {
	if b.Kind == bankReturn {
		return -b.Amount.Minor()
	}
	return b.Amount.Minor()
}

// checkBankLines compares the entries with the bank's statement, as checkMovements compares them with the acquirer's
// statement. The bank may pay a transfer before we get its answer. The line of such a payment counts as open for a day.
// Any other unexplained line is a break at once, because each transfer is recorded before it is sent. It returns the
// amount by which the bank account and the statement differ.
func (r *run) checkBankLines(found *result, s *reading) int64 {
	var expected []line
	var difference int64
	maybeLater := map[line]bool{}
	for _, e := range s.entries {
		if l, ok := expectedBankLine(e); ok {
			expected = append(expected, l)
			maybeLater[l] = !e.At.Before(r.importedAt)
		}
	}
	lines := bankLinesOf(s.lines)
	if len(expected) == 0 {
		lines = withoutReturned(lines)
	}
	actual := make([]line, len(lines))
	for i, b := range lines {
		actual[i] = actualBankLine(b)
		difference += debited(b)
	}
	if p := s.payout; p != nil && p.Status == payout.Sent && len(expected) == 0 && r.allRecent(lines) {
		inTransit := bankLine(p.ID, p.Total.Minor(), p.Currency)
		expected, maybeLater[inTransit] = append(expected, inTransit), true
		if slices.Contains(actual, inTransit) {
			found.open++
			difference -= p.Total.Minor()
		}
	}
	for _, e := range s.entries {
		if l, ok := expectedBankLine(e); !ok || !maybeLater[l] || slices.Contains(actual, l) {
			difference += bankAmount(e)
		}
	}
	found.compare(s, expected, actual, func(l line) bool { return maybeLater[l] }, func(line) bool { return false })
	return difference
}

// bankLinesOf returns the lines of the bank's statement.
func bankLinesOf(lines []store.StatementLine) []store.StatementLine {
	return slices.DeleteFunc(slices.Clone(lines),
		func(l store.StatementLine) bool { return !isBankLine(l) })
}

// isBankLine returns true for a line of a bank's statement. An acquirer may use the same names of kinds, but only its
// lines have an AvailableOn.
func isBankLine(l store.StatementLine) bool {
	return (l.Kind == bankPayment || l.Kind == bankReturn) && l.AvailableOn == ""
}

// allRecent returns true if all lines are so new that their entries may still be pending.
func (r *run) allRecent(lines []store.StatementLine) bool {
	return !slices.ContainsFunc(lines, func(b store.StatementLine) bool { return r.began.Sub(b.At) > openFor })
}

// withoutReturned returns the lines without returned payments and their returns.
func withoutReturned(lines []store.StatementLine) []store.StatementLine {
	rest := slices.DeleteFunc(slices.Clone(lines), func(b store.StatementLine) bool { return b.Kind == bankReturn })
	for _, returned := range lines {
		if returned.Kind != bankReturn {
			continue
		}
		paid := slices.IndexFunc(rest, func(b store.StatementLine) bool {
			return b.Kind == bankPayment && b.Amount == returned.Amount
		})
		if paid < 0 {
			rest = append(rest, returned)
		} else {
			rest = slices.Delete(rest, paid, paid+1)
		}
	}
	return rest
}
