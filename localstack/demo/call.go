package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// object is a JSON object.
type object = map[string]any

// card is a test card that will not have expired.
func card(number string) object {
	return object{"name": "Erika Mustermann", "number": number, "cvv": "123",
		"expiry_month": "12", "expiry_year": time.Now().AddDate(3, 0, 0).Format("2006")}
}

// create creates a checkout with further fields.
func (s *story) create(ctx context.Context, reference, amount string, more object) (c checkout, err error) {
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

func (s *story) process(ctx context.Context, id string, body object, status int) (c checkout, err error) {
	return c, s.call(ctx, "PUT", "/v0.1/checkouts/"+id, body, status, &c)
}

func (s *story) retrieve(ctx context.Context, id, status string) error {
	var c checkout
	if err := s.call(ctx, "GET", "/v0.1/checkouts/"+id, nil, http.StatusOK, &c); err != nil {
		return err
	}
	return s.expect(c.Status == status, "the checkout, "+status)
}

// call makes one API call, prints both sides, reads the reply into a value unless that is nil, and wants the status exactly, as strict clients do (contract §2.3).
func (s *story) call(ctx context.Context, method, path string, body object, status int, into any) error {
	var sent io.Reader
	s.print.line("→ " + method + " " + s.BaseURL + path)
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(raw)
		s.print.line(pretty(masked(body)))
	}
	request, err := http.NewRequestWithContext(ctx, method, s.BaseURL+path, sent)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+s.APIKey)
	request.Header.Set("Content-Type", "application/json")
	response, err := (&http.Client{Transport: s.HTTP}).Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	reply, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	s.print.line("← " + response.Status + "\n" + indented(reply))
	if response.StatusCode != status {
		return fmt.Errorf("%s %s answered %s, not %d", method, path, response.Status, status)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(reply, into)
}
