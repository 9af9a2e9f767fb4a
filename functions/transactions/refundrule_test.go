package transactions_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// TestRefund_OperatorRules checks that both operations obey the operator's rules, which limit refunds by country and
// currency (contract §6.4). The link to createRefund shows the minimum.
func TestRefund_OperatorRules(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p := s.Sell("10.10")
	const link = `[{"rel":"refund","href":"http://cashwrap.test/v1.0/merchants/`
	links := func(least string) string {
		return link + s.Merchant.Code + `/payments/` + p.ID + `/refunds","type":"application/json","min_amount":` + least +
			`,"max_amount":10.10}]`
	}
	s.Set("REFUND_RULES", "FR:1 USD:1 FR/EUR::9")
	world.Holds(t, s.Transaction("id="+p.ID).Body, map[string]string{"links": links("0.01")})

	s.Set("REFUND_RULES", "DE:90 EUR::2.50")
	world.Holds(t, s.Transaction("id="+p.ID).Body, map[string]string{"links": links("2.50")})
	conflict.Check(t, refundV0(s, p, "2.49"))
	low := refundV1(s, p, "2.49")
	world.Refused(422, "INVALID_AMOUNT", "", "unprocessable-entity").Check(t, low)
	world.Holds(t, low.Body, map[string]string{"errors": `[{"code":"INVALID_AMOUNT","detail":"The amount is below the ` +
		`minimum that can be refunded.",` +
		`"reason":"amount_too_low","max_refundable_amount":1010,"min_refundable_amount":250}]`})
	high := refundV1(s, p, "10.11")
	world.Holds(t, high.Body,
		map[string]string{"errors": `[{"code":"INVALID_AMOUNT","detail":"The amount exceeds what is left to refund.",` +
			`"reason":"amount_too_high","max_refundable_amount":1010,"min_refundable_amount":250}]`})
	wantSummary(s, p, "SUCCESSFUL, left 10.10")

	s.Must(http.StatusNoContent, refundV0(s, p, "2.5"))
	s.Must(http.StatusCreated, refundV1(s, p, "5.10"))
	wantSummary(s, p, "REFUNDED, REFUND REFUNDED 2.50, REFUND REFUNDED 5.10, left 2.50")

	s.Clock.Advance(90 * 24 * time.Hour)
	conflict.Check(t, refundV0(s, p, ""))
	conflict.Check(t, refundV1(s, p, ""))
	world.Holds(t, s.Transaction("id="+p.ID).Body, map[string]string{"links": "[]"})
}
