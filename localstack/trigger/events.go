package trigger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/client"
)

// declined is an amount that the sandbox declines (contract §12).
const declined = "42.01"

// checkout is one that the sequence works with.
type checkout struct {
	merchant
	id, path string
}

// create creates a checkout, with the overrides. Its callbacks go to the page /sandbox unless these say where.
func (s *sequence) create(ctx context.Context, m merchant, amount, currency string, more object) (checkout, error) {
	body := object{"checkout_reference": s.reference, "amount": json.Number(amount), "currency": currency,
		"merchant_code": m.code, "description": "Trigger", "return_url": s.API.BaseURL + "/sandbox/callbacks"}
	maps.Copy(body, more)
	if err := override(body, s.overrides); err != nil {
		return checkout{}, err
	}
	got, err := s.call(ctx, m, http.MethodPost, "/v0.1/checkouts", body, created)
	return checkout{m, got.Text("id"), "/v0.1/checkouts/" + got.Text("id")}, err
}

// pay processes a checkout with a card, and returns the transaction's code.
func (s *sequence) pay(ctx context.Context, c checkout, number, status string) (code string, err error) {
	got, err := s.call(ctx, c.merchant, http.MethodPut, c.path, client.ByCard(number, s.Now), ok)
	if err == nil && got.Text("status") != status {
		err = fmt.Errorf("the checkout is %s, not %s: an override may have changed that", got.Text("status"), status)
	}
	return got.Text("transaction_code"), err
}

// payment is one that was made.
type payment struct {
	merchant
	transaction string // its code
}

// makePayment has a checkout paid by card.
func (s *sequence) makePayment(ctx context.Context) (payment, error) {
	c, err := s.create(ctx, s.merchant(""), "10.00", "EUR", nil)
	if err != nil {
		return payment{}, err
	}
	code, err := s.pay(ctx, c, client.Frictionless, "PAID")
	return payment{c.merchant, code}, err
}

func (s *sequence) paid(ctx context.Context) error {
	_, err := s.makePayment(ctx)
	return err
}

func (s *sequence) failed(ctx context.Context) error {
	c, err := s.create(ctx, s.merchant(""), declined, "EUR", nil)
	if err != nil {
		return err
	}
	_, err = s.pay(ctx, c, client.Frictionless, "FAILED")
	return err
}

func (s *sequence) expired(ctx context.Context) error {
	c, err := s.create(ctx, s.merchant(""), "10.00", "EUR", nil)
	if err != nil {
		return err
	}
	_, err = s.call(ctx, c.merchant, http.MethodDelete, c.path, nil, ok)
	return err
}

func (s *sequence) challenged(ctx context.Context) error {
	c, err := s.create(ctx, s.merchant(""), "10.00", "EUR", nil)
	if err != nil {
		return err
	}
	_, err = s.call(ctx, c.merchant, http.MethodPut, c.path, client.ByCard(client.Challenged, s.Now), accepted)
	return err
}

func (s *sequence) boleto(ctx context.Context) error {
	c, err := s.create(ctx, s.merchant("BRL_"), "10.00", "BRL", object{"redirect_url": s.API.BaseURL + "/sandbox"})
	if err != nil {
		return err
	}
	payer := object{"first_name": "João", "last_name": "Silva", "email": "joao@example.com", "tax_id": "529.982.247-25",
		"address": object{"line_1": "Rua A 1", "city": "São Paulo", "postal_code": "01304-001", "state": "SP",
			"country": "BR"}}
	if _, err = s.call(ctx, c.merchant, http.MethodPut, c.path,
		object{"payment_type": "boleto", "personal_details": payer}, ok); err != nil {
		return err
	}
	return s.operate(ctx, "pay_voucher", object{"merchant_code": c.code, "checkout_id": c.id})
}

func (s *sequence) refunded(ctx context.Context) error {
	p, err := s.makePayment(ctx)
	if err != nil {
		return err
	}
	path := "/v1.0/merchants/" + p.code + "/payments/" + p.transaction + "/refunds"
	_, err = s.call(ctx, p.merchant, http.MethodPost, path, nil, created)
	return err
}

func (s *sequence) chargedBack(ctx context.Context) error {
	p, err := s.makePayment(ctx)
	if err != nil {
		return err
	}
	return s.operate(ctx, "charge_back", object{"merchant_code": p.code, "mode": "test", "transaction": p.transaction})
}

func (s *sequence) paidOut(ctx context.Context) error {
	if _, err := s.makePayment(ctx); err != nil {
		return err
	}
	all, err := s.Operator.RunNextPayouts(ctx, s.Now, s.Advance)
	if err != nil {
		return err
	}
	for _, p := range all {
		fmt.Fprintf(s.Out, "payout of %s: %s %s %s\n", p.Tenant, p.Total, p.Currency, p.Status)
	}
	return nil
}

func (s *sequence) paidAtReader(ctx context.Context) error {
	m := s.merchant("")
	readers := "/v0.1/merchants/" + m.code + "/readers"
	pairing := strings.ToUpper(s.reference[len(s.reference)-8:])
	made, err := s.call(ctx, m, http.MethodPost, readers, object{"pairing_code": pairing, "name": "Trigger"}, created)
	if err != nil {
		return err
	}
	one := readers + "/" + made.Text("id")
	if _, err = s.waitFor(ctx, m, one, "status", "processing"); err != nil {
		return err
	}
	body := object{"total_amount": object{"currency": "EUR", "minor_unit": json.Number("2"), "value": json.Number("1000")},
		"description": "Trigger"}
	if err = override(body, s.overrides); err != nil {
		return err
	}
	offered, err := s.call(ctx, m, http.MethodPost, one+"/checkout", body, created)
	if err != nil {
		return err
	}
	status, err := s.waitFor(ctx, m, one+"/checkout/"+offered.Text("data.checkout_id"), "data.status", "pending")
	if err == nil && status != "successful" {
		err = errors.New("the payment is " + status + ": an override may have changed that")
	}
	return err
}
