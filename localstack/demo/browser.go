package demo

import (
	"context"
	"errors"
	"fmt"
	"html"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/client"
)

// challenge is contract §4.4, the payer's browser included.
func (s *scenario) challenge(ctx context.Context) error {
	c, err := s.create(ctx, "challenge", "20.00", object{"redirect_url": s.shop.redirectURL()})
	if err != nil {
		return err
	}
	started, err := s.process(ctx, c.ID, client.ByCard(client.Challenged, s.Today), http.StatusAccepted)
	if err != nil {
		return err
	}
	step := started.NextStep
	if err := s.expect(step != nil && step.Method == "POST" &&
		step.Payload["PaReq"] != "", "a next step for the payer's browser"); err != nil {
		return err
	}
	if err := s.retrieve(ctx, c.ID, "PENDING"); err != nil {
		return err
	}
	if err := s.browse(ctx, step); err != nil {
		return err
	}
	select {
	case id := <-s.shop.payers:
		if err := s.expect(id == c.ID, "the payer back in the shop, with the checkout's id"); err != nil {
			return err
		}
	default:
		return errors.New("the payer did not come back to redirect_url")
	}
	return s.awaitCallback(ctx, c.ID, "PAID")
}

// browse is the payer: it posts the merchant's form, approves on the issuer's page, and goes where it is sent.
func (s *scenario) browse(ctx context.Context, step *client.NextStep) error {
	issuer, err := s.submit(ctx, step.Form())
	if err != nil {
		return err
	}
	decision, err := issuer.Form()
	if err != nil {
		return err
	}
	decision.Fields.Set("decision", "approve")
	s.print.line("  The payer approves.")
	back, err := s.submit(ctx, decision)
	if err != nil {
		return err
	}
	answer, err := back.Form()
	if err != nil {
		return err
	}
	_, err = s.submit(ctx, answer)
	return err
}

// submit posts a form, follows redirects and returns the page it ends on.
func (s *scenario) submit(ctx context.Context, form client.Form) (page client.Response, err error) {
	fields := slices.Sorted(maps.Keys(form.Fields))
	s.print.line("→ POST " + form.Action + "  (a browser's form: " + strings.Join(fields, ", ") + ")")
	page, err = s.API.Do(ctx, form.Request())
	for err == nil && page.Status == http.StatusSeeOther {
		location := page.Header.Get("Location")
		s.print.line("← " + statusLine(page) + "  Location: " + location)
		page, err = s.API.Do(ctx, client.Request{Method: http.MethodGet, Path: location})
	}
	if err != nil {
		return page, err
	}
	s.print.line("← " + statusLine(page) + "  " + titleOf(string(page.Body)))
	if page.Status != http.StatusOK {
		return page, fmt.Errorf("%s answered %s", form.Action, statusLine(page))
	}
	return page, nil
}

var titleTag = regexp.MustCompile(`<title>([^<]*)</title>`)

func titleOf(page string) string {
	if title := titleTag.FindStringSubmatch(page); title != nil {
		return "a page: " + html.UnescapeString(title[1])
	}
	return page
}
