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

// fact is something one book calls for and another holds.
type fact struct {
	sort string
	id   string
	text string // all that must be the same
}

// The sorts.
const (
	entryFact    = "entry"
	rowFact      = "row"
	recordFact   = "record"
	movementFact = "movement"
	bookingFact  = "booking"
)

// evidence is what one item of the books says about a transaction or payout.
type evidence struct {
	about string // its id
	calls []fact // for these, of another book
	is    []fact // these itself
	sums  sums
}

// sums are amounts in minor units that come to zero over all items about one
// transaction or payout. Those from ofTenants on are judged of whole tenants.
type sums [sumCount]int64

const (
	refundedSum    = iota // by the transaction; less its refunds
	chargedBackSum        // by the transaction; less its charge-backs
	inFlightSum           // captured and neither left, refunded nor charged back; less refunds in flight
	deductedSum           // what went back; less what payouts and deductions took for it
	totalSum              // of a payout; less its records
	countSum              // of a payout's records; less those there are
	owedSum               // merchant_payable, the rows that wait, and what payouts took and have not paid
	transitSum            // payouts_in_transit, and the payouts that are sent
	bankSum               // bank, and what the bank has booked
	sumCount

	ofTenants = owedSum
)

var sumNames = [sumCount]string{
	"refunded, against its refunds", "charged back, against its charge-backs", "captured, against all that became of it",
	"deducted from payouts, against what went back", "the payout's total, against its records",
	"the payout's records, against those there are", "merchant_payable and what waits to be paid out",
	"payouts_in_transit and the payouts that are sent", "bank and what the bank has booked",
}

// The derivations below are the contract's, not package payments': a mistake
// there must not vouch for itself.

// evidenceOf an item.
func evidenceOf(a store.Audited) []evidence {
	switch {
	case a.Transaction != nil:
		return []evidence{ofTransaction(*a.Transaction)}
	case a.Event != nil:
		return []evidence{ofEvent(*a.Event)}
	case a.Entry != nil:
		return []evidence{ofEntry(*a.Entry)}
	case a.Payable != nil:
		return []evidence{ofRow(*a.Payable)}
	case a.Payout != nil:
		return []evidence{ofPayout(*a.Payout)}
	case a.Record != nil:
		return ofRecord(*a.Record)
	default:
		return nil
	}
}

// ofTransaction: what was captured is booked, and waits for its payouts or is
// recorded by them.
func ofTransaction(t payments.Transaction) evidence {
	e := evidence{about: t.ID}
	captured, fee, currency := t.Captured.Minor(), t.Fee.Minor(), t.Captured.Currency()
	if captured != 0 {
		owed, billed := captured-fee, int64(0)
		if t.Gross { // all of it is paid out, and the fee is billed (contract §6.7)
			owed, billed = captured, fee
		}
		e.calls = append(e.calls, entryOf(ledger.Payment, t.ID, currency, postings{ledger.AcquirerReceivable: captured,
			ledger.MerchantPayable: -owed, ledger.FeesReceivable: billed, ledger.FeeIncome: -fee}))
	}
	refunded, chargedBack := t.Refunded.Minor(), t.ChargedBack.Minor()
	e.sums[refundedSum], e.sums[chargedBackSum] = refunded, chargedBack
	e.sums[inFlightSum] = captured - t.Refundable.Minor() - refunded - chargedBack
	e.sums[deductedSum] = refunded + chargedBack
	for _, p := range t.Payouts {
		if p.Status != payments.EventFailed { // another part stands in for it
			e.sums[deductedSum] -= p.Deducted.Minor()
		}
		id, net := t.ID+"#"+strconv.Itoa(p.Seq), p.Amount.Minor()-p.Deducted.Minor()
		if !p.Gross {
			net -= p.Fee.Minor()
		}
		if p.Status == payments.EventScheduled {
			e.calls = append(e.calls, row(id, payments.PayablePart, net, p.Fee.Minor(), currency, p.EligibleAt))
		} else {
			e.calls = append(e.calls, record(id, recordStatus[p.Status], p.PayoutID, net, p.Fee.Minor(), currency))
		}
	}
	return e
}

// recordStatus is that of the record of a part.
var recordStatus = map[payments.EventStatus]payout.RecordStatus{payments.EventReconciled: payout.RecordOpen,
	payments.EventPaidOut: payout.RecordSuccessful, payments.EventFailed: payout.RecordFailed}

// ofEvent: what went back is booked, and so is what has to be taken from other
// transactions.
func ofEvent(v payments.Event) evidence {
	e := evidence{about: v.TransactionID}
	amount, currency := v.Amount.Minor(), v.Amount.Currency()
	returned := postings{ledger.MerchantPayable: amount, ledger.AcquirerReceivable: -amount}
	switch {
	case v.Type == payments.PayoutDeductionEvent && v.Status == payments.EventPending:
		e.sums[deductedSum] = -amount
		e.calls = append(e.calls, debit(v.ID, -amount, currency))
	case v.Type == payments.PayoutDeductionEvent:
		e.sums[deductedSum] = -amount
		e.calls = append(e.calls, settled(v.ID, -amount, currency))
	case v.Type == payments.ChargeBackEvent:
		e.calls = append(e.calls, entryOf(ledger.ChargeBack, v.ID, currency, returned))
		e.sums[chargedBackSum] = -amount
	case v.Status == payments.EventRefunded:
		e.calls = append(e.calls, entryOf(ledger.Refund, v.ID, currency, returned))
		e.sums[refundedSum] = -amount
	case inFlight(v):
		e.sums[inFlightSum] = -amount
	}
	return e
}

func ofEntry(v ledger.Entry) evidence {
	e := evidence{about: v.About.ID}
	text := make([]string, len(v.Postings))
	for i, l := range v.Postings {
		text[i] = postingText(l.Account, l.Amount.Minor(), l.Amount.Currency())
		switch l.Account {
		case ledger.MerchantPayable:
			e.sums[owedSum] += l.Amount.Minor()
		case ledger.PayoutsInTransit:
			e.sums[transitSum] += l.Amount.Minor()
		}
	}
	slices.Sort(text)
	e.is = []fact{{entryFact, string(v.Kind) + " " + v.ID, strings.Join(text, ", ")}}
	return e
}

// carried begins the ids of what one payout lacked and the next makes up for.
const carried = "carried#"

// carriedBy is the payout that carried the row forward, by the last of its
// steps or all at once.
func carriedBy(u payments.Payable) (payout string, ok bool) {
	payout, ok = strings.CutPrefix(u.ID, carried)
	payout, _, _ = strings.Cut(payout, "#")
	return payout, ok && u.TransactionID == ""
}

// aboutRow is the transaction the row is of, or the payout that carried it
// forward.
func aboutRow(u payments.Payable) string {
	if payout, ok := carriedBy(u); ok {
		return payout
	}
	return u.TransactionID
}

func ofRow(u payments.Payable) evidence {
	e := evidence{about: aboutRow(u), is: []fact{waiting(u)}}
	e.sums[owedSum] = u.Amount.Minor()
	return e
}

// waiting is the fact that a row waits. A debit has neither fee nor date of its
// own.
func waiting(u payments.Payable) fact {
	if u.Kind != payments.PayablePart {
		return waitingDebit(u)
	}
	return row(u.ID, u.Kind, u.Amount.Minor(), u.Fee.Minor(), u.Amount.Currency(), u.EligibleAt)
}

// postings of an entry, in minor units.
type postings map[ledger.Account]int64

func entryOf(kind ledger.Kind, id string, c money.Currency, of postings) fact {
	var text []string
	for account, minor := range of {
		if minor != 0 {
			text = append(text, postingText(account, minor, c))
		}
	}
	slices.Sort(text)
	return fact{entryFact, string(kind) + " " + id, strings.Join(text, ", ")}
}

func row(id string, kind payments.PayableKind, minor, fee int64, c money.Currency, eligible time.Time) fact {
	text := minorText(minor, c)
	if kind == payments.PayablePart {
		text += " after " + minorText(fee, c) + ", from " + eligible.UTC().Format(time.RFC3339Nano)
	}
	return fact{rowFact, id, text}
}

// waitingDebit is that of a row. A payout carries forward once, whatever the
// step that did.
func waitingDebit(u payments.Payable) fact {
	id := u.ID
	if payout, ok := carriedBy(u); ok {
		id = carried + payout
	}
	return debit(id, u.Amount.Minor(), u.Amount.Currency())
}

// debit is a row that takes from other transactions, waiting or just taken by a
// payout.
func debit(id string, minor int64, c money.Currency) fact {
	return row(id, "", minor, 0, c, time.Time{})
}

func postingText(a ledger.Account, minor int64, c money.Currency) string {
	return string(a) + " " + minorText(minor, c)
}

// digits are an amount of minor units in major ones.
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

// minorText is an amount of minor units as people write it.
func minorText(minor int64, c money.Currency) string { return digits(minor, c) + " " + string(c) }
