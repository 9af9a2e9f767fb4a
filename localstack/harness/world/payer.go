package world

import (
	"net/http"
	"net/url"

	"github.com/cashwrap/cashwrap/localstack/platform/client"
)

// Challenge sends the payer's decision on the card issuer's page, and returns the form that the page posts to TermUrl.
func (w *World) Challenge(started Response, decision string) url.Values {
	w.Helper()
	var body struct {
		NextStep client.NextStep `json:"next_step"`
	}
	if err := started.Into(&body); err != nil || body.NextStep.URL == "" {
		w.Fatalf("no challenge in %s", started.Body)
	}
	w.Secret("MD", body.NextStep.Payload["MD"])
	w.Secret("PaReq", body.NextStep.Payload["PaReq"])
	shown := w.submit(body.NextStep.Form())
	shown.Fields.Set("decision", decision)
	return w.submit(shown).Fields
}

func (w *World) submit(form client.Form) client.Form {
	w.Helper()
	request := form.Request()
	request.APIKey = NoKey
	response := w.Do(request)
	next, err := response.Form()
	if response.Status != http.StatusOK || err != nil {
		w.Fatalf("POST %s: %d %s, error %v", form.Action, response.Status, response.Body, err)
	}
	return next
}
