package demo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/client"
)

// payOnPage is contract §13.3: the merchant sends the payer to the checkout's own page, and takes no card data.
func (s *scenario) payOnPage(ctx context.Context) error {
	c, err := s.create(ctx, "page", "12.00", object{"hosted_checkout": object{"enabled": true}})
	if err != nil {
		return err
	}
	if err = s.expect(c.Page != "", "the address of a payment page"); err != nil {
		return err
	}
	page, err := s.visit(ctx, client.Request{Method: http.MethodGet, Path: c.Page})
	if err != nil {
		return err
	}
	cookie, _, _ := strings.Cut(page.Header.Get("Set-Cookie"), ";")
	form, err := page.Form()
	if err != nil {
		return err
	}
	form.Fields.Set("payment_type", "card")
	for name, value := range client.Card(client.Frictionless, s.Today) {
		form.Fields.Set("card."+name, fmt.Sprint(value))
	}
	s.print.line("  The payer enters a card.")
	paying := form.Request()
	paying.Header = map[string]string{"Cookie": cookie}
	if _, err := s.visit(ctx, paying); err != nil {
		return err
	}
	if err := s.retrieve(ctx, c.ID, "PAID"); err != nil {
		return err
	}
	return s.awaitCallback(ctx, c.ID, "PAID")
}

// visit is the payer's browser on the payment page: it sends a request, and follows it to the page that it leads to.
func (s *scenario) visit(ctx context.Context, r client.Request) (client.Response, error) {
	said := "→ " + r.Method + " " + r.Path
	if form, sends := r.Body.(url.Values); sends {
		said += "  (a browser's form: " + strings.Join(slices.Sorted(maps.Keys(form)), ", ") + ")"
	}
	s.print.line(said)
	page, err := s.API.Do(ctx, r)
	if err != nil {
		return page, err
	}
	if page.Status == http.StatusSeeOther {
		location := page.Header.Get("Location")
		s.print.line("← " + statusLine(page) + "  Location: " + location)
		return s.visit(ctx, client.Request{Method: http.MethodGet, Path: location, Header: r.Header})
	}
	s.print.line("← " + statusLine(page) + "  " + titleOf(string(page.Body)))
	if page.Status != http.StatusOK {
		return page, errors.New("the payment page answered " + statusLine(page))
	}
	return page, nil
}
