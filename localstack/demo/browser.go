package demo

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// challenge is contract §4.4, the payer's browser included.
func (s *story) challenge(ctx context.Context) error {
	c, err := s.create(ctx, "challenge", "20.00", object{"redirect_url": s.shop.redirectURL()})
	if err != nil {
		return err
	}
	started, err := s.process(ctx, c.ID, object{"payment_type": "card", "card": card(challenged)}, http.StatusAccepted)
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
	case id := <-s.shop.visitors:
		if err := s.expect(id == c.ID, "the payer back in the shop, with the checkout's id"); err != nil {
			return err
		}
	default:
		return errors.New("the payer did not come back to redirect_url")
	}
	return s.hear(ctx, c.ID, "PAID")
}

// browse is the payer: it posts the merchant's form, approves on the issuer's page, and goes where it is sent.
func (s *story) browse(ctx context.Context, step *nextStep) error {
	fields := url.Values{}
	for name, value := range step.Payload {
		fields.Set(name, value)
	}
	issuer, err := s.submit(ctx, step.URL, fields)
	if err != nil {
		return err
	}
	decision, err := formOf(issuer, step.URL)
	if err != nil {
		return err
	}
	decision.fields.Set("decision", "approve")
	s.print.line("  The payer approves.")
	back, err := s.submit(ctx, decision.action, decision.fields)
	if err != nil {
		return err
	}
	answer, err := formOf(back, decision.action)
	if err != nil {
		return err
	}
	_, err = s.submit(ctx, answer.action, answer.fields)
	return err
}

// submit posts a form, follows redirects and returns the page it ends on.
func (s *story) submit(ctx context.Context, target string, fields url.Values) (page string, err error) {
	s.print.line("→ POST " + target + "  (a browser's form: " + strings.Join(names(fields), ", ") + ")")
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target, strings.NewReader(fields.Encode()))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	browser := http.Client{Transport: s.HTTP, CheckRedirect: func(next *http.Request, before []*http.Request) error {
		s.print.line("← " + next.Response.Status + "  Location: " + next.URL.String())
		return nil
	}}
	response, err := browser.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return "", err
	}
	s.print.line("← " + response.Status + "  " + titleOf(string(body)))
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s answered %s", target, response.Status)
	}
	return string(body), nil
}

// form is a page's form with its hidden fields.
type form struct {
	action string
	fields url.Values
}

// Our own pages are read here, never those of strangers, so patterns will do.
var (
	formTag   = regexp.MustCompile(`<form method="post" action="([^"]*)"`)
	hiddenTag = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)"`)
	titleTag  = regexp.MustCompile(`<title>([^<]*)</title>`)
)

func formOf(page, address string) (form, error) {
	tag := formTag.FindStringSubmatch(page)
	if tag == nil {
		return form{}, errors.New("there is no form on the page")
	}
	base, err := url.Parse(address)
	if err != nil {
		return form{}, err
	}
	action, err := base.Parse(html.UnescapeString(tag[1]))
	if err != nil {
		return form{}, err
	}
	f := form{action: action.String(), fields: url.Values{}}
	for _, input := range hiddenTag.FindAllStringSubmatch(page, -1) {
		f.fields.Set(html.UnescapeString(input[1]), html.UnescapeString(input[2]))
	}
	return f, nil
}

func titleOf(page string) string {
	if title := titleTag.FindStringSubmatch(page); title != nil {
		return "a page: " + html.UnescapeString(title[1])
	}
	return page
}

func names(fields url.Values) []string { return slices.Sorted(maps.Keys(fields)) }
