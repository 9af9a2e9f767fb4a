package sandbox_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/payments"
)

func TestShowRedirectPayment_Open(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	r := s.get(t, strings.TrimPrefix(s.charge(t, bankCharge("https://shop.example/done")).URL, baseURL))
	if r.status != http.StatusOK {
		t.Fatalf("got %d %s, want 200", r.status, r.body)
	}
	for _, part := range []string{"iDEAL", "10.10 EUR", "Caffè &lt;Roma&gt;", `value="pay"`,
		`value="fail"`, `value="leave"`} {
		if !strings.Contains(r.body, part) {
			t.Errorf("got page %s, want %s in it", r.body, part)
		}
	}
	if got := r.directive("frame-ancestors"); got != "frame-ancestors 'none'" {
		t.Errorf("got policy %q, want frame-ancestors 'none'", got)
	}
	if got := r.directive("form-action"); got != "form-action 'self' https:" {
		t.Errorf("got policy %q, want form-action 'self' https:", got)
	}
}

func TestDecideRedirectPayment_EachAnswer(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]payments.Decision{
		"pay": payments.Approved, "fail": payments.Declined, "leave": payments.Challenge,
	} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			s := newFixture(t)
			path := strings.TrimPrefix(s.charge(t, bankCharge("https://shop.example/done?order=7#top")).URL, baseURL)
			r := s.post(t, path, url.Values{"decision": {answer}})
			const back = "https://shop.example/done?order=7&checkout_id=co-1#top"
			if location := r.header.Get("Location"); r.status != http.StatusSeeOther || location != back {
				t.Fatalf("got %d to %s, want 303 to %s", r.status, location, back)
			}
			if o, err := s.sandbox.LookUp(t.Context(), "a-1"); err != nil || o.Decision != want {
				t.Errorf("got %s, %v, want %s", o.Decision, err, want)
			}
			var notices []acquirer.Hint
			if want != payments.Challenge {
				notices = append(notices, acquirer.Hint{Reference: acquirer.Reference{Tenant: "T#MC1", CheckoutID: "co-1"},
					ID: "a-1"})
			}
			if diff := cmp.Diff(notices, s.notices); diff != "" {
				t.Errorf("notices (-want +got):\n%s", diff)
			}
		})
	}
}

// TestShowRedirectPayment_Decided checks that the page shows the decision, and leads the payer back. If the payer left
// the payment pending, the payer can still decide.
func TestShowRedirectPayment_Decided(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		decide     func(t *testing.T, s *fixture, path string)
	}{
		{"paid", "Payment confirmed", func(t *testing.T, s *fixture, path string) {
			t.Helper()
			s.post(t, path, url.Values{"decision": {"pay"}})
		}},
		{"failed", "Payment declined", func(t *testing.T, s *fixture, path string) {
			t.Helper()
			s.post(t, path, url.Values{"decision": {"fail"}})
		}},
		{"cancelled", "Payment ended", func(t *testing.T, s *fixture, _ string) {
			t.Helper()
			if _, err := s.sandbox.Cancel(t.Context(), "a-1"); err != nil {
				t.Fatal(err)
			}
		}},
		{"left", "", func(t *testing.T, s *fixture, path string) {
			t.Helper()
			s.post(t, path, url.Values{"decision": {"leave"}})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newFixture(t)
			path := strings.TrimPrefix(s.charge(t, bankCharge("https://shop.example/done")).URL, baseURL)
			c.decide(t, s, path)
			r := s.get(t, path)
			if c.want == "" {
				if r.status != http.StatusOK || !strings.Contains(r.body, `value="pay"`) {
					t.Errorf("got %d %s, want 200 with the buttons", r.status, r.body)
				}
				return
			}
			if r.status != http.StatusOK || strings.Contains(r.body, "<button") ||
				!strings.Contains(r.body, "<h1>"+c.want+"</h1>") ||
				!strings.Contains(r.body, `href="https://shop.example/done?checkout_id=co-1"`) {
				t.Errorf("got %d %s, want 200, %s, no button and the way back", r.status, r.body, c.want)
			}
		})
	}
}

func TestShowRedirectPayment_DecidedWithoutReturnURL(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	path := strings.TrimPrefix(s.charge(t, bankCharge("")).URL, baseURL)
	s.post(t, path, url.Values{"decision": {"pay"}})
	r := s.get(t, path)
	if r.status != http.StatusOK || strings.Contains(r.body, "<button") || strings.Contains(r.body, "<a ") ||
		!strings.Contains(r.body, "You can close this page.") {
		t.Errorf("got %d %s, want 200, no button, no link, and that the page can be closed", r.status, r.body)
	}
}

func TestDecideRedirectPayment_PlatformDown(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	s.broken = errors.New("table on fire")
	path := strings.TrimPrefix(s.charge(t, bankCharge("https://shop.example")).URL, baseURL)
	r := s.post(t, path, url.Values{"decision": {"pay"}})
	if r.status != http.StatusSeeOther {
		t.Errorf("got %d %s, want 303", r.status, r.body)
	}
	if !strings.Contains(s.log.String(), "table on fire") {
		t.Errorf("got log %q, want the fault in it: table on fire", s.log.String())
	}
}

// TestDecideRedirectPayment_NoReturnURL checks the page that ends the payment. While the platform cannot learn the
// decision, the page shows none.
func TestDecideRedirectPayment_NoReturnURL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		decision string
		broken   error
		cancel   bool
		want     payments.CheckoutStatus
	}{
		{"pay", nil, false, payments.CheckoutPaid},
		{"fail", nil, false, payments.CheckoutFailed},
		{"leave", nil, false, payments.CheckoutPending},
		{"pay", nil, true, payments.CheckoutExpired},
		{"pay", errors.New("table on fire"), false, payments.CheckoutPending},
	} {
		s := newFixture(t)
		s.broken = c.broken
		path := strings.TrimPrefix(s.charge(t, bankCharge("")).URL, baseURL)
		if c.cancel {
			if _, err := s.sandbox.Cancel(t.Context(), "a-1"); err != nil {
				t.Fatal(err)
			}
		}
		want, err := page.Outcome(page.English, "co-1", c.want, "")
		if err != nil {
			t.Fatal(err)
		}
		r := s.post(t, path, url.Values{"decision": {c.decision}})
		if r.status != http.StatusOK || r.body != string(want.HTML) {
			t.Errorf("%s, error %v, cancelled %t: got %d %s, want 200 %s", c.decision, c.broken, c.cancel, r.status, r.body,
				want.HTML)
		}
	}
}

func TestShowRedirectPayment_Refused(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	path := strings.TrimPrefix(s.charge(t, bankCharge("https://shop.example")).URL, baseURL)
	for _, c := range []struct {
		name string
		got  reply
		want int
	}{
		{"unknown session", s.get(t, "/apm/guess"), 404},
		{"decision on it", s.post(t, "/apm/guess", url.Values{"decision": {"pay"}}), 404},
		{"no decision", s.post(t, path, url.Values{}), 400},
		{"unknown decision", s.post(t, path, url.Values{"decision": {"refund"}}), 400},
	} {
		if c.got.status != c.want || !strings.HasPrefix(c.got.header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: got %d %v %s, want %d and text/html", c.name, c.got.status, c.got.header, c.got.body, c.want)
		}
	}
	if o, err := s.sandbox.LookUp(t.Context(), "a-1"); err != nil || o.Decision != payments.Challenge ||
		s.notices != nil {
		t.Errorf("got %+v, %v, notices %v; want %s and no notices", o, err, s.notices, payments.Challenge)
	}
}
