package month

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/simulator"
	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
	"github.com/cashwrap/cashwrap/localstack/simulator/shops"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/store"
)

type payee struct {
	*shops.Scenario // scenario of the payee's operators
	month           *month
	where           *time.Location
	zones           []string // time zones that the payee has had
	more            string   // further members of the requests for its payments
	payable         bool     // has an account from the beginning
	full            bool     // has one account fewer than the maximum
}

// payeeKinds lists kinds of payees. Their currencies have decimals or not. Their clocks change at midnight, at another
// time, or never.
var payeeKinds = []fields{
	{"country": "DE", "currency": "EUR", "time_zone": "Europe/Berlin"},
	{"country": "BR", "currency": "BRL", "time_zone": "America/Sao_Paulo", "payout_plan": "TRUE_INSTALLMENT"},
	{"country": "CL", "currency": "CLP", "time_zone": "America/Santiago"},
	{"country": "GB", "currency": "GBP", "time_zone": "UTC"},
}

var (
	zones = []string{"Europe/Berlin", "America/Santiago", "America/Sao_Paulo", "UTC",
		"Pacific/Auckland", "Asia/Kolkata"}
	periods  = []string{"daily", "daily", "daily", "weekly", "monthly"}
	feeRates = []string{"0.0195", "0", "0.05", "0.333333"}
	ibans    = []string{sandbox.PaidIBAN, sandbox.PaidIBAN, sandbox.ClosedIBAN, sandbox.UnknownIBAN,
		sandbox.LostAnswerIBAN, sandbox.NotTakenIBAN}
)

// createMerchants creates one or two merchants, most of them with an account.
func (m *month) createMerchants() {
	for n := range 1 + m.rng.IntN(4)/3 {
		kind := payeeKinds[m.rng.IntN(len(payeeKinds))]
		live := m.rng.IntN(5) < 2
		given := fields{"command": "create_merchant", "name": "Nr. 1", "email": "n@example.com", "sandbox": !live,
			"fee_rate": feeRates[m.rng.IntN(len(feeRates))], "shards": shops.SomeShards(m.World, n)}
		maps.Copy(given, kind)
		var made shops.Made
		m.Operate("operator", simulator.Encoded(given), &made)
		where, err := time.LoadLocation(kind["time_zone"].(string))
		if err != nil || made.Code == "" {
			m.Panicf("merchant %v: %v", made, err)
		}
		of := &shops.Shop{Tenant: map[bool]string{true: "L#", false: "T#"}[live] + made.Code, Merchant: made.Code,
			Token: made.Key.Plaintext, Currency: kind["currency"].(string)}
		p := &payee{Scenario: shops.NewScenario(m.World, of, m.Random(2_000+n), fmt.Sprintf("payee-%d", n)), month: m,
			where: where, zones: []string{where.String()}}
		if kind["country"] == "BR" {
			p.more = fmt.Sprintf(`,"installments":%d`, 1+m.rng.IntN(3))
		}
		m.payees = append(m.payees, p)
		switch p.payable, p.full = m.rng.IntN(4) > 0, m.rng.IntN(8) == 0; {
		case p.full:
			p.fillAccounts()
		case p.payable:
			p.sendCommand("operator", "set_payout", fields{"holder": "Nr. 1", "iban": ibans[m.rng.IntN(len(ibans))]})
		}
		p.sendCommand("operator", "update_settings", fields{"payout_period": periods[m.rng.IntN(len(periods))],
			"gross_settlement": m.rng.IntN(3) == 0})
	}
}

// sendCommand repeats an operator's command about the payee until it is answered.
func (p *payee) sendCommand(actor, command string, more fields) {
	all := fields{"command": command, "merchant_code": p.Merchant}
	maps.Copy(all, more)
	p.Command(actor, "%s", simulator.Encoded(all))
}

// newChangeAction returns an action that changes the payee's settings or account, or requests an on-demand payout.
func (p *payee) newChangeAction() func() {
	rng := p.month.rng
	switch rng.IntN(14) {
	case 0, 1, 2:
		return p.newSettingsAction()
	case 8, 12, 13:
		return p.newAccountAction()
	case 3, 4:
		return p.newCommandAction("set_payout", fields{"holder": "Nr. 2", "iban": ibans[rng.IntN(len(ibans))]}, p.pickCount())
	case 5:
		return p.newCommandAction("set_payout", fields{"held": rng.IntN(2) == 0}, p.pickCount())
	case 6:
		zone := zones[rng.IntN(len(zones))]
		p.zones = append(p.zones, zone)
		return p.newCommandAction("update_merchant", fields{"time_zone": zone}, p.pickCount())
	case 7:
		plan := []string{"SINGLE_PAYMENT", "TRUE_INSTALLMENT"}[rng.IntN(2)]
		return p.newCommandAction("update_merchant", fields{"fee_rate": feeRates[rng.IntN(len(feeRates))],
			"payout_plan": plan}, p.pickCount())
	case 9, 10: // the merchant makes one change, and then another
		one, another := p.newChangeAction(), p.newChangeAction()
		return func() { one(); another() }
	default:
		return p.newPayoutAction()
	}
}

// newPayoutAction returns an action that requests an on-demand payout, or runs the payouts that are due.
func (p *payee) newPayoutAction() func() {
	if p.month.rng.IntN(3) == 0 {
		return p.newCommandAction("run_payouts", fields{}, p.pickCount())
	}
	p.month.demands++
	return p.newCommandAction("run_payouts", fields{"on_demand": true, "id": fmt.Sprintf("demand-%d", p.month.demands)},
		p.pickCount())
}

// pickCount returns 1 or sometimes 2, as the number of operators. The operators don't know of each other.
func (p *payee) pickCount() int { return 1 + p.month.rng.IntN(3)/2 }

// newCommandAction returns an action in which several operators send the same command.
func (p *payee) newCommandAction(command string, more fields, many int) func() {
	return p.newGroupAction("operator", func(actor string, _ int, _ *rand.Rand) { p.sendCommand(actor, command, more) },
		many)
}

// newGroupAction returns an action in which several people with the same role call the function do.
func (p *payee) newGroupAction(role string, do func(actor string, i int, rng *rand.Rand), many int) func() {
	return func() {
		p.month.commands++
		what := fmt.Sprintf("%s-%d", role, p.month.commands)
		for i := range many {
			p.StartClient(what, i, func(actor string, rng *rand.Rand) { do(actor, i, rng) })
		}
	}
}

// repair gives the payee an account that the bank can pay, and regular payouts each week or month. Half of the payees
// sell again. These sales cover refunds that came too late.
func (p *payee) repair() {
	actor := p.Name + "-mender"
	p.decideAccount(actor)
	p.sendCommand(actor, "set_payout", fields{"holder": "Nr. 3", "iban": sandbox.PaidIBAN, "held": false})
	p.sendCommand(actor, "update_settings", fields{"payout_period": []string{"weekly", "monthly"}[p.month.rng.IntN(2)],
		"payout_on_demand": false})
	p.Insist(actor, client.Request{Method: "GET", Path: settingsPath})
	p.Insist(actor, client.Request{Method: "GET", Path: accountsPath})
	if p.month.rng.IntN(2) == 0 {
		s := p.newSale(p.Name + "-last")
		s.Amount = "900"
		s.takePayment(s.Name+"-till", s.RNG)
	}
}

// hasPayables returns true if payables wait for a payout. Carried shortfalls do not count, because they wait for other
// payables.
func (p *payee) hasPayables() bool {
	payables := p.ScanPartitions(string(store.KindPayable) + "#" + p.Tenant + "#")
	return slices.ContainsFunc(payables, func(i calls.Item) bool { return i.Text("kind") != "BALANCE_DEDUCTION" })
}

type sale struct {
	*shops.Scenario
	payee *payee
}

// Amounts of sales and refunds in any currency. The sandbox gives no amount here a special outcome (contract §12).
var (
	prices = []string{"100", "84", "30", "250"}
	large  = []string{"100", "700", "1200", "2500"} // so large that live merchants reach the minimum balance
	wanted = []string{"", "", "10", "25", "30"}
)

func (p *payee) newSale(name string) *sale {
	rng := rand.New(rand.NewPCG(p.month.rng.Uint64(), p.Seed))
	amounts := prices
	if p.Live() {
		amounts = large
	}
	s := &sale{shops.NewScenario(p.World, p.Shop, rng, name), p}
	s.Amount, s.Returns = simulator.Pick(rng, amounts), wanted
	return s
}

func (s *sale) sell() { s.StartClient("till", 0, s.takePayment) }

func (s *sale) takePayment(actor string, _ *rand.Rand) {
	created := s.Insist(actor, client.Request{Method: "POST", Path: "/v0.1/checkouts", IdempotencyKey: actor,
		Body: fmt.Sprintf(`{"checkout_reference":%q,"amount":%s,"currency":%q,"merchant_code":%q}`, s.Name,
			s.Amount, s.Currency, s.Merchant)})
	if s.ID = created.View().ID; created.Status != 201 {
		return
	}
	s.Insist(actor, client.Request{Method: "PUT", Path: s.CheckoutPath(), IdempotencyKey: actor + " pays",
		Body: `{"payment_type":"card","card":` + shops.CardBody(client.Frictionless) + s.payee.more + `}`})
	s.Transaction = s.Insist(actor, client.Request{Method: "GET", Path: s.CheckoutPath()}).View().TransactionID
}

// newRefundAction returns an action that refunds a part of the payment, or charges a part back. It does nothing if the
// payment was not made.
func (s *sale) newRefundAction(byIssuer bool) func() {
	amount := wanted[s.RNG.IntN(len(wanted))]
	return func() {
		switch {
		case s.Transaction == "":
		case byIssuer:
			s.StartClient("operator", 0, func(actor string, rng *rand.Rand) {
				s.Chargeback(actor, s.Name+"-dispute", amount, rng)
			})
		default:
			s.StartClient("cashier", 0, func(actor string, rng *rand.Rand) {
				r := s.RefundOf(rng)
				r.IdempotencyKey = actor + " " + amount
				s.Refund(actor, r)
			})
		}
	}
}

// newRecallAction returns an action that refunds many small parts of the payment.
func (s *sale) newRecallAction(parts int) func() {
	return func() {
		if s.Transaction == "" {
			return
		}
		s.StartClient("clerk", 0, func(actor string, rng *rand.Rand) {
			for n := range parts {
				r := s.RefundOf(rng)
				r.IdempotencyKey, r.Body = fmt.Sprintf("%s part %d", actor, n), `{"amount":1}`
				s.Refund(actor, r)
			}
		})
	}
}

type fields = map[string]any
