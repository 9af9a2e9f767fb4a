package sandbox_test

import (
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/payments"
)

const returnAddress = baseURL + "/v0.1/checkouts/co-1/complete_payment"

// chargeAndFill creates a charge that waits for its payer. It returns the form that the payer's browser posts to the
// challenge.
func (s *fixture) chargeAndFill(t *testing.T, c acquirer.Charge) url.Values {
	t.Helper()
	return url.Values{"PaReq": {s.charge(t, c).Payload["PaReq"]}, "MD": {`m"d`}, "TermUrl": {returnAddress}}
}

func withField(fields url.Values, name, value string) url.Values {
	changed := maps.Clone(fields)
	changed.Set(name, value)
	return changed
}

func TestShow3dsChallenge_Open(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	r := s.post(t, "/3ds/challenge", s.chargeAndFill(t, cardCharge("")))
	if r.status != http.StatusOK || !strings.HasPrefix(r.header.Get("Content-Type"), "text/html") {
		t.Fatalf("got %d %v %s, want 200 and text/html", r.status, r.header, r.body)
	}
	for _, part := range []string{"10.10 EUR", "Caffè &lt;Roma&gt; &amp; Figli", "VISA ending in 0042",
		`value="approve"`, `value="reject"`, `value="error"`, `value="m&#34;d"`} {
		if !strings.Contains(r.body, part) {
			t.Errorf("got page %s, want %s in it", r.body, part)
		}
	}
	if strings.Contains(r.body, "<script") || r.directive("script-src") != "" {
		t.Errorf("got page %s, policy %q, want no script", r.body, r.directive("script-src"))
	}
	if got := r.directive("form-action"); got != "form-action 'self'" {
		t.Errorf("got policy %q, want form-action 'self'", got)
	}
	if got := r.directive("frame-ancestors"); got != "frame-ancestors *" {
		t.Errorf("got policy %q, want frame-ancestors *: merchants show the challenge in a frame", got)
	}
}

func TestDecide3dsChallenge_EachAnswer(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]payments.Decision{
		"approve": payments.Approved, "reject": payments.Declined, "error": payments.Declined,
	} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			s := newFixture(t)
			r := s.post(t, "/3ds/challenge/decision", withField(s.chargeAndFill(t, cardCharge("")), "decision", answer))
			if r.status != http.StatusOK || !strings.Contains(r.body, `action="`+returnAddress+`"`) ||
				input(r.body, "MD") != `m"d` || !strings.Contains(r.body, "<button") {
				t.Fatalf("got %d %s, want 200, a form to %s, MD m\"d and a button", r.status, r.body, returnAddress)
			}
			o, err := s.sandbox.Complete(t.Context(), "a-1", input(r.body, "PaRes"))
			if err != nil || o.Decision != want {
				t.Errorf("got %s, %v, want %s", o.Decision, err, want)
			}
		})
	}
}

// TestShow3dsChallenge_Decided checks that the page shows the decision. Its only button sends an answer that has no
// effect.
func TestShow3dsChallenge_Decided(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]struct {
		title    string
		decision payments.Decision
	}{
		"approve": {"Payment confirmed", payments.Approved}, "reject": {"Payment declined", payments.Declined},
		"error": {"Payment declined", payments.Declined}, "": {"Payment ended", payments.Cancelled},
	} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			s := newFixture(t)
			fields := s.chargeAndFill(t, cardCharge(""))
			if answer == "" {
				if _, err := s.sandbox.Cancel(t.Context(), "a-1"); err != nil {
					t.Fatal(err)
				}
			} else {
				r := s.post(t, "/3ds/challenge/decision", withField(fields, "decision", answer))
				if _, err := s.sandbox.Complete(t.Context(), "a-1", input(r.body, "PaRes")); err != nil {
					t.Fatal(err)
				}
			}
			r := s.post(t, "/3ds/challenge", fields)
			if r.status != http.StatusOK || !strings.Contains(r.body, "<h1>"+want.title+"</h1>") ||
				strings.Contains(r.body, `name="decision"`) || !strings.Contains(r.body, `action="`+returnAddress+`"`) ||
				input(r.body, "MD") != `m"d` || strings.Contains(r.body, "<script") {
				t.Fatalf("got %d %s, want 200, %s, and only the way to %s", r.status, r.body, want.title, returnAddress)
			}
			o, err := s.sandbox.Complete(t.Context(), "a-1", input(r.body, "PaRes"))
			if err != nil || o.Decision != want.decision {
				t.Errorf("by its button: got %s, %v, want %s as before", o.Decision, err, want.decision)
			}
		})
	}
}

// TestLanguage_Browser checks that pages are in the browser's language, if we have that language.
func TestLanguage_Browser(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	path := strings.TrimPrefix(s.charge(t, bankCharge("")).URL, baseURL)
	for language, want := range map[string]string{"de-AT": "Mit iDEAL bezahlen", "pt": "Pagar com iDEAL",
		"fr": "Pay with iDEAL"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		r.Header.Set("Accept-Language", language)
		if got := s.send(t, r); !strings.Contains(got.body, "<h1>"+want+"</h1>") {
			t.Errorf("%s: got %s, want %s", language, got.body, want)
		}
	}
}

// input returns the value of a hidden field.
func input(body, name string) string {
	found := regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).FindStringSubmatch(body)
	if found == nil {
		return ""
	}
	return html.UnescapeString(found[1])
}

// TestDecide3dsChallenge_FormAction checks that form-action also allows the redirects that follow the form, since
// browsers apply the policy to those redirects too.
func TestDecide3dsChallenge_FormAction(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	form := withField(s.chargeAndFill(t, cardCharge("")), "decision", "approve")
	r := s.post(t, "/3ds/challenge/decision", form)
	if got, want := r.directive("form-action"), "form-action 'self' https: http:"; got != want {
		t.Errorf("got policy %q, want %q", got, want)
	}
}

func TestShow3dsChallenge_Refused(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	good := withField(s.chargeAndFill(t, cardCharge("")), "decision", "approve")
	for name, c := range map[string]struct {
		field, value string
		want         int
	}{
		"no PaReq":         {"PaReq", "", 400},
		"no MD":            {"MD", "", 400},
		"no TermUrl":       {"TermUrl", "", 400},
		"unknown PaReq":    {"PaReq", "guess", 404},
		"foreign TermUrl":  {"TermUrl", "https://evil.example/v0.1/checkouts/co-1/complete_payment", 400},
		"our name inside":  {"TermUrl", baseURL + ".evil.example/v0.1/checkouts/co-1/complete_payment", 400},
		"user info":        {"TermUrl", baseURL + "@evil.example/v0.1/checkouts/co-1/complete_payment", 400},
		"other checkout":   {"TermUrl", baseURL + "/v0.1/checkouts/co-2/complete_payment", 400},
		"other path":       {"TermUrl", baseURL + "/v0.1/checkouts/co-1", 400},
		"added query":      {"TermUrl", returnAddress + "?x=1", 400},
		"script":           {"TermUrl", "javascript:alert(1)", 400},
		"unknown decision": {"decision", "perhaps", 400},
	} {
		form := withField(good, c.field, c.value)
		paths := []string{"/3ds/challenge", "/3ds/challenge/decision"}
		if c.field == "decision" {
			paths = paths[1:]
		}
		for _, path := range paths {
			r := s.post(t, path, form)
			if r.status != c.want || !strings.HasPrefix(r.header.Get("Content-Type"), "text/html") ||
				strings.Contains(r.body, "evil.example") {
				t.Errorf("%s, %s: got %d %v %s, want %d, text/html and no evil.example",
					name, path, r.status, r.header, r.body, c.want)
			}
		}
	}
	if r := s.get(t, "/3ds/challenge"); r.status != http.StatusMethodNotAllowed {
		t.Errorf("GET: got %d, want 405", r.status)
	}
}

func TestPages_LivePayment(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	live := acquirer.Reference{Tenant: "L#MC1", CheckoutID: "co-1"}
	card, bank := cardCharge(""), bankCharge("https://shop.example")
	card.Reference, bank.Reference, bank.ID = live, live, "a-2"
	if r := s.post(t, "/3ds/challenge", s.chargeAndFill(t, card)); r.status != http.StatusNotFound {
		t.Errorf("challenge: got %d, want 404", r.status)
	}
	path := strings.TrimPrefix(s.charge(t, bank).URL, baseURL)
	for _, r := range []reply{s.get(t, path), s.post(t, path, url.Values{"decision": {"pay"}})} {
		if r.status != http.StatusNotFound {
			t.Errorf("bank: got %d, want 404", r.status)
		}
	}
	if o, err := s.sandbox.LookUp(t.Context(), "a-2"); err != nil || o.Decision != payments.Challenge {
		t.Errorf("live charge: got %+v, %v, want %s", o, err, payments.Challenge)
	}
}
