package demo

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform/steps"
)

const readerInterval = time.Second

// payAtReader pairs a virtual terminal, which confirms automatically, and lets a cardholder pay at it with a tip.
func (s *scenario) payAtReader() {
	all := "/v0.1/merchants/" + s.MerchantCode + "/readers"
	var r struct{ ID, Status string }
	body := object{"pairing_code": strings.ToUpper(s.run), "name": "Counter"}
	s.call("POST", all, body, http.StatusCreated, &r)
	s.expect(r.Status == "processing", "a reader whose terminal has not confirmed yet")
	one := all + "/" + r.ID
	s.poll(one, &r, func() bool { return r.Status == "paired" }, "a paired reader")
	var c struct {
		Data struct {
			ID       string `json:"checkout_id"`
			ClientID string `json:"client_transaction_id"`
			Status   string
		}
	}
	amount := object{"currency": "EUR", "minor_unit": 2, "value": 2000}
	s.call("POST", one+"/checkout", object{"total_amount": amount, "description": "Lunch",
		"tip_rates": []json.Number{"0.10", "0.15"}}, http.StatusCreated, &c)
	paid, client := func() bool { return c.Data.Status == "successful" }, c.Data.ClientID
	s.poll(one+"/checkout/"+c.Data.ID, &c, paid, "successful")
	var t struct {
		Amount      json.Number
		TipAmount   json.Number `json:"tip_amount"`
		PaymentType string      `json:"payment_type"`
		EntryMode   string      `json:"entry_mode"`
	}
	path := "/v2.1/merchants/" + s.MerchantCode + "/transactions?client_transaction_id=" + client
	s.call("GET", path, nil, http.StatusOK, &t)
	s.expect(t.Amount == "22.00" && t.TipAmount == "2.00" && t.PaymentType == "POS" && t.EntryMode != "",
		"a POS transaction of 22.00, of which 2.00 is the tip")
}

// poll reads until done returns true, and prints the last answer.
func (s *scenario) poll(path string, into any, done func() bool, want string) {
	quiet := *s
	quiet.print = printer{io.Discard}
	for !done() {
		steps.Pause(s.ctx, readerInterval)
		quiet.call("GET", path, nil, http.StatusOK, into)
	}
	s.call("GET", path, nil, http.StatusOK, into)
	s.expect(done(), want)
}
