package client

import (
	"bytes"
	"errors"
	"html"
	"net/http"
	"net/url"
	"regexp"
)

// NextStep is a redirect that a payer's browser must make (contract §4.4, §4.5).
type NextStep struct {
	URL, Method string
	Payload     map[string]string
}

// Form returns the form that the shop's page posts.
func (s NextStep) Form() Form {
	fields := url.Values{}
	for name, value := range s.Payload {
		fields.Set(name, value)
	}
	return Form{Action: s.URL, Fields: fields}
}

// Form is a form on a page with its hidden fields.
type Form struct {
	Action string // "" means the page's address
	Fields url.Values
}

// Request returns the request that posts the form.
func (f Form) Request() Request {
	return Request{Method: http.MethodPost, Path: f.Action, Body: f.Fields}
}

// Regular expressions suffice, because only the platform's own pages are parsed.
var (
	formTag   = regexp.MustCompile(`<form method="post"(?: action="([^"]*)")?`)
	hiddenTag = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)"`)
)

// Form returns the first form on the response's page.
func (r Response) Form() (Form, error) { return r.formAfter("") }

// FormTo returns the form on the response's page that posts to action.
func (r Response) FormTo(action string) (Form, error) {
	return r.formAfter(` method="post" action="` + action + `"`)
}

func (r Response) formAfter(begins string) (Form, error) {
	_, rest, _ := bytes.Cut(r.Body, []byte("<form"+begins))
	text, _, _ := bytes.Cut(append([]byte("<form"+begins), rest...), []byte("</form>"))
	tag := formTag.FindSubmatch(text)
	if tag == nil || rest == nil {
		return Form{}, errors.New("there is no such form on the page")
	}
	f := Form{Action: html.UnescapeString(string(tag[1])), Fields: url.Values{}}
	for _, input := range hiddenTag.FindAllSubmatch(text, -1) {
		f.Fields.Set(html.UnescapeString(string(input[1])), html.UnescapeString(string(input[2])))
	}
	return f, nil
}
