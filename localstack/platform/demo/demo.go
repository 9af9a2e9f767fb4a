// Package demo runs a merchant's first day against a running platform and prints every request and response: payments,
// a payment page, a saved card, callbacks, the history, a refund, a receipt, a card terminal, restricted keys, files, a
// payout to a new bank account, an invitation, an OAuth login, an employee's permissions, and a test profile. Run needs
// only an API key, a callback secret, and an OAuth client from an operator, as any merchant has.
package demo

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/platform/steps"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

// Config names the platform and the merchant.
type Config struct {
	API          client.Client
	MerchantCode string
	APIKey       string        // with all scopes
	Secret       string        // callback secret; "" makes an operator create a new one
	Today        time.Time     // on the platform's clock
	Operator     client.Invoke // calls the provision function
	Mails        string        // folder of the platform's mails; "" if SES sends them
	Out          io.Writer
}

// limit is the longest time that a demo may take.
const limit = 2 * time.Minute

var story = []struct {
	title string
	run   func(*scenario)
}{
	{"The merchant has a callback secret", (*scenario).readKeys},
	{"A checkout is created and paid by card", (*scenario).pay},
	{"A card whose issuer asks the payer first (3DS)", (*scenario).challenge},
	{"An amount that the sandbox always declines: 42.01", (*scenario).decline},
	{"A payer pays on the checkout's own page", (*scenario).payOnPage},
	{"A customer saves a card under a mandate", (*scenario).save},
	{"The saved card is charged without the payer", (*scenario).charge},
	{"The merchant reads its transaction history", (*scenario).showHistory},
	{"Part of the first payment is refunded", (*scenario).refund},
	{"The payer gets a receipt", (*scenario).showReceipt},
	{"A card terminal is paired, and a payer pays and tips at it", (*scenario).payAtReader},
	{"The merchant makes a restricted key, and revokes it", (*scenario).restrict},
	{"It keeps a document, and a disguised program is refused", (*scenario).keepFiles},
	{"Another merchant opens, and sells its first lunch", (*scenario).openMerchant},
	{"It adds its bank account, which is verified", (*scenario).addAccount},
	{"It is paid out to that account", (*scenario).payOut},
	{"It invites a colleague", (*scenario).invite},
	{"Its owner signs in to an application with OAuth", (*scenario).signIn},
	{"An employee's refund is refused, until it is permitted", (*scenario).refuse},
	{"A developer tries a card with a test profile, until it is deleted", (*scenario).tryCard},
}

// Run runs all steps. Its error names the first deviation from the contract.
func Run(ctx context.Context, c Config) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	shop, err := openShop()
	if err != nil {
		return err
	}
	defer shop.server.Close()
	s := &scenario{Config: c, ctx: ctx, shop: shop, run: uuid.NewString()[:8], print: printer{c.Out}}
	for i, step := range story {
		s.print.title(i+1, step.title)
		if err := steps.Try(func() { step.run(s) }); err != nil {
			return fmt.Errorf("%s: %w", step.title, err)
		}
	}
	s.print.line("\nThe demo is complete. Everything was as the contract says.")
	return nil
}

// scenario holds the merchant's knowledge so far. Its methods end the step at a breach of the contract.
type scenario struct {
	Config
	ctx     context.Context // of the whole run
	print   printer
	shop    *shop
	run     string // makes references and customers unique to this run
	secrets []webhook.Secret
	keys    []webhook.PublicKey

	code            string // transaction code of the first payment
	customer, token string
	app             client.Application
}

type checkout struct {
	ID              string
	Status          string
	TransactionCode string `json:"transaction_code"`
	Page            string `json:"hosted_checkout_url"`
	Transactions    []struct {
		Status      string
		PaymentType string `json:"payment_type"`
	}
	Instrument *struct{ Token string } `json:"payment_instrument"`
	Mandate    *struct{ Status string }
	NextStep   *client.NextStep `json:"next_step"`
}

// readKeys reads the platform's keys and the merchant's callback secret. If there is no secret, an operator makes one.
func (s *scenario) readKeys() {
	text := s.Secret
	if text == "" {
		// Pass force, because a repeated demo does not need the last run's secret.
		command := object{"command": "rotate_callback_secret", "merchant_code": s.MerchantCode, "force": true}
		var rotated struct{ Secret string }
		s.operate(command, &rotated)
		text = rotated.Secret
	}
	secret, err := webhook.ParseSecret(text)
	steps.Check(err)
	s.print.line("← a secret: whsec_… (it is not shown here)")
	s.secrets = []webhook.Secret{secret}
	s.readPublicKeys()
}

func (s *scenario) readPublicKeys() {
	var published struct {
		Keys []struct {
			PublicKey string `json:"public_key"`
		}
	}
	s.call("GET", "/.well-known/webhook-keys", nil, 200, &published)
	for _, k := range published.Keys {
		key, err := webhook.ParsePublicKey(k.PublicKey)
		steps.Check(err)
		s.keys = append(s.keys, key)
	}
	s.expect(len(s.keys) > 0, "a public key")
}

func (s *scenario) pay() {
	c := s.create("coffee", "10.10", nil)
	paid := s.process(c.ID, client.ByCard(client.Frictionless, s.Today), 200)
	s.expect(paid.Status == "PAID" && paid.TransactionCode != "", "PAID with a transaction code")
	s.code = paid.TransactionCode
	s.awaitCallback(c.ID, "PAID")
}

// decline makes a payment that the acquirer declines. The checkout is then FAILED. It could be paid again.
func (s *scenario) decline() {
	c := s.create("unlucky", "42.01", nil)
	failed := s.process(c.ID, client.ByCard(client.Frictionless, s.Today), 200)
	ok := failed.Status == "FAILED" && len(failed.Transactions) == 1 && failed.Transactions[0].Status == "FAILED"
	s.expect(ok, "FAILED with a FAILED transaction")
	s.awaitCallback(c.ID, "FAILED")
}

// save pays a checkout that sets up a recurring payment (contract §4.6).
func (s *scenario) save() {
	s.customer = "demo-" + s.run
	who := object{"customer_id": s.customer, "personal_details": object{"first_name": "Erika", "last_name": "Mustermann"}}
	s.call("POST", "/v0.1/customers", who, 201, &struct{}{})
	c := s.create("subscription", "1.00", object{"purpose": "SETUP_RECURRING_PAYMENT", "customer_id": s.customer})
	saved := s.process(c.ID, object{"payment_type": "card", "card": client.Card(client.Frictionless, s.Today),
		"mandate": object{"type": "recurrent", "user_agent": "demo/1", "user_ip": "127.0.0.1"}}, 200)
	ok := saved.Status == "PAID" && saved.Instrument != nil && saved.Mandate != nil && saved.Mandate.Status == "active"
	s.expect(ok, "PAID with a payment instrument and an active mandate")
	s.token = saved.Instrument.Token
	s.awaitCallback(c.ID, "PAID")
	var instruments []struct {
		Token  string
		Active bool
	}
	s.call("GET", "/v0.1/customers/"+s.customer+"/payment-instruments", nil, 200, &instruments)
	s.expect(len(instruments) == 1 && instruments[0].Token == s.token &&
		instruments[0].Active, "the customer's one active card")
}

func (s *scenario) charge() {
	c := s.create("month-2", "7.50", object{"customer_id": s.customer})
	paid := s.process(c.ID, object{"payment_type": "card", "token": s.token, "customer_id": s.customer}, 200)
	ok := paid.Status == "PAID" && len(paid.Transactions) == 1 && paid.Transactions[0].PaymentType == "RECURRING"
	s.expect(ok, "PAID by a RECURRING transaction")
	s.awaitCallback(c.ID, "PAID")
}

// expect prints the expectation want if ok is true. Otherwise it ends the step.
func (s *scenario) expect(ok bool, want string) {
	if !ok {
		steps.Check(fmt.Errorf("the response above is not %s", want))
	}
	s.print.line("✓ " + want)
}
