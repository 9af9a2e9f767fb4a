package world

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/cashwrap/cashwrap/shared/money"
)

// ReaderPays is the time in which a virtual reader confirms its pairing or charges the card (contract §9, §13.7).
const ReaderPays = 3 * time.Second

// CardReader is a shop's virtual card reader.
type CardReader struct {
	Shop
	ID string
}

// ReadersPath returns the path of the merchant's readers.
func (s Shop) ReadersPath() string { return "/v0.1/merchants/" + s.Merchant.Code + "/readers" }

// PairReader pairs the terminal that shows the code. It then moves the clock by ReaderPays, so that every terminal that
// ever confirms has done so.
func (s Shop) PairReader(code string) CardReader {
	s.Helper()
	made := s.Must(http.StatusCreated, s.Send("POST", s.ReadersPath(), map[string]any{"pairing_code": code}))
	s.Clock.Advance(ReaderPays)
	return CardReader{s, made.Text("id")}
}

// Path returns the reader's path, followed by the text in more.
func (r CardReader) Path(more string) string { return r.ReadersPath() + "/" + r.ID + more }

// SaleBody returns a request body for a checkout at the reader, with an amount in minor units.
func (r CardReader) SaleBody(value int64) map[string]any {
	currency := money.Currency(r.Currency)
	body := map[string]any{"total_amount": map[string]any{"currency": currency, "minor_unit": currency.Scale(),
		"value": value}}
	if r.Receiver != nil {
		body["return_url"] = r.Receiver.URL
	}
	return body
}

// SaleRequest returns the request to start a checkout at the reader, with the body from SaleBody.
func (r CardReader) SaleRequest(value int64) Request {
	return Request{Method: "POST", Path: r.Path("/checkout"), Body: r.SaleBody(value), APIKey: r.Merchant.Key.Plaintext}
}

// Begin asks the cardholder to pay an amount in minor units, and returns the checkout's id.
func (r CardReader) Begin(value int64) string {
	r.Helper()
	return r.createCheckout(r.SaleBody(value))
}

func (r CardReader) createCheckout(body map[string]any) string {
	r.Helper()
	return r.Must(http.StatusCreated, r.Send("POST", r.Path("/checkout"), body)).Text("data.checkout_id")
}

// Read reads a checkout at the reader.
func (r CardReader) Read(checkout string) Response {
	r.Helper()
	return r.Send("GET", r.Path("/checkout/"+checkout), nil)
}

// Terminate stops the checkout at the reader.
func (r CardReader) Terminate() Response {
	r.Helper()
	return r.Send("POST", r.Path("/terminate"), nil)
}

// SetOffline takes the reader offline as an operator, or puts it online again.
func (r CardReader) SetOffline(offline bool) {
	r.Helper()
	r.Command("set_reader_offline", map[string]any{"mode": "test", "reader_id": r.ID, "offline": offline})
}

// Payment reads a checkout, which records the checkout's outcome, and returns the checkout's transaction.
func (r CardReader) Payment(checkout string) Payment {
	r.Helper()
	read := r.Transaction("client_transaction_id=" + r.Read(checkout).Text("data.client_transaction_id"))
	p := Into[Payment](r, http.StatusOK, read)
	p.Checkout = checkout
	return p
}

// Sale describes a sale at a card reader.
type Sale struct {
	Amount       string
	Tip          string // fraction of the amount, chosen by the cardholder
	Description  string
	ForeignID    string // id that the affiliate chose
	CardType     string // in Brazil: credit or debit
	Installments int    // in Brazil
	Pix          bool   // in Brazil: the payer pays by a Pix code
}

// PayAtReader sells at a new reader and moves the clock. It returns the transaction, which can have any status.
func (s Shop) PayAtReader(sale Sale) Payment {
	s.Helper()
	r := s.PairReader(fmt.Sprintf("CODE%04d", s.serial.Add(1)))
	body := r.SaleBody(money.MustParse(sale.Amount, money.Currency(s.Currency)).Minor())
	if sale.Description != "" {
		body["description"] = sale.Description
	}
	if sale.Tip != "" {
		body["tip_rates"] = []json.Number{json.Number(sale.Tip)}
	}
	if sale.ForeignID != "" {
		body["affiliate"] = map[string]any{"app_id": "app", "key": "key", "foreign_transaction_id": sale.ForeignID}
	}
	if sale.Installments > 0 {
		body["installments"] = sale.Installments
	}
	if sale.CardType != "" {
		body["card_type"] = sale.CardType
	}
	if sale.Pix {
		body["payment_type"] = "pix"
	}
	checkout := r.createCheckout(body)
	s.Clock.Advance(ReaderPays)
	if sale.Pix {
		r.Command("pay_voucher", map[string]any{"checkout_id": checkout})
	}
	return r.Payment(checkout)
}
