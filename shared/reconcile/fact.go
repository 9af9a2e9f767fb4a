package reconcile

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
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
	movementFact = "movement"
)

// evidence is what one item of the books says.
type evidence struct {
	calls []fact // for these, of another book
	is    []fact // these itself
	sums  sums
}

// sums are amounts in minor units that come to zero over all items of one
// transaction.
type sums [sumCount]int64

const (
	refundedSum    = iota // by the transaction; less its refunds
	chargedBackSum        // by the transaction; less its charge-backs
	inFlightSum           // captured and neither left, refunded nor charged back; less refunds in flight
	deductedSum           // what went back; less what payouts and deductions took for it
	owedSum               // merchant_payable and the rows that wait
	sumCount
)

var sumNames = [sumCount]string{
	"refunded, against its refunds", "charged back, against its charge-backs", "captured, against all that became of it",
	"deducted from payouts, against what went back", "merchant_payable, against the rows that wait",
}

// The derivations below are the contract's, not package payments': a mistake
// there must not vouch for itself.

// evidenceOf an item. Payouts belong here: a part or deduction that a payout
// took calls for its record instead of its row, a payout for its entries.
func evidenceOf(a store.Audited) evidence {
	switch {
	case a.Transaction != nil:
		return ofTransaction(*a.Transaction)
	case a.Event != nil:
		return ofEvent(*a.Event)
	case a.Entry != nil:
		return ofEntry(*a.Entry)
	case a.Row != nil:
		return ofRow(*a.Row)
	default:
		return evidence{}
	}
}

// ofTransaction: what was captured is booked, and waits for its payouts.
func ofTransaction(t payments.Transaction) evidence {
	var e evidence
	captured, fee := t.Captured.Minor(), t.Fee.Minor()
	if captured != 0 {
		e.calls = append(e.calls, entryOf(payments.PaymentEntry, t.ID, t.Captured.Currency(), map[payments.Account]int64{
			payments.AcquirerReceivable: captured, payments.MerchantPayable: fee - captured, payments.FeeIncome: -fee}))
	}
	refunded, chargedBack := t.Refunded.Minor(), t.ChargedBack.Minor()
	e.sums[refundedSum], e.sums[chargedBackSum] = refunded, chargedBack
	e.sums[inFlightSum] = captured - t.Refundable.Minor() - refunded - chargedBack
	e.sums[deductedSum] = refunded + chargedBack
	for _, p := range t.Payouts {
		if p.Status != payments.EventFailed { // another part stands in for it
			e.sums[deductedSum] -= p.Deducted.Minor()
		}
		if p.Status == payments.EventScheduled {
			net := p.Amount.Minor() - p.Fee.Minor() - p.Deducted.Minor()
			e.calls = append(e.calls, row(t.ID+"#"+strconv.Itoa(p.Seq), payments.UnpaidPart, net, p.Fee.Minor(), t.Captured.Currency(), p.EligibleAt))
		}
	}
	return e
}

// ofEvent: what went back is booked, and so is what has to be taken from other
// transactions.
func ofEvent(v payments.Event) evidence {
	var e evidence
	amount, currency := v.Amount.Minor(), v.Amount.Currency()
	returned := map[payments.Account]int64{payments.MerchantPayable: amount, payments.AcquirerReceivable: -amount}
	switch {
	case v.Type == payments.PayoutDeductionEvent:
		e.sums[deductedSum] = -amount
		if v.Status == payments.EventPending {
			e.calls = append(e.calls, row(v.ID, "", -amount, 0, currency, time.Time{}))
		}
	case v.Type == payments.ChargeBackEvent:
		e.calls = append(e.calls, entryOf(payments.ChargeBackEntry, v.ID, currency, returned))
		e.sums[chargedBackSum] = -amount
	case v.Status == payments.EventRefunded:
		e.calls = append(e.calls, entryOf(payments.RefundEntry, v.ID, currency, returned))
		e.sums[refundedSum] = -amount
	case inFlight(v):
		e.sums[inFlightSum] = -amount
	}
	return e
}

func ofEntry(v payments.Entry) evidence {
	legs := make([]string, len(v.Legs))
	var e evidence
	for i, l := range v.Legs {
		legs[i] = legText(l.Account, l.Amount.Minor(), l.Amount.Currency())
		if l.Account == payments.MerchantPayable {
			e.sums[owedSum] += l.Amount.Minor()
		}
	}
	slices.Sort(legs)
	e.is = []fact{{entryFact, string(v.Kind) + " " + v.ID, strings.Join(legs, ", ")}}
	return e
}

func ofRow(u payments.Unpaid) evidence {
	kind, eligible := u.Kind, u.EligibleAt
	if kind != payments.UnpaidPart { // of the deduction event, which has neither
		kind, eligible = "", time.Time{}
	}
	e := evidence{is: []fact{row(u.ID, kind, u.Amount.Minor(), u.Fee.Minor(), u.Amount.Currency(), eligible)}}
	e.sums[owedSum] = u.Amount.Minor()
	return e
}

// movementFor is the acquirer's movement that an entry calls for; false when
// it is none of its business.
func movementFor(v payments.Entry) (fact, bool) {
	kind, ok := map[payments.EntryKind]acquirer.Kind{payments.PaymentEntry: acquirer.Capture,
		payments.RefundEntry: acquirer.Refunded, payments.ChargeBackEntry: acquirer.ChargeBack}[v.Kind]
	if !ok {
		return fact{}, false
	}
	for _, l := range v.Legs {
		if l.Account == payments.AcquirerReceivable {
			amount := l.Amount.Minor()
			return movement(kind, v.ID, max(amount, -amount), l.Amount.Currency()), true
		}
	}
	return fact{}, false
}

// movementIs the acquirer's. It knows charge-backs by ids of its own.
func movementIs(m acquirer.Movement) fact {
	id := m.ID
	if m.Kind == acquirer.ChargeBack {
		var t payments.Transaction
		t.ID = m.ChargeID
		id = t.ChargeBackID(m.ID)
	}
	return movement(m.Kind, id, m.Amount.Minor(), m.Amount.Currency())
}

func movement(kind acquirer.Kind, id string, minor int64, c money.Currency) fact {
	return fact{movementFact, string(kind) + " " + id, minorText(minor, c)}
}

func entryOf(kind payments.EntryKind, id string, c money.Currency, legs map[payments.Account]int64) fact {
	var text []string
	for account, minor := range legs {
		if minor != 0 {
			text = append(text, legText(account, minor, c))
		}
	}
	slices.Sort(text)
	return fact{entryFact, string(kind) + " " + id, strings.Join(text, ", ")}
}

func row(id string, kind payments.UnpaidKind, minor, fee int64, c money.Currency, eligible time.Time) fact {
	text := minorText(minor, c)
	if kind == payments.UnpaidPart {
		text += " after " + minorText(fee, c) + ", from " + eligible.UTC().Format(time.RFC3339Nano)
	}
	return fact{rowFact, id, text}
}

func legText(a payments.Account, minor int64, c money.Currency) string {
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
