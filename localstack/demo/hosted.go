package demo

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/client"
)

// payOnPage is contract §13.3: the merchant sends the payer to the checkout's own page, and takes no card data.
func (s *scenario) payOnPage() {
	c := s.create("page", "12.00", object{"hosted_checkout": object{"enabled": true}})
	s.expect(c.Page != "", "the address of a payment page")
	page := s.visit(client.Request{Method: http.MethodGet, Path: c.Page})
	cookie, _, _ := strings.Cut(page.Header.Get("Set-Cookie"), ";")
	form := formOn(page)
	form.Fields.Set("payment_type", "card")
	for name, value := range client.Card(client.Frictionless, s.Today) {
		form.Fields.Set("card."+name, fmt.Sprint(value))
	}
	s.print.line("  The payer enters a card.")
	paying := form.Request()
	paying.Header = map[string]string{"Cookie": cookie}
	s.visit(paying)
	s.retrieve(c.ID, "PAID")
	s.awaitCallback(c.ID, "PAID")
}
