package sandbox_test

import (
	"context"
	"net/textproto"
	"path"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/acquirertest"
	"github.com/cashwrap/cashwrap/localstack/harness/counterpartytest"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/secret"
)

func TestAcquirer_EveryRule(t *testing.T) {
	t.Parallel()
	acquirertest.Run(t, openPeer)
}

// openPeer returns two processes of a sandbox, whose results the card and the amount decide (contract §12).
func openPeer(tb testing.TB) acquirertest.Peer {
	first := &fixture{Fixture: counterpartytest.New(tb)}
	second := &fixture{Fixture: first.OtherProcess()}
	first.Acquirer, second.Acquirer = first.restart(), second.restart()
	return acquirertest.Peer{
		First: first.Acquirer, Second: second.Acquirer, Steps: &first.Wire.Steps, Clock: first.Clock,
		NewCharge: chargeTo, NewRefund: refundTo, Answer: second.actAsPayer, Moved: second.Moved,
		Pay: func(ctx context.Context, id string) error {
			_, err := second.PayVoucher(ctx, id)
			return err
		},
		Settle: func(context.Context, string) error {
			first.Advance(30 * time.Second)
			return nil
		},
		ChargeBack: second.Chargeback,
		Notify: func(h acquirer.Hint) (textproto.MIMEHeader, []byte, error) {
			return second.NewNotice(h)
		},
	}
}

// chargeTo returns a charge that has the result.
func chargeTo(r acquirertest.Result) (acquirer.Charge, bool) {
	wallet := methodCharge("", payments.GooglePay, "10", "EUR")
	wallet.Wallet = secret.New(`{"signature":"a wallet's object"}`)
	c, ok := map[acquirertest.Result]acquirer.Charge{
		acquirertest.Approve:  cardCharge("", plainCard, "10"),
		acquirertest.Decline:  cardCharge("", plainCard, "11.00"),
		acquirertest.Forbid:   cardCharge("", plainCard, "42.43"),
		acquirertest.Ask:      cardCharge("", askingCard, "10"),
		acquirertest.Redirect: methodCharge("", payments.IDEAL, "10", "EUR"),
		acquirertest.Code:     methodCharge("", payments.Boleto, "10", "BRL"),
		acquirertest.Wait:     cardCharge("", plainCard, "42.25"),
		acquirertest.NotTaken: cardCharge("", plainCard, "42.24"),
		acquirertest.Wallet:   wallet,
		acquirertest.Reader:   presentCharge("", "10"),
	}[r]
	return c, ok
}

// refundTo returns an approved charge, and the amount of a refund that has the result.
func refundTo(r acquirertest.Result) (acquirer.Charge, money.Amount, bool) {
	amount, ok := map[acquirertest.Result]string{acquirertest.Approve: "10", acquirertest.Decline: "42.01",
		acquirertest.Wait: "42.25", acquirertest.NotTaken: "42.24"}[r]
	if !ok {
		return acquirer.Charge{}, money.Amount{}, false
	}
	return cardCharge("", plainCard, "100"), money.MustParse(amount, "EUR"), true
}

// actAsPayer answers on the issuer's or bank's page. The bank's page tells the sandbox the answer without the platform.
func (w *fixture) actAsPayer(ctx context.Context, _ string, o payments.Outcome, pays bool) (string, error) {
	if paReq, ok := o.Step.Payload["PaReq"]; ok {
		return w.Decide(ctx, paReq, map[bool]sandbox.Answer{true: sandbox.Approve, false: sandbox.Reject}[pays])
	}
	_, err := w.DecideSession(ctx, path.Base(o.Step.URL), map[bool]sandbox.BankAnswer{true: sandbox.Pay,
		false: sandbox.Fail}[pays])
	return "", err
}
