package demo

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/platform/redact"
	"github.com/cashwrap/cashwrap/localstack/platform/steps"
)

type object = map[string]any

func (s *scenario) create(reference, amount string, more object) (c checkout) {
	body := object{"checkout_reference": reference + "-" + s.run, "amount": json.Number(amount), "currency": "EUR",
		"merchant_code": s.MerchantCode, "description": "Demo", "return_url": s.shop.callbackURL()}
	maps.Copy(body, more)
	s.call("POST", "/v0.1/checkouts", body, http.StatusCreated, &c)
	s.expect(c.Status == "PENDING" && c.ID != "", "a PENDING checkout")
	return c
}

func (s *scenario) process(id string, body object, status int) (c checkout) {
	s.call("PUT", "/v0.1/checkouts/"+id, body, status, &c)
	return c
}

func (s *scenario) retrieve(id, status string) {
	var c checkout
	s.call("GET", "/v0.1/checkouts/"+id, nil, http.StatusOK, &c)
	s.expect(c.Status == status, "the checkout, "+status)
}

// call sends a request, prints it with its response, and decodes the response unless into is nil. A response with
// another status ends the step (contract §2.3).
func (s *scenario) call(method, path string, body object, status int, into any) {
	request := client.Request{Method: method, Path: path, APIKey: s.APIKey}
	s.print.line("→ " + method + " " + s.API.BaseURL + path)
	if body != nil {
		request.Body = body
		s.print.line(pretty(body))
	}
	response, err := s.API.Do(s.ctx, request)
	steps.Check(err)
	s.print.line("← " + statusLine(response) + "\n" + prettyReply(response.Body))
	if response.Status != status {
		steps.Check(fmt.Errorf("%s %s answered %s, not %d", method, path, statusLine(response), status))
	}
	if into != nil {
		steps.Check(response.Into(into))
	}
}

func statusLine(r client.Response) string {
	return fmt.Sprint(r.Status, " ", http.StatusText(r.Status))
}

// printer prints to the terminal. It ignores errors, because if a print fails, there is no reader.
type printer struct{ out io.Writer }

func (p printer) title(n int, text string) { _, _ = fmt.Fprintf(p.out, "\n=== %d. %s\n\n", n, text) }

func (p printer) line(text string) { _, _ = fmt.Fprintln(p.out, text) }

// pretty indents a request's body and hides its secrets.
func pretty(o object) string {
	text, err := json.Marshal(o)
	if err != nil {
		return err.Error()
	}
	return indented(redact.Request("application/json", text))
}

// prettyReply indents a reply and hides texts that look like secrets.
func prettyReply(body []byte) string {
	return indented(cmp.Or(redact.Reply(body), redact.Text(string(body))))
}

func indented(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }
