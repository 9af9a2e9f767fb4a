package trigger

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/platform/steps"
)

// declined is an amount that the sandbox declines (contract §12).
const declined = "42.01"

type checkout struct {
	merchant
	id, path string
}

// create creates a checkout with the overrides. Unless an override changes return_url, the checkout's callbacks go to
// the page /sandbox.
func (s *sequence) create(m merchant, amount, currency string, more object) checkout {
	body := object{"checkout_reference": s.reference, "amount": json.Number(amount), "currency": currency,
		"merchant_code": m.code, "description": "Trigger", "return_url": s.API.BaseURL + "/sandbox/callbacks"}
	maps.Copy(body, more)
	steps.Check(override(body, s.overrides))
	got := s.call(m, http.MethodPost, "/v0.1/checkouts", body, created)
	return checkout{m, got.Text("id"), "/v0.1/checkouts/" + got.Text("id")}
}

func (s *sequence) pay(c checkout, number, status string) (code string) {
	got := s.call(c.merchant, http.MethodPut, c.path, client.ByCard(number, s.Now), ok)
	if is := got.Text("status"); is != status {
		steps.Check(fmt.Errorf("the checkout is %s, not %s: an override may have changed that", is, status))
	}
	return got.Text("transaction_code")
}

func (s *sequence) makePayment() (m merchant, transactionCode string) {
	c := s.create(s.merchant(""), "10.00", "EUR", nil)
	return c.merchant, s.pay(c, client.Frictionless, "PAID")
}

func (s *sequence) payCheckout() { s.makePayment() }

func (s *sequence) failCheckout() {
	c := s.create(s.merchant(""), declined, "EUR", nil)
	s.pay(c, client.Frictionless, "FAILED")
}

func (s *sequence) expireCheckout() {
	c := s.create(s.merchant(""), "10.00", "EUR", nil)
	s.call(c.merchant, http.MethodDelete, c.path, nil, ok)
}

func (s *sequence) startChallenge() {
	c := s.create(s.merchant(""), "10.00", "EUR", nil)
	s.call(c.merchant, http.MethodPut, c.path, client.ByCard(client.Challenged, s.Now), accepted)
}

func (s *sequence) payBoleto() {
	c := s.create(s.merchant("BRL_"), "10.00", "BRL", object{"redirect_url": s.API.BaseURL + "/sandbox"})
	payer := object{"first_name": "João", "last_name": "Silva", "email": "joao@example.com", "tax_id": "529.982.247-25",
		"address": object{"line_1": "Rua A 1", "city": "São Paulo", "postal_code": "01304-001", "state": "SP",
			"country": "BR"}}
	s.call(c.merchant, http.MethodPut, c.path, object{"payment_type": "boleto", "personal_details": payer}, ok)
	s.operate("pay_voucher", object{"merchant_code": c.code, "checkout_id": c.id})
}

func (s *sequence) refundPayment() {
	m, code := s.makePayment()
	s.call(m, http.MethodPost, "/v1.0/merchants/"+m.code+"/payments/"+code+"/refunds", nil, created)
}

func (s *sequence) chargeBackPayment() {
	m, code := s.makePayment()
	s.operate("charge_back", object{"merchant_code": m.code, "mode": "test", "transaction": code})
}

func (s *sequence) payOut() {
	s.makePayment()
	all, err := s.Operator.RunNextPayouts(s.ctx, s.Now, s.Advance)
	steps.Check(err)
	for _, p := range all {
		fmt.Fprintf(s.Out, "payout of %s: %s %s %s\n", p.Tenant, p.Total, p.Currency, p.Status)
	}
}

func (s *sequence) payAtReader() {
	m := s.merchant("")
	readers := "/v0.1/merchants/" + m.code + "/readers"
	pairing := strings.ToUpper(s.reference[len(s.reference)-8:])
	made := s.call(m, http.MethodPost, readers, object{"pairing_code": pairing, "name": "Trigger"}, created)
	one := readers + "/" + made.Text("id")
	s.waitFor(m, one, "status", "processing")
	body := object{"total_amount": object{"currency": "EUR", "minor_unit": json.Number("2"), "value": json.Number("1000")},
		"description": "Trigger"}
	steps.Check(override(body, s.overrides))
	offered := s.call(m, http.MethodPost, one+"/checkout", body, created)
	status := s.waitFor(m, one+"/checkout/"+offered.Text("data.checkout_id"), "data.status", "pending")
	if status != "successful" {
		steps.Check(errors.New("the payment is " + status + ": an override may have changed that"))
	}
}
