package checkouts_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// TestReturnFromChallenge_EachDecision checks that a link brings the payer back, with the outcome that the acquirer
// knows. The link works as often as it is opened.
func TestReturnFromChallenge_EachDecision(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]payments.Step{"form": byForm, "link": byLink} {
		s := goLive(t, step)
		for decision, want := range map[string]outcome{"approve": {"PAID SUCCESSFUL", 1, 1},
			"reject": {"FAILED FAILED", 1, 0}, "": {"PENDING PENDING", 0, 0}} {
			id, form := s.challenge(nil)
			link := s.decide(form, decision)
			wantStatuses(t, s.Shop, id, "PENDING PENDING")
			for _, parameters := range []string{"", "", "&redirectResult=x&status=succeeded&payment_intent="} {
				got := s.visit(link + parameters)
				if location, want := got.Header.Get("Location"), world.RedirectURL+"&checkout_id="+id; got.Status != 303 ||
					location != want {
					t.Errorf("%s, %s: got %d to %q, want 303 to %q", name, decision, got.Status, location, want)
				}
				wantOutcome(t, s.Shop, id, want)
			}
		}
	}
}

// TestReturnFromChallenge_NoRedirectURL checks that the frame's parent hears of the return.
func TestReturnFromChallenge_NoRedirectURL(t *testing.T) {
	t.Parallel()
	s := goLive(t, byForm)
	for decision, want := range map[string]string{"approve": "PAID", "reject": "FAILED", "": "PENDING"} {
		id, form := s.challenge(fields{"redirect_url": nil})
		got := s.visit(s.decide(form, decision))
		if page := string(got.Body); got.Status != 200 || !strings.Contains(page, `data-checkout-id="`+id+`"`) ||
			!strings.Contains(page, `data-status="`+want+`"`) {
			t.Errorf("%q: got %d %s, want the status %s", decision, got.Status, page, want)
		}
	}
}

// TestReturnFromChallenge_WritesOnce checks that visits which bring nothing new write nothing.
func TestReturnFromChallenge_WritesOnce(t *testing.T) {
	t.Parallel()
	s := goLive(t, byLink)
	_, form := s.challenge(nil)
	link := s.decide(form, "")
	writes := func() int {
		s.Main().Meter.Reset()
		if got := s.visit(link); got.Status != 303 {
			t.Errorf("got %d %s, want 303", got.Status, got.Body)
		}
		calls := s.Main().Meter.Reset().Calls
		return len(slices.DeleteFunc(calls, func(call string) bool { return call == "GetItem" }))
	}
	for _, c := range []struct {
		name string
		set  func()
		want []int
	}{
		{"undecided", func() {}, []int{0, 0}},
		{"silent", func() { s.issuer.Silence(true) }, []int{0, 0}},
		{"unknown", func() { s.issuer.Silence(false); s.issuer.Forget(true) }, []int{1, 0}},
		{"undecided again", func() { s.issuer.Forget(false) }, []int{1, 0}},
		{"approved", func() { s.decide(form, "approve") }, []int{1, 0}},
	} {
		c.set()
		if got := []int{writes(), writes()}; !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v writes, want %v", c.name, got, c.want)
		}
	}
}

// TestReturnFromChallenge_Speculative checks that only a person's visit counts.
func TestReturnFromChallenge_Speculative(t *testing.T) {
	t.Parallel()
	s := goLive(t, byLink)
	id, form := s.challenge(nil)
	link := s.decide(form, "approve")
	for _, header := range []map[string]string{{"Sec-Purpose": "prefetch"}, {"Sec-Purpose": "prefetch;prerender"},
		{"Purpose": "prefetch"}} {
		r := world.Request{Method: "GET", Path: link, APIKey: world.NoKey, Header: header}
		if got := s.Do(r); got.Status != 204 || len(got.Body) > 0 {
			t.Errorf("%v: got %d %s, want 204", header, got.Status, got.Body)
		}
	}
	head := world.Request{Method: "HEAD", Path: link, APIKey: world.NoKey}
	if got := s.Main().DoUnchecked(head); got.Status != 204 {
		t.Errorf("HEAD: got %d, want 204", got.Status)
	}
	wantStatuses(t, s.Shop, id, "PENDING PENDING")
	s.visit(link)
	wantOutcome(t, s.Shop, id, outcome{"PAID SUCCESSFUL", 1, 1})
}

// TestReturnFromChallenge_Refused checks that a link works only for the checkout of its session.
func TestReturnFromChallenge_Refused(t *testing.T) {
	t.Parallel()
	s := goLive(t, byLink)
	id, form := s.challenge(nil)
	other, theirs := s.challenge(nil)
	s.decide(form, "approve")
	s.decide(theirs, "approve")
	md := form.Fields.Get("MD")
	for name, c := range map[string]struct {
		id, query string
		want      int
	}{
		"other checkout": {other, "?MD=" + md, 404}, "other session": {id, "?MD=" + theirs.Fields.Get("MD"), 404},
		"no checkout": {"nothing", "?MD=" + md, 404}, "guess": {id, "?MD=guess", 404}, "no MD": {id, "", 400},
		"empty MD": {id, "?MD=", 400}, "two": {id, "?MD=" + md + "&MD=" + md, 400},
	} {
		r := world.Request{Method: "GET", Path: "/v0.1/checkouts/" + c.id + "/complete_payment" + c.query,
			APIKey: world.NoKey}
		if got := s.Main().DoUnchecked(r); got.Status != c.want {
			t.Errorf("%s: got %d %s, want %d", name, got.Status, got.Body, c.want)
		}
	}
	for _, pending := range []string{id, other} {
		wantStatuses(t, s.Shop, pending, "PENDING PENDING")
	}
}

// TestReturnFromChallenge_ClosedAttempt checks that the link of an earlier challenge says nothing about the next.
func TestReturnFromChallenge_ClosedAttempt(t *testing.T) {
	t.Parallel()
	s := goLive(t, byLink)
	id, form := s.challenge(nil)
	link := s.decide(form, "reject")
	s.visit(link)
	second := s.decide(s.again(id), "approve")
	s.visit(link)
	wantStatuses(t, s.Shop, id, "PENDING FAILED PENDING")
	s.visit(second)
	wantOutcome(t, s.Shop, id, outcome{"PAID FAILED SUCCESSFUL", 2, 1})
}
