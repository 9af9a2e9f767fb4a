package payments_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// refundMachine applies random returns to one payment and keeps records as the store does.
type refundMachine struct {
	tx       payments.Transaction
	now      time.Time
	events   map[string]payments.Event
	entries  map[string]ledger.Entry
	payables map[string]payments.Payable
	reserve  money.Amount
	open     []string // ids of all refunds that were begun
}

// TestTransaction_RandomReturns checks that no cent is returned twice, booked twice or lost, with refunds, their
// outcomes and chargebacks in random order.
func TestTransaction_RandomReturns(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := newCheckout()
		currency := rapid.SampledFrom([]money.Currency{"EUR", "CLP"}).Draw(t, "currency")
		c.Amount = money.MustParse(fmt.Sprint(rapid.IntRange(1, 60).Draw(t, "amount")), currency)
		c.Payee.FeeRate = rapid.SampledFrom([]string{"", "0.0195", "0.25", "1"}).Draw(t, "fee")
		c.Payee.PayoutPlan = rapid.SampledFrom([]merchant.PayoutPlan{"", merchant.TrueInstallment}).Draw(t, "plan")
		a := attemptFor("attempt-1", payments.CardMethod)
		a.Installments = rapid.IntRange(1, 4).Draw(t, "installments")
		c, err := c.Begin(a, payments.Source{}, start)
		if err != nil {
			t.Fatal(err)
		}
		change, _ := c.Settle(a.ID, payments.Outcome{Decision: payments.Approved}, "msg", payments.Session{}, start)
		m := &refundMachine{tx: *change.Transaction, now: start, events: map[string]payments.Event{},
			reserve: money.Zero(currency),
			entries: map[string]ledger.Entry{change.Entry.ID: *change.Entry}, payables: map[string]payments.Payable{}}
		for _, payable := range change.Payables {
			m.payables[payable.ID] = payable
		}
		t.Repeat(map[string]func(*rapid.T){
			"":            m.check,
			"time passes": func(t *rapid.T) { m.now = m.now.Add(time.Duration(rapid.IntRange(1, 1e10).Draw(t, "wait"))) },
			"begin":       m.begin,
			"settle":      m.settle,
			"withdraw":    m.withdraw,
			"charge back": m.chargeback,
		})
	})
}

func (m *refundMachine) drawAmount(t *rapid.T) *money.Amount {
	if rapid.IntRange(0, 4).Draw(t, "all") == 0 {
		return nil
	}
	c := m.tx.Amount.Currency()
	a := money.MustParse(fmt.Sprint(rapid.IntRange(-1, 20).Draw(t, "units")), c)
	return &a
}

func (m *refundMachine) begin(t *rapid.T) {
	operation := fmt.Sprint("operation ", rapid.IntRange(1, 8).Draw(t, "operation"))
	inReserve := rapid.Bool().Draw(t, "in reserve")
	// Package processing requests only a refund that it does not know yet, or that was withdrawn.
	if e, known := m.events[m.tx.RefundID(operation)]; known && e.Status != payments.EventWithdrawn {
		return
	}
	change, err := m.tx.BeginRefund(operation, m.drawAmount(t), inReserve, m.now)
	if err != nil {
		return
	}
	m.open = append(m.open, change.Events[0].ID)
	m.write(t, change)
}

func (m *refundMachine) settle(t *rapid.T) {
	if len(m.open) == 0 {
		return
	}
	e := m.events[rapid.SampledFrom(m.open).Draw(t, "refund")]
	d := rapid.SampledFrom([]payments.Decision{payments.Approved, payments.Declined, payments.Cancelled,
		payments.OutcomeUnknown}).Draw(t, "decision")
	change, ok := m.tx.SettleRefund(e, payments.Outcome{Decision: d}, m.now)
	if ok != e.Open() {
		t.Fatalf("%s of a refund that is %s: got changed %t, want %t", d, e.Status, ok, e.Open())
	}
	if ok {
		m.write(t, change)
	}
}

func (m *refundMachine) withdraw(t *rapid.T) {
	if len(m.open) == 0 {
		return
	}
	e := m.events[rapid.SampledFrom(m.open).Draw(t, "refund")]
	change, ok := m.tx.WithdrawRefund(e, m.now)
	if ok != (e.Status == payments.EventBegun) {
		t.Fatalf("a refund that is %s: got withdrawn %t, want %t", e.Status, ok, e.Status == payments.EventBegun)
	}
	if ok {
		m.write(t, change)
	}
}

func (m *refundMachine) chargeback(t *rapid.T) {
	id := fmt.Sprint("cb ", rapid.IntRange(1, 8).Draw(t, "chargeback"))
	if _, known := m.events[m.tx.ChargebackID(id)]; known {
		return
	}
	if change, err := m.tx.Chargeback(newCheckout(), id, m.drawAmount(t), rapid.Bool().Draw(t, "lost"),
		"msg", m.now); err == nil {
		m.write(t, change)
	}
}

// write adopts a change under the store's conditions.
func (m *refundMachine) write(t *rapid.T, change payments.TransactionChange) {
	for _, e := range change.Events {
		if old, known := m.events[e.ID]; known && !old.Open() && old.Status != payments.EventWithdrawn {
			t.Fatalf("event %s: got it written as %s, want %s still", e.ID, e.Status, old.Status)
		}
		m.events[e.ID] = e
	}
	if e := change.Entry; e != nil {
		if old, known := m.entries[e.ID]; known {
			t.Fatalf("before %s is booked: got %+v, want no entry", e.ID, old)
		}
		m.entries[e.ID] = *e
	}
	for _, payable := range change.Payables {
		if _, known := m.payables[payable.ID]; known != (payable.Kind == payments.PayablePart) {
			t.Fatalf("payable %s: got known %t, want %t", payable.ID, known, payable.Kind == payments.PayablePart)
		}
		m.payables[payable.ID] = payable
	}
	if change.ReserveDelta.Currency() != "" {
		m.reserve = sum(t, m.reserve, change.ReserveDelta)
	}
	m.tx = change.Transaction
}

func sum(t interface{ Fatal(...any) }, amounts ...money.Amount) money.Amount {
	total := amounts[0]
	for _, a := range amounts[1:] {
		var err error
		if total, err = total.Add(a); err != nil {
			t.Fatal(err)
		}
	}
	return total
}

// check checks the invariants after every event.
func (m *refundMachine) check(t *rapid.T) {
	none := money.Zero(m.tx.Amount.Currency())
	inFlight, refunded, chargedBack, reserve, deducted := none, none, none, none, none
	for _, e := range m.events {
		switch {
		case e.Type == payments.PayoutDeductionEvent:
			deducted = sum(t, deducted, e.Amount)
		case e.Type == payments.ChargebackEvent:
			chargedBack = sum(t, chargedBack, e.Amount)
		case e.Status == payments.EventRefunded:
			refunded = sum(t, refunded, e.Amount)
		case e.Open():
			inFlight = sum(t, inFlight, e.Amount)
			if e.InReserve {
				reserve = sum(t, reserve, e.Amount)
			}
		}
		if e.Open() == e.DueAt().IsZero() && e.Type == payments.RefundEvent {
			t.Fatalf("a refund that is %s: got wake at %s, want a time: %t", e.Status, e.DueAt(), e.Open())
		}
	}
	tx := m.tx
	if total := sum(t, tx.Refundable, inFlight, refunded, chargedBack); total != tx.Captured || tx.Refunded != refunded ||
		tx.ChargedBack != chargedBack {
		t.Fatalf("got captured %s, refunded %s, charged back %s, want %s with %s in flight, %s, %s: %+v", tx.Captured,
			tx.Refunded, tx.ChargedBack, total, inFlight, refunded, chargedBack, tx)
	}
	if tx.Refundable.Sign() < 0 || m.reserve != reserve {
		t.Fatalf("got refundable %s, reserve %s, want no less than zero, %s", tx.Refundable, m.reserve, reserve)
	}
	m.checkLedger(t, deducted)
}

// checkLedger checks that entries balance, and agree with the payables.
func (m *refundMachine) checkLedger(t *rapid.T, deducted money.Amount) {
	none := money.Zero(m.tx.Amount.Currency())
	accounts := map[ledger.Account]money.Amount{ledger.AcquirerReceivable: none, ledger.MerchantPayable: none,
		ledger.FeeIncome: none}
	for _, e := range m.entries {
		if err := e.Check(); err != nil {
			t.Fatalf("%+v: got error %v, want none", e, err)
		}
		for _, l := range e.Postings {
			accounts[l.Account] = sum(t, accounts[l.Account], l.Amount)
		}
	}
	owed, fromParts := none, none
	for _, payable := range m.payables {
		owed = sum(t, owed, payable.Amount)
	}
	for _, p := range m.tx.Payouts {
		net := sum(t, p.Amount, p.Fee.Neg(), p.Deducted.Neg())
		if net.Sign() < 0 || m.payables[fmt.Sprintf("%s#%d", m.tx.ID, p.Seq)].Amount != net {
			t.Fatalf("part %+v: got its payable of %s, want %s, no less than zero", p,
				m.payables[fmt.Sprintf("%s#%d", m.tx.ID, p.Seq)].Amount, net)
		}
		fromParts = sum(t, fromParts, p.Deducted)
	}
	returned := sum(t, m.tx.Refunded, m.tx.ChargedBack)
	if owed != accounts[ledger.MerchantPayable].Neg() || sum(t, fromParts, deducted) != returned {
		t.Fatalf("got payables of %s, deducted %s and %s, want %s by the ledger, together %s", owed, fromParts, deducted,
			accounts[ledger.MerchantPayable].Neg(), returned)
	}
	if accounts[ledger.FeeIncome] != m.tx.Fee.Neg() ||
		sum(t, accounts[ledger.AcquirerReceivable], returned) != m.tx.Captured {
		t.Fatalf("got ledger %v, want the fee %s, and captured %s less returned %s", accounts, m.tx.Fee, m.tx.Captured,
			returned)
	}
	if len(m.entries) != 1+m.countClosed() {
		t.Fatalf("got %d entries of %+v, want %d", len(m.entries), m.events, 1+m.countClosed())
	}
}

// countClosed counts the events that returned money to the payer.
func (m *refundMachine) countClosed() (n int) {
	for _, e := range m.events {
		if e.Status == payments.EventRefunded || e.Type == payments.ChargebackEvent {
			n++
		}
	}
	return n
}
