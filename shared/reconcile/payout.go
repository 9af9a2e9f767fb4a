package reconcile

import (
	"slices"

	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
)

// ofPayout: it is booked once it was sent, and again when its outcome is
// known; what it lacks is carried forward.
func ofPayout(p payout.Payout) evidence {
	e := evidence{about: p.ID}
	total := p.Total.Minor()
	e.sums[totalSum], e.sums[countSum] = total, int64(p.Records)
	post := func(kind ledger.Kind, of postings) {
		e.calls = append(e.calls, entryOf(kind, p.ID, p.Currency, of))
	}
	sent := []payout.Status{payout.Sent, payout.Paying, payout.Returning, payout.Paid, payout.Failed}
	switch {
	case total > 0 && slices.Contains(sent, p.Status):
		post(ledger.Payout, postings{ledger.MerchantPayable: total, ledger.PayoutsInTransit: -total})
	case total < 0:
		e.calls = append(e.calls, debit(carried+p.ID, total, p.Currency))
	}
	switch p.Status {
	case payout.Sent:
		e.sums[transitSum] = total
	case payout.Paying, payout.Paid:
		if total > 0 {
			post(ledger.PayoutPaid, postings{ledger.PayoutsInTransit: total, ledger.Bank: -total})
		}
	case payout.Returning, payout.Failed:
		post(ledger.PayoutReturned, postings{ledger.PayoutsInTransit: total, ledger.MerchantPayable: -total})
		e.sums[owedSum] = total
	case payout.Collecting, payout.Sealed:
		e.sums[owedSum] = max(total, 0) // what it lacks waits in a row
	}
	return e
}

// ofRecord: about what the row was of, in whose stead it stands until the
// payout fails; and about the payout, whose part it is.
func ofRecord(r payout.Record) []evidence {
	amount, currency := r.Amount.Minor(), r.Amount.Currency()
	part, of := evidence{about: r.PayoutID}, evidence{about: aboutRow(r.Payable)}
	part.sums[totalSum], part.sums[countSum], part.sums[owedSum] = -amount, -1, -amount
	if r.Status != payout.RecordFailed {
		of.sums[owedSum] = amount
	}
	switch {
	case r.Kind == payments.PayablePart:
		of.is = []fact{record(r.ID, r.Status, r.PayoutID, amount, r.Fee.Minor(), currency)}
	case r.Status == payout.RecordOpen, r.Status == payout.RecordSuccessful && r.Kind == payments.PayableBalanceDeduction:
		of.is = []fact{waitingDebit(r.Payable)} // as its row did
	case r.Status == payout.RecordSuccessful:
		of.is = []fact{settled(r.ID, amount, currency)}
	}
	return []evidence{part, of}
}

// record is the fact that a payout took a transaction's part.
func record(id string, status payout.RecordStatus, payout string, minor, fee int64, c money.Currency) fact {
	return fact{recordFact, id, string(status) + " " + minorText(minor, c) + " after " + minorText(fee, c) +
		" in payout " + payout}
}

// settled is the fact that a payout made up for a debit.
func settled(id string, minor int64, c money.Currency) fact {
	return fact{recordFact, id, string(payout.RecordSuccessful) + " " + minorText(minor, c)}
}
