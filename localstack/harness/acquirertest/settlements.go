package acquirertest

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

const oneDay = 24 * time.Hour

// settledAfter is the time that the case waits for a settlement.
const settledAfter = 4 * oneDay

var settlementCases = []Case{{"Statement_Settlements", []string{
	"Acquirer.Statement: Statement walks the movements of money that the acquirer booked at the time since or later, in " +
		"no particular order, for reconciliation.",
	"Acquirer.Statement: No movement appears later than the settlement that settles it.",
	"CaptureMovement: The acquirer owes us more after a movement of a kind in the first group, and less after one in " +
		"the second.",
	"SettlementMovement: to our bank",
	"Movement: A settlement has a line for each tenant and currency.",
	"Movement.ChargeID: \"\" if the kind has no charge",
	"Movement.Amount: The Amount of a settlement is what our bank gets; it is negative if we owe the acquirer.",
	"Movement.Fee: Fee is what the acquirer charges us for this movement, and withholds from the settlement.",
	"Movement.Fee: The Fee of a settlement is the sum that it withholds.",
	"Movement.Reserve: Reserve is the part of a settlement that the acquirer keeps as security.",
	"Movement.Reserve: Other kinds have none.",
	"Movement.SettlementID: the acquirer's id of the settlement; set for settlements and returned settlements",
	"Movement.AvailableOn: AvailableOn has the first UTC date whose settlement may contain the movement.",
	"Movement.AvailableOn: For a settlement it is the last such date that the settlement covers: it settles all " +
		"movements until then that no settlement has settled.",
	"Movement.AvailableOn: A movement is available at the earliest AvailableBefore the date of At, and at the latest " +
		"AvailableAfter that date.",
	"Movement.AvailableOn: A settlement is available at the latest on the date of At.",
}, testSettlements}}

// testSettlements checks the settlement of a charge and its refund, and each walk on the way to it. The case is skipped
// if the acquirer has settled nothing after settledAfter.
func testSettlements(s *subject) {
	c, r := s.newRefund(Approve)
	s.expect(refunding(r), payments.Approved)
	settled := false
	for range settledAfter / oneDay {
		s.Clock.Advance(oneDay)
		settled = s.checkSettled(c.Reference.Tenant)
	}
	if !settled {
		s.Skipf("the acquirer has settled nothing within %s", settledAfter)
	}
}

// checkSettled checks that the settlements of a statement settle the lines until their last day, and that a walk since
// yesterday has the settlements since then. It returns true if the statement has a settlement.
func (s *subject) checkSettled(tenant string) bool {
	s.Helper()
	lines := s.readLines(s.First, time.Time{})
	s.checkSince(s.Clock.Now().Add(-oneDay), lines)
	known, last := map[string]bool{}, ""
	for _, m := range lines {
		if m.Kind != acquirer.SettlementMovement {
			if m.SettlementID != "" || !m.Reserve.IsZero() {
				s.Fatalf("got the line %+v, want a settlement's id and a reserve only of settlements", m)
			}
			continue
		}
		name := m.SettlementID + " " + string(m.Amount.Currency())
		if m.ChargeID != "" || m.ID != "" || m.SettlementID == "" || m.Tenant != tenant || known[name] ||
			availableOn(m) > m.At.Format(time.DateOnly) {
			s.Fatalf("got the line %+v, want a settlement of %s with its own id, of a day until its booking", m, tenant)
		}
		known[name], last = true, max(last, availableOn(m))
	}
	gross, fees := map[money.Currency]int64{}, map[money.Currency]int64{}
	for _, m := range lines {
		if availableOn(m) > last {
			continue
		}
		amount, fee := m.Amount.Minor(), m.Fee.Minor()
		if m.Kind == acquirer.SettlementMovement {
			amount, fee = amount+fee+m.Reserve.Minor(), -fee
		}
		gross[m.Amount.Currency()] += m.Kind.Sign() * amount
		fees[m.Amount.Currency()] += fee
	}
	for currency := range gross {
		if gross[currency] != 0 || fees[currency] != 0 {
			s.Fatalf("got %d of gross amounts and %d of fees left in minor units of %s until %s, want all settled",
				gross[currency], fees[currency], currency, last)
		}
	}
	return len(known) > 0
}

// checkSince checks that a walk since a time yields each settlement among all lines that was booked since then.
func (s *subject) checkSince(since time.Time, all []acquirer.Movement) {
	s.Helper()
	found := map[string]acquirer.Movement{}
	for _, m := range s.readLines(s.First, since) {
		found[m.LineID] = m
	}
	for _, m := range all {
		got := found[m.LineID]
		if m.Kind == acquirer.SettlementMovement && !m.At.Before(since) && (got.SettlementID != m.SettlementID ||
			got.Amount != m.Amount || got.Fee != m.Fee) {
			s.Fatalf("since %s: got %+v, want the settlement %+v", since, got, m)
		}
	}
}

// availableOn returns the day of a line.
func availableOn(m acquirer.Movement) string {
	if m.AvailableOn.IsZero() {
		return m.At.Format(time.DateOnly)
	}
	return m.AvailableOn.UTC().Format(time.DateOnly)
}
