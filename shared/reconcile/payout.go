package reconcile

import (
	"slices"

	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
)

// payoutSides expects an entry once the payout was sent and another when its
// outcome is known. A shortfall is carried forward.
func payoutSides(p payout.Payout) sides {
	s := sides{about: p.ID}
	total := p.Total.Minor()
	s.sums[totalSum], s.sums[countSum] = total, int64(p.Records)
	post := func(kind ledger.Kind, of postings) {
		s.expected = append(s.expected, entryOf(kind, p.ID, p.Currency, of))
	}
	sent := []payout.Status{payout.Sent, payout.Paying, payout.Returning, payout.Paid, payout.Failed}
	switch {
	case total > 0 && slices.Contains(sent, p.Status):
		post(ledger.Payout, postings{ledger.MerchantPayable: total, ledger.PayoutsInTransit: -total})
	case total < 0:
		s.expected = append(s.expected, debit(carried+p.ID, total, p.Currency))
	}
	switch p.Status {
	case payout.Sent:
		s.sums[transitSum] = total
	case payout.Paying, payout.Paid:
		if total > 0 {
			post(ledger.PayoutPaid, postings{ledger.PayoutsInTransit: total, ledger.Bank: -total})
		}
	case payout.Returning, payout.Failed:
		post(ledger.PayoutReturned, postings{ledger.PayoutsInTransit: total, ledger.MerchantPayable: -total})
		s.sums[payableSum] = total
	case payout.Collecting, payout.Sealed:
		s.sums[payableSum] = max(total, 0) // a shortfall is a payable
	}
	return s
}

// recordSides are about what the payable was for, which the record replaces until
// the payout fails, and about the payout.
func recordSides(r payout.Record) []sides {
	amount, currency := r.Amount.Minor(), r.Amount.Currency()
	part, of := sides{about: r.PayoutID}, sides{about: aboutPayable(r.Payable)}
	part.sums[totalSum], part.sums[countSum], part.sums[payableSum] = -amount, -1, -amount
	if r.Status != payout.RecordFailed {
		of.sums[payableSum] = amount
	}
	switch {
	case r.Kind == payments.PayablePart:
		of.actual = []line{record(r.ID, r.Status, r.PayoutID, amount, r.Fee.Minor(), currency)}
	case r.Status == payout.RecordOpen, r.Status == payout.RecordSuccessful && r.Kind == payments.PayableBalanceDeduction:
		of.actual = []line{debitLine(r.Payable)} // as its payable was
	case r.Status == payout.RecordSuccessful:
		of.actual = []line{settledRecord(r.ID, amount, currency)}
	}
	return []sides{part, of}
}

// record is the line of a payout's record of a transaction's part.
func record(id string, status payout.RecordStatus, payout string, minor, fee int64, c money.Currency) line {
	return line{recordKind, id, string(status) + " " + minorText(minor, c) + " after " + minorText(fee, c) +
		" in payout " + payout}
}

// settledRecord is the line of the record of a payout that settled a debit.
func settledRecord(id string, minor int64, c money.Currency) line {
	return line{recordKind, id, string(payout.RecordSuccessful) + " " + minorText(minor, c)}
}
