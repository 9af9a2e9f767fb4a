package reconcile

import (
	"slices"

	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payout"
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

// bankSides returns an entry's lines and sums in the comparison with the bank's statement.
func bankSides(v ledger.Entry) sides {
	var s sides
	if l, ok := expectedBankLine(v); ok {
		s.expected = []line{l}
	}
	s.sums[bankSum] = bankAmount(v)
	return s
}

// bankLineSides returns the lines and sums of a line of the bank's statement in the same comparison. A return cancels
// the payment.
func bankLineSides(b bank.StatementLine) sides {
	paid := []line{bankLine(b.ID, b.Amount.Minor(), b.Amount.Currency())}
	s := sides{actual: paid}
	if b.Return {
		s = sides{expected: paid}
	}
	s.sums[bankSum] = debited(b)
	return s
}

// actualBankLine converts a line of the bank's statement to a line of the comparison.
func actualBankLine(b bank.StatementLine) line {
	id := b.ID
	if b.Return {
		id = "return " + id
	}
	return bankLine(id, b.Amount.Minor(), b.Amount.Currency())
}

func bankLine(id string, minor int64, c money.Currency) line {
	return line{bankLineKind, id, amountText(minor, c)}
}

// bankAmount returns the amount that an entry adds to our money at the bank, in minor units.
func bankAmount(v ledger.Entry) int64 {
	var sum int64
	for _, p := range v.Postings {
		if p.Account == ledger.Bank {
			sum += p.Amount.Minor()
		}
	}
	return sum
}

// debited returns the amount that a line of the statement takes from our money at the bank, in minor units.
func debited(b bank.StatementLine) int64 {
	if b.Return {
		return -b.Amount.Minor()
	}
	return b.Amount.Minor()
}

// noteBankLine adds a line of the bank's statement to the matcher.
func (r *run) noteBankLine(t identity.Tenant, b bank.StatementLine) {
	m := r.matcher
	r.report.BankLines++
	amount := b.Amount
	if !b.Return {
		amount = amount.Neg()
	}
	m.addTotal(bankTotal, amount)
	if b.At.Before(r.began) { // later lines are left to the next run, as in noteMovement
		m.add(m.internSubject(t, b.ID), bankLineSides(b), bankComparison)
	}
}

// checkBankLines compares the entries with the bank's statement, as checkMovements compares them with the acquirer's
// statement. The bank may pay a transfer before we get its answer. The line of such a payment counts as open for a day.
// Any other unexplained line is a break at once, because each transfer is recorded before it is sent.
func (r *run) checkBankLines(found *result, s *reading) {
	var expected []line
	maybeLater := map[line]bool{}
	for _, e := range s.entries {
		if l, ok := expectedBankLine(e); ok {
			expected = append(expected, l)
			maybeLater[l] = !e.At.Before(s.statementAt)
		}
	}
	lines := s.bankLines
	if len(expected) == 0 {
		lines = withoutReturned(lines)
	}
	actual := make([]line, len(lines))
	for i, b := range lines {
		actual[i] = actualBankLine(b)
		found.imbalances[bankSum] += debited(b)
	}
	if p := s.payout; p != nil && p.Status == payout.Sent && r.allRecent(lines) {
		inTransit := bankLine(p.ID, p.Total.Minor(), p.Currency)
		expected, maybeLater[inTransit] = append(expected, inTransit), true
		if slices.Contains(actual, inTransit) {
			found.open++
			found.imbalances[bankSum] -= p.Total.Minor()
		}
	}
	for _, e := range s.entries {
		if l, ok := expectedBankLine(e); !ok || !maybeLater[l] || slices.Contains(actual, l) {
			found.imbalances[bankSum] += bankAmount(e)
		}
	}
	found.compare(s, expected, actual, func(l line) bool { return maybeLater[l] }, func(line) bool { return false })
}

// allRecent returns true if all lines are so new that their entries may still be pending.
func (r *run) allRecent(lines []bank.StatementLine) bool {
	return !slices.ContainsFunc(lines, func(b bank.StatementLine) bool { return r.began.Sub(b.At) > openFor })
}

// withoutReturned returns the lines without returned payments and their returns.
func withoutReturned(lines []bank.StatementLine) []bank.StatementLine {
	rest := slices.DeleteFunc(slices.Clone(lines), func(b bank.StatementLine) bool { return b.Return })
	for _, returned := range lines {
		if !returned.Return {
			continue
		}
		paid := slices.IndexFunc(rest, func(b bank.StatementLine) bool { return !b.Return && b.Amount == returned.Amount })
		if paid < 0 {
			rest = append(rest, returned)
		} else {
			rest = slices.Delete(rest, paid, paid+1)
		}
	}
	return rest
}
