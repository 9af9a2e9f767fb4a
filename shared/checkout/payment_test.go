package checkout_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cashwrap/cashwrap/shared/checkout"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/optional"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/processing"
	"github.com/cashwrap/cashwrap/shared/secret"
)

var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// Merchants by country.
var (
	german    = merchant.Merchant{Country: "DE", Currency: "EUR"}
	american  = merchant.Merchant{Country: "US", Currency: "USD"}
	brazilian = merchant.Merchant{Country: "BR", Currency: "BRL"}
)

func card() *payments.Card {
	return &payments.Card{Name: "Ada Example", Number: secret.New("4200000000000091"), ExpiryMonth: "12",
		ExpiryYear: "2030", CVV: secret.New("123")}
}

func unusable() *payments.Card { return &payments.Card{Number: secret.New("1")} }

// TestPaymentCheck checks the faults that can be found in the body alone, in the order of the fields (contract §4.3).
func TestPaymentCheck(t *testing.T) {
	t.Parallel()
	zip, once, thrice, never := card(), 1, 3, 0
	zip.ZipCode = "94103"
	for name, c := range map[string]struct {
		payment checkout.Payment
		by      merchant.Merchant
		want    string
	}{
		"a card":         {checkout.Payment{PaymentType: "card", Card: card()}, german, ""},
		"a saved card":   {checkout.Payment{PaymentType: "card", Token: "t", CustomerID: "c"}, german, ""},
		"another method": {checkout.Payment{PaymentType: "ideal"}, german, ""},
		"Google Pay": {checkout.Payment{PaymentType: "google_pay", GooglePay: map[string]json.RawMessage{}},
			german, ""},
		"ZIP code":         {checkout.Payment{PaymentType: "card", Card: zip}, american, ""},
		"one instalment":   {checkout.Payment{PaymentType: "card", Card: card(), Installments: &once}, german, ""},
		"instalments":      {checkout.Payment{PaymentType: "card", Card: card(), Installments: &thrice}, brazilian, ""},
		"nothing":          {checkout.Payment{}, german, "MISSING payment_type"},
		"no method, alone": {checkout.Payment{Card: unusable()}, german, "MISSING payment_type"},
		"unknown, alone":   {checkout.Payment{PaymentType: "cash", Card: unusable()}, german, "INVALID payment_type"},
		"not theirs":       {checkout.Payment{PaymentType: "pix"}, german, "INVALID payment_type"},
		"no card":          {checkout.Payment{PaymentType: "card"}, german, "MISSING card"},
		"no customer":      {checkout.Payment{PaymentType: "card", Token: "t"}, german, "MISSING customer_id"},
		"card and token": {checkout.Payment{PaymentType: "card", Card: unusable(), Token: "t"}, german,
			"INVALID token"},
		"no ZIP code": {checkout.Payment{PaymentType: "card", Card: card()}, american, "MISSING card.zip_code"},
		"bad card": {checkout.Payment{PaymentType: "card", Card: unusable()}, german,
			"MISSING card.name, INVALID card.number, MISSING card.expiry_month, MISSING card.expiry_year, MISSING card.cvv"},
		"card with another method": {checkout.Payment{PaymentType: "ideal", Card: unusable(), Token: "t"}, german,
			"INVALID card, INVALID token"},
		"no Google Pay": {checkout.Payment{PaymentType: "google_pay"}, german, "MISSING google_pay"},
		"instalments elsewhere": {checkout.Payment{PaymentType: "card", Card: card(), Installments: &thrice}, german,
			"INVALID installments"},
		"no instalment": {checkout.Payment{PaymentType: "card", Card: card(), Installments: &never}, german,
			"INVALID installments"},
		"mandate": {checkout.Payment{PaymentType: "card", Card: card(), Mandate: &checkout.Mandate{Type: "once"}}, german,
			"INVALID mandate.type, MISSING mandate.user_agent"},
		"in the order of the fields": {checkout.Payment{PaymentType: "card", Installments: &thrice,
			Mandate: &checkout.Mandate{Type: "recurrent"}}, german,
			"MISSING card, INVALID installments, MISSING mandate.user_agent"},
	} {
		var got []string
		for _, fault := range c.payment.Check(c.by, now) {
			got = append(got, fault.Code+" "+fault.Param)
		}
		if diff := cmp.Diff(c.want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s: faults (-want +got):\n%s", name, diff)
		}
	}
}

// samePointer compares cards by their address, because their numbers cannot be read.
var samePointer = cmp.Comparer(func(a, b *payments.Card) bool { return a == b })

// sameSecret compares wallets' objects by their text.
var sameSecret = cmp.Comparer(func(a, b secret.Text) bool { return a.Reveal() == b.Reveal() })

func TestPaymentRequest(t *testing.T) {
	t.Parallel()
	three, payer := 3, &payments.PersonalDetailsChange{Email: optional.Some("ada@mail.example")}
	paid := card()
	for name, c := range map[string]struct {
		payment checkout.Payment
		want    processing.PaymentRequest
	}{
		"card": {checkout.Payment{PaymentType: "card", Card: paid, Installments: &three,
			Mandate: &checkout.Mandate{Type: "recurrent", UserAgent: "x", UserIP: "203.0.113.7"}, Payer: payer},
			processing.PaymentRequest{CheckoutID: "id", Operation: "op", Method: payments.CardMethod, Card: paid,
				Installments: 3, Consent: &payments.Consent{UserAgent: "x", IP: "203.0.113.7"}, Payer: payer}},
		"saved card": {checkout.Payment{PaymentType: "card", Token: "t", CustomerID: "c"},
			processing.PaymentRequest{CheckoutID: "id", Operation: "op", Method: payments.CardMethod, Token: "t",
				CustomerID: "c", Installments: 1}},
		"Google Pay": {checkout.Payment{PaymentType: "google_pay", GooglePay: map[string]json.RawMessage{
			"apiVersion": json.RawMessage("2"), "paymentMethodData": json.RawMessage(`{"type":"CARD"}`)}},
			processing.PaymentRequest{CheckoutID: "id", Operation: "op", Method: payments.GooglePay, Installments: 1,
				Wallet: secret.New(`{"apiVersion":2,"paymentMethodData":{"type":"CARD"}}`)}},
	} {
		c.want.Merchant = german
		got := c.payment.Request("id", "op", german)
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(optional.Of[string]{}),
			cmpopts.EquateComparable(money.Amount{}), samePointer, sameSecret); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
