package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/cashwrap/cashwrap/localstack/client"
)

// object is a JSON object.
type object = map[string]any

// create creates a checkout with further fields.
func (s *scenario) create(ctx context.Context, reference, amount string, more object) (c checkout, err error) {
	body := object{"checkout_reference": reference + "-" + s.run, "amount": json.Number(amount), "currency": "EUR",
		"merchant_code": s.MerchantCode, "description": "Demo", "return_url": s.shop.callbackURL()}
	for name, value := range more {
		body[name] = value
	}
	if err := s.call(ctx, "POST", "/v0.1/checkouts", body, http.StatusCreated, &c); err != nil {
		return c, err
	}
	return c, s.expect(c.Status == "PENDING" && c.ID != "", "a PENDING checkout")
}

func (s *scenario) process(ctx context.Context, id string, body object, status int) (c checkout, err error) {
	return c, s.call(ctx, "PUT", "/v0.1/checkouts/"+id, body, status, &c)
}

func (s *scenario) retrieve(ctx context.Context, id, status string) error {
	var c checkout
	if err := s.call(ctx, "GET", "/v0.1/checkouts/"+id, nil, http.StatusOK, &c); err != nil {
		return err
	}
	return s.expect(c.Status == status, "the checkout, "+status)
}

// call makes one API call, prints both sides, and reads the response into a value unless that is nil. Any other status
// is an error, as it is to strict clients (contract §2.3).
func (s *scenario) call(ctx context.Context, method, path string, body object, status int, into any) error {
	request := client.Request{Method: method, Path: path, APIKey: s.APIKey}
	s.print.line("→ " + method + " " + s.API.BaseURL + path)
	if body != nil {
		request.Body = body
		s.print.line(pretty(body))
	}
	response, err := s.API.Do(ctx, request)
	if err != nil {
		return err
	}
	s.print.line("← " + statusLine(response) + "\n" + prettyReply(response.Body))
	if response.Status != status {
		return fmt.Errorf("%s %s answered %s, not %d", method, path, statusLine(response), status)
	}
	if into == nil {
		return nil
	}
	return response.Into(into)
}

func statusLine(r client.Response) string {
	return fmt.Sprint(r.Status, " ", http.StatusText(r.Status))
}
