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

// line is the unit of matching. One record makes us expect the line, and another record has it.
type line struct {
	kind string
	id   string
	text string // content of the line, which must be equal on both sides
}

// Kinds of lines.
const (
	entryKind    = "entry"
	payableKind  = "payable"
	recordKind   = "record"
	movementKind = "movement"
	bankLineKind = "bank_line"
)

// sides has the lines and sums that one record adds to the reconciliation of a transaction, payout or settlement.
type sides struct {
	about    string // id of the transaction, payout or settlement
	expected []line // lines that other records must have
	actual   []line // lines that this record has
	sums     sums
}

// sums has amounts in minor units. Each amount adds up to zero over all items about one transaction or payout. So the
// sums from balanceSums on, which compare balances of a tenant, are zero for the tenant, too.
type sums [sumCount]int64

const (
	refundedSum    = iota // the transaction's refunded amount, less its refunds
	chargedBackSum        // the transaction's charged-back amount, less its chargebacks
	pendingSum            // captured amount, less what is refundable, refunded, charged back or in pending refunds
	deductedSum           // refunded and charged-back amounts, less what payouts and deductions took for them
	totalSum              // the payout's total, less its records
	countSum              // the payout's number of records, less the records that exist
	payableSum            // merchant_payable, the payables, and amounts that payouts took but have not paid yet
	transitSum            // payouts_in_transit, and the sent payouts
	bankSum               // the bank account, and the bank's statement
	sumCount

	balanceSums = payableSum
)

var sumNames = [sumCount]string{
	"refunded, against its refunds", "charged back, against its chargebacks",
	"captured, against what is refundable, refunded, charged back and pending",
	"deducted from payouts, against what was refunded and charged back", "the payout's total, against its records",
	"the payout's number of records, against its records", "merchant_payable and the payables",
	"payouts_in_transit and the sent payouts", "the bank account and the bank's statement",
}

// The following functions do not use the rules of package payments, but implement the contract themselves. Otherwise a
// mistake of package payments would confirm itself.

// sidesOf returns the sides of an item for each transaction and payout that the item concerns.
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
	case a.Line != nil:
		return []sides{lineSides(*a.Line)}
	default:
		return nil
	}
}

// transactionSides expects an entry for the captured amount. For each part of the amount it expects a payable or a
// payout's record.
func transactionSides(t payments.Transaction) sides {
	s := sides{about: t.ID}
	captured, fee, currency := t.Captured.Minor(), t.Fee.Minor(), t.Captured.Currency()
	if captured != 0 {
		owed, billed := captured-fee, int64(0)
		if t.Gross { // the full amount is paid out, and the fee is billed (contract §6.7)
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
		if p.Status != payments.EventFailed { // a failed part is replaced by another part
			s.sums[deductedSum] -= p.Deducted.Minor()
		}
		id, net := partID(t, p), p.Amount.Minor()-p.Deducted.Minor()
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

// partID returns the id of the payable and of the record of a transaction's part.
func partID(t payments.Transaction, p payments.PayoutPart) string {
	return t.ID + "#" + strconv.Itoa(p.Seq)
}

// recordStatus maps the status of a transaction's part to the status of its payout record.
var recordStatus = map[payments.EventStatus]payout.RecordStatus{payments.EventReconciled: payout.RecordOpen,
	payments.EventPaidOut: payout.RecordSuccessful, payments.EventFailed: payout.RecordFailed}

// eventSides expects an entry for an amount that was refunded or charged back. It expects a debit for an amount that is
// still to be deducted from the payouts of other transactions.
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
	if v.Kind == ledger.SettlementCorrected { // only an operator knows its cause
		return s
	}
	s.actual = []line{{entryKind, string(v.Kind) + " " + v.ID, strings.Join(text, ", ")}}
	return s
}

// carriedPrefix begins the id of a shortfall that one payout carries forward to the next.
const carriedPrefix = "carried#"

// carriedBy returns the id of the payout that carried the payable forward. The payable's id may also name the payout's
// step.
func carriedBy(p payments.Payable) (payout string, ok bool) {
	payout, ok = strings.CutPrefix(p.ID, carriedPrefix)
	payout, _, _ = strings.Cut(payout, "#")
	return payout, ok && p.TransactionID == ""
}

// aboutPayable returns the id of the payable's transaction, or of the payout that carried the payable forward.
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

// payableLine returns a payable's line. The line of a debit has neither a fee nor a date.
func payableLine(p payments.Payable) line {
	if p.Kind != payments.PayablePart {
		return debitLine(p)
	}
	return payable(p.ID, p.Kind, p.Amount.Minor(), p.Fee.Minor(), p.Amount.Currency(), p.EligibleAt)
}

// postings has the postings of an entry, in minor units.
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
	text := amountText(minor, c)
	if kind == payments.PayablePart {
		text += " after " + amountText(fee, c) + ", from " + eligible.UTC().Format(time.RFC3339Nano)
	}
	return line{payableKind, id, text}
}

// debitLine returns the line of a payable that is a debit. A payout carries a shortfall forward only once, but in any
// of its steps, so the line's id does not contain the step.
func debitLine(p payments.Payable) line {
	id := p.ID
	if payout, ok := carriedBy(p); ok {
		id = carriedPrefix + payout
	}
	return debit(id, p.Amount.Minor(), p.Amount.Currency())
}

// debit returns the line of a payable that reduces later payouts, or that an open payout has just collected.
func debit(id string, minor int64, c money.Currency) line {
	return payable(id, "", minor, 0, c, time.Time{})
}

func postingText(a ledger.Account, minor int64, c money.Currency) string {
	return string(a) + " " + amountText(minor, c)
}

// decimalText returns an amount of minor units as text, in major units.
func decimalText(minor int64, c money.Currency) string {
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

// amountText returns an amount of minor units as text, in major units with the currency.
func amountText(minor int64, c money.Currency) string { return decimalText(minor, c) + " " + string(c) }

// payoutSides expects an entry for a sent payout, an entry for its outcome, and a debit for a shortfall.
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
		s.expected = append(s.expected, debit(carriedPrefix+p.ID, total, p.Currency))
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
		s.sums[payableSum] = max(total, 0) // a shortfall is owed as a payable instead
	}
	return s
}

// recordSides returns one side about the payout, and one side about the subject of the payable. The record stands for
// the payable until the payout fails.
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
		of.actual = []line{debitLine(r.Payable)} // equal to the payable's line
	case r.Status == payout.RecordSuccessful:
		of.actual = []line{settledRecord(r.ID, amount, currency)}
	}
	return []sides{part, of}
}

// record returns the line of a payout record for a part of a transaction.
func record(id string, status payout.RecordStatus, payout string, minor, fee int64, c money.Currency) line {
	return line{recordKind, id, string(status) + " " + amountText(minor, c) + " after " + amountText(fee, c) +
		" in payout " + payout}
}

// settledRecord returns the line of a payout record that settled a debit.
func settledRecord(id string, minor int64, c money.Currency) line {
	return line{recordKind, id, string(payout.RecordSuccessful) + " " + amountText(minor, c)}
}
