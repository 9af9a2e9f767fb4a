package stripe_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/acquirertest"
	"github.com/cashwrap/cashwrap/localstack/harness/counterpartytest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/stripetest"
	"github.com/cashwrap/cashwrap/localstack/platform/counterparty"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/stripe"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/secret"
)

// Names of the stand-in that most tests use.
const (
	plainCard     = stripetest.PlainCard
	currentSecret = stripetest.CurrentSecret
)

type object = stripetest.Object

var signed, signature = stripetest.Signed, stripetest.Signature

func TestAcquirer_EveryRule(t *testing.T) {
	t.Parallel()
	acquirertest.Run(t, openPeer)
}

// openPeer returns two processes with the same records and the same stand-in.
func openPeer(tb testing.TB) acquirertest.Peer {
	first := newFixture(tb)
	first.api.Pays = true
	second := first.otherProcess()
	return acquirertest.Peer{
		First: first.Acquirer, Second: second.Acquirer, Steps: &first.Wire.Steps, Clock: first.Clock,
		NewCharge: chargeTo, NewRefund: refundTo, Answer: first.api.Answer, Moved: first.api.Moved, Pay: first.api.Pay,
		Settle: first.api.Settle, ChargeBack: first.api.ChargeBack, Notify: first.api.Notify,
	}
}

// chargeTo returns a charge that has the result. Stripe's API has no charges at a terminal.
func chargeTo(r acquirertest.Result) (acquirer.Charge, bool) {
	c, ok := map[acquirertest.Result]acquirer.Charge{
		acquirertest.Approve:  cardCharge("", plainCard, "10"),
		acquirertest.Decline:  cardCharge("", stripetest.DecliningCard, "10"),
		acquirertest.Forbid:   cardCharge("", stripetest.StolenCard, "10"),
		acquirertest.Ask:      cardCharge("", stripetest.AskingCard, "10"),
		acquirertest.Redirect: methodCharge("", payments.IDEAL, "10", "EUR"),
		acquirertest.Code:     methodCharge("", payments.Boleto, "10", "BRL"),
		acquirertest.Wait:     cardCharge("", plainCard, "42.25"),
		acquirertest.NotTaken: cardCharge("", plainCard, "42.24"),
		acquirertest.Wallet:   walletCharge(""),
	}[r]
	return c, ok
}

// refundTo returns an approved charge, and the amount of a refund that has the result. A stored refund is never not
// taken.
func refundTo(r acquirertest.Result) (acquirer.Charge, money.Amount, bool) {
	amount, ok := map[acquirertest.Result]string{acquirertest.Approve: "10", acquirertest.Decline: "42.01",
		acquirertest.Wait: "42.25"}[r]
	if !ok {
		return acquirer.Charge{}, money.Amount{}, false
	}
	return cardCharge("", plainCard, "100"), money.MustParse(amount, "EUR"), true
}

// fixture is one process of the acquirer, with the stand-in and its own network. Each request to the table or to the
// stand-in is a step of its Wire. The fault Throttle is a timeout of a request to the stand-in.
type fixture struct {
	*stripe.Acquirer
	*counterpartytest.Fixture
	api *stripetest.StandIn
}

func newFixture(tb testing.TB) *fixture {
	tb.Helper()
	w := &fixture{Fixture: counterpartytest.New(tb)}
	w.api = stripetest.New(w.Clock)
	w.Acquirer = w.open()
	return w
}

// otherProcess returns another process with the same records and the same stand-in.
func (w *fixture) otherProcess() *fixture {
	other := &fixture{Fixture: w.OtherProcess(), api: w.api}
	other.Acquirer = other.open()
	return other
}

func (w *fixture) open() *stripe.Acquirer {
	return stripe.New(stripe.Config{DB: w.DB, Table: w.Table, Now: w.Now, BaseURL: "https://api.stripe.example",
		Key: func() string { return stripetest.Key }, NoticeSecrets: func() []string {
			return []string{currentSecret, stripetest.FormerSecret}
		}, Network: faults.RoundTrip(w.carry)})
}

func (w *fixture) carry(r *http.Request) (*http.Response, error) {
	var answer *http.Response
	err := w.Wire.Carry(r.Context(), counterparty.Call{Name: stripetest.Operation(r), NotTaken: context.DeadlineExceeded,
		Send: func(context.Context) (_ string, err error) {
			answer, err = w.api.RoundTrip(r) //nolint:bodyclose // the caller closes it
			return "", err
		}})
	if err != nil {
		return nil, err
	}
	return answer, nil
}

func card(number string) *payments.Card {
	return &payments.Card{Name: "Ada Payer", Number: secret.New(number), ExpiryMonth: "12", ExpiryYear: "2030",
		CVV: secret.New("7319")}
}

func cardCharge(id, number, amount string) acquirer.Charge {
	return acquirer.Charge{
		ID: id, Reference: acquirer.Reference{Tenant: "T#MC1", CheckoutID: "checkout of " + id},
		Amount: money.MustParse(amount, "EUR"), Method: payments.CardMethod, Installments: 1,
		Card: card(number), Descriptor: "Corner Shop", ReturnURL: "https://shop.example/done",
	}
}

func methodCharge(id string, m payments.Method, amount string, c money.Currency) acquirer.Charge {
	charge := cardCharge(id, plainCard, "10")
	charge.Method, charge.Card, charge.Amount = m, nil, money.MustParse(amount, c)
	charge.Payer = &payments.PersonalDetails{FirstName: "Ada", LastName: "Payer", Email: "ada@shop.example",
		TaxID: "111.444.777-35", Address: payments.Address{Country: "BR", City: "Recife"}}
	return charge
}

func walletCharge(id string) acquirer.Charge {
	charge := methodCharge(id, payments.GooglePay, "10", "EUR")
	charge.Wallet = secret.New(`{"paymentMethodData":{"tokenizationData":{"type":"PAYMENT_GATEWAY",` +
		`"token":"{\"id\":\"tok_1Abc\",\"object\":\"token\"}"}}}`)
	return charge
}
