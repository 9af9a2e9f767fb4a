// Package demo plays the platform's story against a server that runs and prints every step with the real requests and
// replies: a payment, a 3DS challenge, a decline, a saved card, the signed callbacks of them all, the history, a refund
// and a receipt. It is an ordinary merchant: it knows an API key, and the operator who gives it a callback secret.
package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/webhook"
)

// Config is the merchant's and the operator's means. All are required but HTTP.
type Config struct {
	BaseURL      string // of the API
	MerchantCode string
	APIKey       string // with all scopes
	// Provision calls the provision function.
	Provision func(ctx context.Context, request []byte) ([]byte, error)
	Out       io.Writer

	HTTP http.RoundTripper // reaches the API and its pages; nil: the network
}

// limit ends a story that waits for something that does not come.
const limit = 2 * time.Minute

// Cards of contract §12.
const (
	frictionless = "4200000000000091"
	challenged   = "4200000000000042"
)

// chapter is a part of the story; its error says what was not as the contract says.
type chapter struct {
	title string
	tell  func(*story, context.Context) error
}

var chapters = []chapter{
	{"The operator gives the merchant a callback secret", (*story).secret},
	{"A checkout is created and paid by card", (*story).pay},
	{"A card whose issuer asks the payer first (3DS)", (*story).challenge},
	{"An amount that the sandbox always declines: 42.01", (*story).decline},
	{"A customer saves a card under a mandate", (*story).save},
	{"The saved card is charged without the payer", (*story).charge},
	{"The merchant looks at its history", (*story).history},
	{"A part of the first payment is refunded", (*story).refund},
	{"The payer gets a receipt", (*story).receipt},
}

// Play tells the story. The error names the first thing that was not as the contract says.
func Play(ctx context.Context, c Config) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	shop, err := openShop(ctx)
	if err != nil {
		return err
	}
	defer shop.close()
	s := &story{Config: c, shop: shop, run: uuid.NewString()[:8], print: printer{c.Out}}
	for i, chapter := range chapters {
		s.print.title(i+1, chapter.title)
		if err := chapter.tell(s, ctx); err != nil {
			return fmt.Errorf("%s: %w", chapter.title, err)
		}
	}
	s.print.line("\nThe end: everything was as the contract says.")
	return nil
}

// story is what the merchant remembers.
type story struct {
	Config
	print   printer
	shop    *shop
	run     string // makes references and customers new each time
	secrets []webhook.Secret
	keys    []webhook.PublicKey

	code            string // of the first payment's transaction
	customer, token string
}

// checkout is what the story looks at in a reply.
type checkout struct {
	ID              string
	Status          string
	TransactionCode string `json:"transaction_code"`
	Transactions    []struct {
		Status      string
		PaymentType string `json:"payment_type"`
	}
	Instrument *struct{ Token string } `json:"payment_instrument"`
	Mandate    *struct{ Status string }
	NextStep   *nextStep `json:"next_step"`
}

type nextStep struct {
	URL, Method string
	Payload     map[string]string
}

// secret has the operator make a callback secret, and reads the platform's public keys.
func (s *story) secret(ctx context.Context) error {
	// force: the demo may be played often, and needs no secret of an earlier play.
	request := object{"command": "rotate_callback_secret", "merchant_code": s.MerchantCode, "force": true}
	s.print.line("→ provision " + pretty(request))
	raw, err := json.Marshal(request)
	if err != nil {
		return err
	}
	answer, err := s.Provision(ctx, raw)
	if err != nil {
		return err
	}
	var rotated struct {
		Secret string
		Error  json.RawMessage
	}
	if err := json.Unmarshal(answer, &rotated); err != nil {
		return err
	}
	secret, err := webhook.ParseSecret(rotated.Secret)
	if err != nil {
		return fmt.Errorf("%w; %s", err, rotated.Error) // never the whole answer
	}
	s.print.line("← a secret: whsec_… (it is shown once, and not here)")
	s.secrets = []webhook.Secret{secret}
	return s.publicKeys(ctx)
}

func (s *story) publicKeys(ctx context.Context) error {
	var published struct {
		Keys []struct {
			PublicKey string `json:"public_key"`
		}
	}
	if err := s.call(ctx, "GET", "/.well-known/webhook-keys", nil, 200, &published); err != nil {
		return err
	}
	for _, k := range published.Keys {
		key, err := webhook.ParsePublicKey(k.PublicKey)
		if err != nil {
			return err
		}
		s.keys = append(s.keys, key)
	}
	return s.expect(len(s.keys) > 0, "a public key")
}

func (s *story) pay(ctx context.Context) error {
	c, err := s.create(ctx, "coffee", "10.10", nil)
	if err != nil {
		return err
	}
	paid, err := s.process(ctx, c.ID, object{"payment_type": "card", "card": card(frictionless)}, 200)
	if err != nil {
		return err
	}
	if err := s.expect(paid.Status == "PAID" && paid.TransactionCode != "", "PAID with a transaction code"); err != nil {
		return err
	}
	s.code = paid.TransactionCode
	return s.hear(ctx, c.ID, "PAID")
}

// decline leaves the checkout FAILED; it could be paid again.
func (s *story) decline(ctx context.Context) error {
	c, err := s.create(ctx, "unlucky", "42.01", nil)
	if err != nil {
		return err
	}
	failed, err := s.process(ctx, c.ID, object{"payment_type": "card", "card": card(frictionless)}, 200)
	if err != nil {
		return err
	}
	ok := failed.Status == "FAILED" && len(failed.Transactions) == 1 && failed.Transactions[0].Status == "FAILED"
	if err := s.expect(ok, "FAILED with a FAILED transaction"); err != nil {
		return err
	}
	return s.hear(ctx, c.ID, "FAILED")
}

// save is contract §4.6: a checkout whose purpose is to set up a recurring payment.
func (s *story) save(ctx context.Context) error {
	s.customer = "demo-" + s.run
	who := object{"customer_id": s.customer, "personal_details": object{"first_name": "Erika", "last_name": "Mustermann"}}
	if err := s.call(ctx, "POST", "/v0.1/customers", who, 201, &struct{}{}); err != nil {
		return err
	}
	c, err := s.create(ctx, "subscription", "1.00", object{"purpose": "SETUP_RECURRING_PAYMENT",
		"customer_id": s.customer})
	if err != nil {
		return err
	}
	saved, err := s.process(ctx, c.ID, object{"payment_type": "card", "card": card(frictionless),
		"mandate": object{"type": "recurrent", "user_agent": "demo/1", "user_ip": "127.0.0.1"}}, 200)
	if err != nil {
		return err
	}
	ok := saved.Status == "PAID" && saved.Instrument != nil && saved.Mandate != nil && saved.Mandate.Status == "active"
	if err := s.expect(ok, "PAID with a payment instrument and an active mandate"); err != nil {
		return err
	}
	s.token = saved.Instrument.Token
	if err := s.hear(ctx, c.ID, "PAID"); err != nil {
		return err
	}
	var instruments []struct {
		Token  string
		Active bool
	}
	if err := s.call(ctx, "GET", "/v0.1/customers/"+s.customer+"/payment-instruments", nil, 200,
		&instruments); err != nil {
		return err
	}
	return s.expect(len(instruments) == 1 && instruments[0].Token == s.token &&
		instruments[0].Active, "the customer's one active card")
}

func (s *story) charge(ctx context.Context) error {
	c, err := s.create(ctx, "month-2", "7.50", object{"customer_id": s.customer})
	if err != nil {
		return err
	}
	paid, err := s.process(ctx, c.ID, object{"payment_type": "card", "token": s.token, "customer_id": s.customer}, 200)
	if err != nil {
		return err
	}
	ok := paid.Status == "PAID" && len(paid.Transactions) == 1 && paid.Transactions[0].PaymentType == "RECURRING"
	if err := s.expect(ok, "PAID by a RECURRING transaction"); err != nil {
		return err
	}
	return s.hear(ctx, c.ID, "PAID")
}

// expect says what was wanted, when it is not what came.
func (s *story) expect(ok bool, want string) error {
	if !ok {
		return fmt.Errorf("the reply above is not %s", want)
	}
	s.print.line("✓ " + want)
	return nil
}
