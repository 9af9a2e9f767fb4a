package payout_test

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
)

// check runs all checks of the machine's sums.
func (m *payoutMachine) check(t *rapid.T) {
	m.checkOwed(t)
	m.checkBank(t)
	m.checkRecords(t)
	for _, tx := range m.paid {
		m.checkParts(t, tx)
	}
}

// checkOwed checks the journal's debt to the merchant. The debt equals the payables, the payouts that are not sent yet,
// and the returned payouts whose payables are to come back.
func (m *payoutMachine) checkOwed(t *rapid.T) {
	owed := money.Zero("EUR")
	for _, payable := range m.payables {
		owed = add(t, owed, payable.Amount)
	}
	for id, p := range m.payouts {
		switch p.Status {
		case payout.Collecting, payout.Sealed:
			if p.Total.Sign() > 0 { // a payout with a negative total carries that total forward
				owed = add(t, owed, p.Total)
			}
		case payout.Returning:
			for _, r := range m.records[id] {
				if r.Status == payout.RecordOpen {
					owed = add(t, owed, r.Amount)
				}
			}
		}
	}
	if booked := m.balance(t, ledger.MerchantPayable); booked != owed.Neg() {
		t.Fatalf("got %s owed to the merchant by the journal, want %s", booked.Neg(), owed)
	}
}

// checkBank checks the journal's accounts at the bank: both the money on its way and the money that has left equal the
// totals of payouts.
func (m *payoutMachine) checkBank(t *rapid.T) {
	inTransit, left := money.Zero("EUR"), money.Zero("EUR")
	for id, p := range m.payouts {
		_, paid := m.entries[string(ledger.PayoutPaid)+id]
		switch {
		case p.Status == payout.Sent:
			inTransit = add(t, inTransit, p.Total)
		case paid:
			left = add(t, left, p.Total)
		}
		if paid && p.Total.Sign() <= 0 {
			t.Fatalf("payout %s: got %s paid by the bank, want more than zero", id, p.Total)
		}
	}
	if got := m.balance(t, ledger.PayoutsInTransit); got != inTransit.Neg() {
		t.Fatalf("got %s in transit by the journal, want %s", got, inTransit.Neg())
	}
	if got := m.balance(t, ledger.Bank); got != left.Neg() {
		t.Fatalf("got %s at the bank by the journal, want %s", got, left.Neg())
	}
}

// checkRecords checks that a payout is the sum of its records, and that no payable is in two payouts unless the first
// was returned.
func (m *payoutMachine) checkRecords(t *rapid.T) {
	taken, numbers := map[string]string{}, map[int64]bool{}
	for id, p := range m.payouts {
		sum := money.Zero("EUR")
		for _, r := range m.records[id] {
			sum = add(t, sum, r.Amount)
			other, twice := taken[r.ID]
			if twice && r.Status != payout.RecordFailed && m.payouts[other].Status != payout.Returning {
				t.Fatalf("%s: got it in payouts %s and %s, want it in one", r.ID, id, other)
			}
			if r.Status != payout.RecordFailed {
				taken[r.ID] = id
			}
			if _, waits := m.payables[r.ID]; waits && r.Status != payout.RecordFailed {
				t.Fatalf("%s: got it payable and %s in payout %s, want one of them", r.ID, r.Status, id)
			}
			if numbers[r.NumericID()] {
				t.Fatalf("record %s: got number %d again, want one of its own", r.ID, r.NumericID())
			}
			numbers[r.NumericID()] = true
		}
		if sum != p.Total || len(m.records[id]) != p.Records {
			t.Fatalf("payout %s: got %d records of %s, want %d of %s", id, p.Records, p.Total, len(m.records[id]), sum)
		}
	}
}

// checkParts checks that each part either has a payable of its amount or is in its payout. No installment may be paid
// twice.
func (m *payoutMachine) checkParts(t *rapid.T, tx payments.Transaction) {
	notFailed, planned := map[int]int{}, 0
	for i, p := range tx.Payouts {
		planned = max(planned, p.Number)
		payable, waits := m.payables[fmt.Sprintf("%s#%d", tx.ID, p.Seq)]
		if waits != (p.Status == payments.EventScheduled) || waits && payable.Amount != p.Net() || p.Seq != i+1 {
			t.Fatalf("part %+v: got number %d, payable %t, %+v, want %d, %t, and the amount %s if so", p, p.Seq, waits, payable,
				i+1, p.Status == payments.EventScheduled, p.Net())
		}
		if p.Status != payments.EventFailed {
			notFailed[p.Number]++
		}
		if p.Status == payments.EventPaidOut && m.payouts[p.PayoutID].Status != payout.Paying &&
			m.payouts[p.PayoutID].Status != payout.Paid {
			t.Fatalf("part %+v: got a payout that is %s, want %s or %s", p, m.payouts[p.PayoutID].Status, payout.Paying,
				payout.Paid)
		}
	}
	for n := 1; n <= planned; n++ {
		if notFailed[n] != 1 {
			t.Fatalf("installment %d: got it %d times in %+v, want once", n, notFailed[n], tx.Payouts)
		}
	}
	if tx.PayoutsTotal() != planned {
		t.Fatalf("got %d payouts in all, want %d", tx.PayoutsTotal(), planned)
	}
}

func (m *payoutMachine) balance(t *rapid.T, a ledger.Account) money.Amount {
	sum := money.Zero("EUR")
	for _, e := range m.entries {
		for _, p := range e.Postings {
			if p.Account == a {
				sum = add(t, sum, p.Amount)
			}
		}
	}
	return sum
}

func add(t *rapid.T, a, b money.Amount) money.Amount {
	sum, err := a.Add(b)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}
