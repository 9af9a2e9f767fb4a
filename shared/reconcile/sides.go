package reconcile

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
	"github.com/cashwrap/cashwrap/shared/store"
)

// line is what is matched: one record leads us to expect it, and another has it.
type line struct {
	kind string
	id   string
	text string // all that must be equal
}

// The kinds of lines.
const (
	entryKind    = "entry"
	payableKind  = "payable"
	recordKind   = "record"
	movementKind = "movement"
	bankLineKind = "bank_line"
)

// sides are what one record adds to the two sides of the reconciliation of a transaction or payout.
type sides struct {
	about    string // the id of the transaction or payout
	expected []line // lines that other records must have
	actual   []line // lines that this record is
	sums     sums
}

// sums are amounts in minor units that add up to zero over all items about one transaction or payout; from tenantSums
// on, over a whole tenant.
type sums [sumCount]int64

const (
	refundedSum    = iota // the transaction's refunded amount, less its refunds
	chargedBackSum        // the transaction's charged-back amount, less its chargebacks
	pendingSum            // captured and neither refundable, refunded nor charged back, less the pending refunds
	deductedSum           // refunded and charged back, less what payouts and deductions took for it
	totalSum              // the payout's total, less its records
	countSum              // the payout's number of records, less those there are
	payableSum            // merchant_payable, the payables, and what payouts took and have not paid
	transitSum            // payouts_in_transit, and the sent payouts
	bankSum               // the bank account, and the bank's statement
	sumCount

	tenantSums = payableSum
)

var sumNames = [sumCount]string{
	"refunded, against its refunds", "charged back, against its chargebacks",
	"captured, against what is refundable, refunded, charged back and pending",
	"deducted from payouts, against what was refunded and charged back", "the payout's total, against its records",
	"the payout's number of records, against its records", "merchant_payable and the payables",
	"payouts_in_transit and the sent payouts", "the bank account and the bank's statement",
}

// What follows is derived from the contract: mistakes of package payments would otherwise confirm themselves.

// sidesOf an item are those for each transaction and payout that it concerns.
func sidesOf(a store.ReconciledItem) []sides {
	switch {
	case a.Transaction != nil:
		return []sides{transactionSides(*a.Transaction)}
	case a.Event != nil:
		return []sides{eventSides(*a.Event)}
	case a.Entry != nil:
		return []sides{entrySides(*a.Entry)}
	case a.Payable != nil:
		return []sides{payableSides(*a.Payable)}
	case a.Payout != nil:
		return []sides{payoutSides(*a.Payout)}
	case a.Record != nil:
		return recordSides(*a.Record)
	default:
		return nil
	}
}

// transactionSides expects an entry for what was captured, and a payable or a payout's record for each part of it.
func transactionSides(t payments.Transaction) sides {
	s := sides{about: t.ID}
	captured, fee, currency := t.Captured.Minor(), t.Fee.Minor(), t.Captured.Currency()
	if captured != 0 {
		owed, billed := captured-fee, int64(0)
		if t.Gross { // all of it is paid out, and the fee is billed (contract §6.7)
			owed, billed = captured, fee
		}
		s.expected = append(s.expected, entryOf(ledger.Payment, t.ID, currency, postings{ledger.AcquirerReceivable: captured,
			ledger.MerchantPayable: -owed, ledger.FeesReceivable: billed, ledger.FeeIncome: -fee}))
	}
	refunded, chargedBack := t.Refunded.Minor(), t.ChargedBack.Minor()
	s.sums[refundedSum], s.sums[chargedBackSum] = refunded, chargedBack
	s.sums[pendingSum] = captured - t.Refundable.Minor() - refunded - chargedBack
	s.sums[deductedSum] = refunded + chargedBack
	for _, p := range t.Payouts {
		if p.Status != payments.EventFailed { // else another part replaces it
			s.sums[deductedSum] -= p.Deducted.Minor()
		}
		id, net := t.ID+"#"+strconv.Itoa(p.Seq), p.Amount.Minor()-p.Deducted.Minor()
		if !p.Gross {
			net -= p.Fee.Minor()
		}
		if p.Status == payments.EventScheduled {
			s.expected = append(s.expected, payable(id, payments.PayablePart, net, p.Fee.Minor(), currency, p.EligibleAt))
		} else {
			s.expected = append(s.expected, record(id, recordStatus[p.Status], p.PayoutID, net, p.Fee.Minor(), currency))
		}
	}
	return s
}

// recordStatus is the status of the payout record of a part in each status.
var recordStatus = map[payments.EventStatus]payout.RecordStatus{payments.EventReconciled: payout.RecordOpen,
	payments.EventPaidOut: payout.RecordSuccessful, payments.EventFailed: payout.RecordFailed}

// eventSides expects an entry for what was refunded or charged back, and a debit
// for what has to be deducted from other transactions' payouts.
func eventSides(v payments.Event) sides {
	s := sides{about: v.TransactionID}
	amount, currency := v.Amount.Minor(), v.Amount.Currency()
	returned := postings{ledger.MerchantPayable: amount, ledger.AcquirerReceivable: -amount}
	switch {
	case v.Type == payments.PayoutDeductionEvent && v.Status == payments.EventPending:
		s.sums[deductedSum] = -amount
		s.expected = append(s.expected, debit(v.ID, -amount, currency))
	case v.Type == payments.PayoutDeductionEvent:
		s.sums[deductedSum] = -amount
		s.expected = append(s.expected, settledRecord(v.ID, -amount, currency))
	case v.Type == payments.ChargebackEvent:
		s.expected = append(s.expected, entryOf(ledger.Chargeback, v.ID, currency, returned))
		s.sums[chargedBackSum] = -amount
	case v.Status == payments.EventRefunded:
		s.expected = append(s.expected, entryOf(ledger.Refund, v.ID, currency, returned))
		s.sums[refundedSum] = -amount
	case isPending(v):
		s.sums[pendingSum] = -amount
	}
	return s
}

func entrySides(v ledger.Entry) sides {
	s := sides{about: v.About.ID}
	text := make([]string, len(v.Postings))
	for i, p := range v.Postings {
		text[i] = postingText(p.Account, p.Amount.Minor(), p.Amount.Currency())
		switch p.Account {
		case ledger.MerchantPayable:
			s.sums[payableSum] += p.Amount.Minor()
		case ledger.PayoutsInTransit:
			s.sums[transitSum] += p.Amount.Minor()
		}
	}
	slices.Sort(text)
	s.actual = []line{{entryKind, string(v.Kind) + " " + v.ID, strings.Join(text, ", ")}}
	return s
}

// carried begins the ids of shortfalls that one payout carries forward to the next.
const carried = "carried#"

// carriedBy returns the payout that carried the payable forward, by the last of its steps or all at once.
func carriedBy(p payments.Payable) (payout string, ok bool) {
	payout, ok = strings.CutPrefix(p.ID, carried)
	payout, _, _ = strings.Cut(payout, "#")
	return payout, ok && p.TransactionID == ""
}

// aboutPayable returns the id of the payable's transaction, or of the payout that carried it forward.
func aboutPayable(p payments.Payable) string {
	if payout, ok := carriedBy(p); ok {
		return payout
	}
	return p.TransactionID
}

func payableSides(p payments.Payable) sides {
	s := sides{about: aboutPayable(p), actual: []line{payableLine(p)}}
	s.sums[payableSum] = p.Amount.Minor()
	return s
}

// payableLine is a payable's line. A debit has neither fee nor date of its own.
func payableLine(p payments.Payable) line {
	if p.Kind != payments.PayablePart {
		return debitLine(p)
	}
	return payable(p.ID, p.Kind, p.Amount.Minor(), p.Fee.Minor(), p.Amount.Currency(), p.EligibleAt)
}

// postings of an entry, in minor units.
type postings map[ledger.Account]int64

func entryOf(kind ledger.Kind, id string, c money.Currency, of postings) line {
	var text []string
	for account, minor := range of {
		if minor != 0 {
			text = append(text, postingText(account, minor, c))
		}
	}
	slices.Sort(text)
	return line{entryKind, string(kind) + " " + id, strings.Join(text, ", ")}
}

func payable(id string, kind payments.PayableKind, minor, fee int64, c money.Currency, eligible time.Time) line {
	text := minorText(minor, c)
	if kind == payments.PayablePart {
		text += " after " + minorText(fee, c) + ", from " + eligible.UTC().Format(time.RFC3339Nano)
	}
	return line{payableKind, id, text}
}

// debitLine is the line of a payable that is a debit. A payout carries a shortfall
// forward once, whichever of its steps did it.
func debitLine(p payments.Payable) line {
	id := p.ID
	if payout, ok := carriedBy(p); ok {
		id = carried + payout
	}
	return debit(id, p.Amount.Minor(), p.Amount.Currency())
}

// debit returns the line of a payable that reduces later payouts, or that an open payout has just taken.
func debit(id string, minor int64, c money.Currency) line {
	return payable(id, "", minor, 0, c, time.Time{})
}

func postingText(a ledger.Account, minor int64, c money.Currency) string {
	return string(a) + " " + minorText(minor, c)
}

// digits is an amount of minor units, written in major ones.
func digits(minor int64, c money.Currency) string {
	text := strconv.FormatInt(max(minor, -minor), 10)
	if scale := c.Scale(); scale > 0 {
		if len(text) <= scale {
			text = strings.Repeat("0", scale+1-len(text)) + text
		}
		text = text[:len(text)-scale] + "." + text[len(text)-scale:]
	}
	if minor < 0 {
		return "-" + text
	}
	return text
}

// minorText is an amount of minor units, written in major ones with its currency.
func minorText(minor int64, c money.Currency) string { return digits(minor, c) + " " + string(c) }

// payoutSides expects an entry of a sent payout, another with its outcome, and that shortfalls are carried forward.
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

// recordSides are about the payout, and what the payable was for, which the record replaces until the payout fails.
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
