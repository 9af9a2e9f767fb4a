package transactions_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// TestRefund_InvalidAmountOfUnpaidTransaction checks refunds of transactions that cannot be refunded. An impossible
// amount still gets 400, and any other amount gets 409 (contract §6.4).
func TestRefund_InvalidAmountOfUnpaidTransaction(t *testing.T) {
	t.Parallel()
	withEach(t, func(t *testing.T, s world.Shop, f form) {
		failed := s.Pay(s.Create("42.01", nil), s.Card(world.Frictionless))
		refunded := s.Sell("10.10")
		f.checkDone(t, f.send(s, refunded, ""))
		for _, p := range []world.Payment{failed, refunded} {
			for _, amount := range []string{"0", "-1", "0.00", "1.001", `"-0.01"`} {
				invalid("amount").Check(t, f.send(s, p, amount))
			}
			for _, amount := range []string{"0.01", "1", "999999999.99"} {
				conflict.Check(t, f.send(s, p, amount))
			}
		}
	})
}
