package sandbox_test

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/shared/payments"
)

func TestTheBankPage(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	r := s.get(t, strings.TrimPrefix(s.charge(t, bankCharge("https://shop.example/done")).URL, baseURL))
	if r.status != http.StatusOK {
		t.Fatalf("%d %s", r.status, r.body)
	}
	for _, part := range []string{"iDEAL", "10.10 EUR", "Caffè &lt;Roma&gt;", `value="pay"`,
		`value="fail"`, `value="leave"`} {
		if !strings.Contains(r.body, part) {
			t.Errorf("the page does not have %s", part)
		}
	}
	if got := r.directive("frame-ancestors"); got != "frame-ancestors 'none'" {
		t.Errorf("policy %q", got)
	}
	if got := r.directive("form-action"); got != "form-action 'self' https:" {
		t.Errorf("policy %q", got)
	}
}

func TestDecisionsOnTheBankPage(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]payments.Decision{
		"pay": payments.Approved, "fail": payments.Declined, "leave": payments.Challenge,
	} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			s := newFixture(t)
			path := strings.TrimPrefix(s.charge(t, bankCharge("https://shop.example/done?order=7#top")).URL, baseURL)
			r := s.post(t, path, url.Values{"decision": {answer}})
			if r.status != http.StatusSeeOther ||
				r.header.Get("Location") != "https://shop.example/done?order=7&checkout_id=co-1#top" {
				t.Fatalf("%d %s", r.status, r.header.Get("Location"))
			}
			if o, err := s.sandbox.LookUp(t.Context(), "a-1"); err != nil || o.Decision != want {
				t.Errorf("%s, %v, want %s", o.Decision, err, want)
			}
			if !slices.Equal(s.resolved, []string{"T#MC1 co-1"}) {
				t.Errorf("the platform resolved %v", s.resolved)
			}
		})
	}
}

func TestThePayerGoesOnWhenThePlatformIsNotReached(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	s.broken = errors.New("table on fire")
	path := strings.TrimPrefix(s.charge(t, bankCharge("https://shop.example")).URL, baseURL)
	r := s.post(t, path, url.Values{"decision": {"pay"}})
	if r.status != http.StatusSeeOther {
		t.Errorf("%d %s", r.status, r.body)
	}
	if !strings.Contains(s.log.String(), "table on fire") {
		t.Error("the fault was not logged")
	}
}

func TestAPaymentWithoutAWayBackEndsOnOurPage(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	path := strings.TrimPrefix(s.charge(t, bankCharge("")).URL, baseURL)
	r := s.post(t, path, url.Values{"decision": {"pay"}})
	if r.status != http.StatusOK || !strings.Contains(r.body, "Payment complete") {
		t.Errorf("%d %s", r.status, r.body)
	}
}

func TestBankPagesThatAreRefused(t *testing.T) {
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
			t.Errorf("%s: %d %s", c.name, c.got.status, c.got.body)
		}
	}
	if o, err := s.sandbox.LookUp(t.Context(), "a-1"); err != nil || o.Decision != payments.Challenge ||
		s.resolved != nil {
		t.Errorf("something moved: %+v, %v, %v", o, err, s.resolved)
	}
}
