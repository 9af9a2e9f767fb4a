package demo

import (
	"errors"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/platform/redact"
	"github.com/cashwrap/cashwrap/localstack/platform/steps"
)

// challenge pays with a 3DS challenge. It also plays the payer's browser (contract §4.4).
func (s *scenario) challenge() {
	c := s.create("challenge", "20.00", object{"redirect_url": s.shop.base + "/thanks"})
	started := s.process(c.ID, client.ByCard(client.Challenged, s.Today), http.StatusAccepted)
	step := started.NextStep
	s.expect(step != nil && step.Method == "POST" && step.Payload["PaReq"] != "",
		"a next step for the payer's browser")
	s.retrieve(c.ID, "PENDING")
	s.browse(step)
	select {
	case id := <-s.shop.payers:
		s.expect(id == c.ID, "the payer back in the shop, with the checkout's id")
	default:
		steps.Check(errors.New("the payer did not come back to redirect_url"))
	}
	s.awaitCallback(c.ID, "PAID")
}

// browse posts the merchant's form as the payer, approves on the issuer's page and follows the way back.
func (s *scenario) browse(step *client.NextStep) {
	payer := s.newBrowser()
	decision := formOn(s.visit(payer, step.Form().Request()))
	decision.Fields.Set("decision", "approve")
	s.print.line("  The payer approves.")
	back := s.visit(payer, decision.Request())
	s.visit(payer, formOn(back).Request())
}

func (s *scenario) newBrowser() *client.Browser { return &client.Browser{Client: s.API, Show: s.show} }

func formOn(page client.Response) client.Form {
	form, err := page.Form()
	steps.Check(err)
	return form
}

// visit sends a request from the payer's browser, follows all redirects and returns the last page.
func (s *scenario) visit(payer *client.Browser, r client.Request) client.Response {
	page, err := payer.Open(s.ctx, r)
	steps.Check(err)
	if page.Status == http.StatusSeeOther {
		return s.visit(payer, client.Request{Method: http.MethodGet, Path: page.Header.Get("Location")})
	}
	if page.Status != http.StatusOK {
		steps.Check(fmt.Errorf("%s answered %s", r.Path, statusLine(page)))
	}
	return page
}

func (s *scenario) show(r client.Request, page client.Response) {
	line := "→ " + r.Method + " " + r.Path
	if form, posted := r.Body.(url.Values); posted {
		line += "  (a browser's form: " + strings.Join(slices.Sorted(maps.Keys(form)), ", ") + ")"
	}
	s.print.line(line)
	if to := page.Header.Get("Location"); to != "" {
		s.print.line("← " + statusLine(page) + "  Location: " + redact.Text(to))
		return
	}
	shown := string(page.Body)
	if title := titleTag.FindStringSubmatch(shown); title != nil {
		shown = "a page: " + html.UnescapeString(title[1])
	}
	s.print.line("← " + statusLine(page) + "  " + shown)
}

var titleTag = regexp.MustCompile(`<title>([^<]*)</title>`)

// payOnPage sends the payer to the checkout's own page, so the shop gets no card data (contract §13.3).
func (s *scenario) payOnPage() {
	c := s.create("page", "12.00", object{"hosted_checkout": object{"enabled": true}})
	s.expect(c.Page != "", "the address of a payment page")
	payer := s.newBrowser()
	form := formOn(s.visit(payer, client.Request{Method: http.MethodGet, Path: c.Page}))
	form.Fields.Set("payment_type", "card")
	for name, value := range client.Card(client.Frictionless, s.Today) {
		form.Fields.Set("card."+name, fmt.Sprint(value))
	}
	s.print.line("  The payer enters a card.")
	s.visit(payer, form.Request())
	s.retrieve(c.ID, "PAID")
	s.awaitCallback(c.ID, "PAID")
}
