package stripetest

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
)

// Book books a line of the balance. A charge costs a fiftieth of its amount, and is available on the third day.
func (s *StandIn) Book(kind string, source Object, units int64) Object {
	line := s.NewObject("txn", "balance_transaction", Object{"type": kind, "amount": units, "fee": int64(0),
		"currency": source["currency"], "source": source["id"], "available_on": s.Now().Unix()})
	if kind == "charge" {
		line["fee"] = units / 50
		line["available_on"] = s.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 2).Unix()
	}
	s.Lines = append(s.Lines, line)
	return line
}

// PayOut makes a payout in each currency, at most once a day. It contains the lines that are available until it
// arrives, two days later.
func (s *StandIn) PayOut() {
	today := s.Now().UTC().Truncate(24 * time.Hour)
	arrival := today.AddDate(0, 0, 2).Unix()
	sums := map[any]int64{}
	payouts := map[any]Object{}
	for _, line := range slices.Clone(s.Lines) {
		of := line["currency"]
		if line["payout"] != nil || line["available_on"].(int64) > arrival || s.paidOn[of].Equal(today) {
			continue
		}
		if payouts[of] == nil {
			payouts[of] = s.NewObject("po", "payout", Object{"currency": of})
		}
		line["payout"] = payouts[of]["id"]
		sums[of] += line["amount"].(int64) - line["fee"].(int64)
	}
	for of, payout := range payouts {
		s.paidOn[of] = today
		payout["amount"] = sums[of]
		line := s.Book("payout", payout, -sums[of])
		line["payout"], line["available_on"] = payout["id"], arrival
	}
}

// Dispute books a dispute of the charge.
func (s *StandIn) Dispute(id string, charge Object, units, booked int64) {
	s.Objects[id] = Object{"id": id, "object": "dispute", "amount": units, "currency": charge["currency"],
		"charge": charge["id"], "metadata": Object{}}
	s.Book("adjustment", s.Objects[id], booked)
}

// Moved returns the sums of a charge's lines.
func (s *StandIn) Moved(_ context.Context, chargeID string) (map[acquirer.Kind]money.Amount, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	units := map[acquirer.Kind]int64{}
	sums := map[acquirer.Kind]money.Amount{}
	for _, line := range s.Lines {
		id, _ := line["source"].(string)
		source := s.Objects[id]
		charge := source
		if name, ok := source["charge"].(string); ok {
			charge = s.Objects[name]
		}
		if of, _ := charge["metadata"].(Object); of["attempt"] != chargeID {
			continue
		}
		kind := map[any]acquirer.Kind{"charge": acquirer.CaptureMovement, "refund": acquirer.RefundMovement,
			"dispute": acquirer.ChargebackMovement}[source["object"]]
		units[kind] += source["amount"].(int64)
		sums[kind] = money.FromMinor(units[kind], money.Currency(strings.ToUpper(source["currency"].(string))))
	}
	return sums, nil
}
