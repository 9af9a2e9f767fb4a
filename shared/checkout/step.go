package checkout

import (
	"net/url"

	"github.com/cashwrap/cashwrap/shared/processing"
)

// Processed is processCheckout's answer: the checkout, or where the payer goes next.
type Processed struct {
	*View
	NextStep *NextStep `json:"next_step,omitempty"`
}

// Accepted reports whether a 3DS challenge is due: 202 (contract §4.3).
func (p Processed) Accepted() bool { return p.NextStep != nil && p.NextStep.Method == "POST" }

// NextStep sends the payer's browser somewhere (contract §4.3).
type NextStep struct {
	URL         string            `json:"url"`
	Method      string            `json:"method"`
	RedirectURL string            `json:"redirect_url,omitempty"`
	Mechanism   []string          `json:"mechanism"`
	Payload     map[string]string `json:"payload"`
	Full        string            `json:"full,omitempty"`
}

// NewNextStep is the step as clients see it.
func NewNextStep(s *processing.Step, redirectURL string) *NextStep {
	if !s.Redirect {
		return &NextStep{URL: s.URL, Method: "POST", RedirectURL: redirectURL,
			Mechanism: []string{"iframe", "browser"}, Payload: s.Payload}
	}
	step := &NextStep{URL: s.URL, Method: "GET", Mechanism: []string{"browser"}, Payload: s.Payload,
		Full: withQuery(s.URL, s.Payload)}
	if step.Payload == nil {
		step.Payload = map[string]string{}
	}
	return step
}

// withQuery adds parameters to a URL's own.
func withQuery(target string, parameters map[string]string) string {
	u, err := url.Parse(target)
	if err != nil {
		return target
	}
	query := u.Query()
	for name, value := range parameters {
		query.Set(name, value)
	}
	u.RawQuery = query.Encode()
	return u.String()
}
