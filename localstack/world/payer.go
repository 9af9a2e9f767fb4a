package world

import (
	"html"
	"net/url"
	"regexp"
)

// hidden finds a form's hidden fields in our own pages.
var hidden = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)"`)

// Challenge plays the payer's browser: it posts the form of a 202 to the
// issuer's page, decides there, and answers the form that the issuer's page
// posts to TermUrl.
func (w *World) Challenge(started Response, decision string) url.Values {
	w.Helper()
	var body struct {
		NextStep struct {
			URL     string
			Payload map[string]string
		} `json:"next_step"`
	}
	if err := started.Into(&body); err != nil || body.NextStep.URL == "" {
		w.Fatalf("no challenge in %s", started.Body)
	}
	form := url.Values{}
	for name, value := range body.NextStep.Payload {
		form.Set(name, value)
	}
	w.Secret("MD", form.Get("MD"))
	w.Secret("PaReq", form.Get("PaReq"))
	shown := w.post(body.NextStep.URL, form)
	form = fields(shown)
	form.Set("decision", decision)
	return fields(w.post(w.main.Environment()["BASE_URL"]+"/3ds/challenge/decision", form))
}

func (w *World) post(target string, form url.Values) Response {
	w.Helper()
	u, err := url.Parse(target)
	if err != nil {
		w.Fatal(err)
	}
	response := w.Do(Request{Method: "POST", Path: u.RequestURI(), Body: form, APIKey: NoKey})
	if response.Status != 200 {
		w.Fatalf("POST %s: %d %s", target, response.Status, response.Body)
	}
	return response
}

func fields(page Response) url.Values {
	form := url.Values{}
	for _, field := range hidden.FindAllSubmatch(page.Body, -1) {
		form.Set(string(field[1]), html.UnescapeString(string(field[2])))
	}
	return form
}
