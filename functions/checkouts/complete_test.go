package checkouts_test

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// answer posts the payer's answer, and checks the page to which the browser is sent.
func answer(s world.Shop, id string, form url.Values) {
	s.Helper()
	got := s.Answer(id, form)
	location, want := got.Header.Get("Location"), world.RedirectURL+"&checkout_id="+id
	if got.Status != 303 || location != want || len(got.Body) > 0 {
		s.Errorf("got %d to %q with body %q, want 303 to %q without", got.Status, location, got.Body, want)
	}
}

func TestProcessCheckout_Challenge(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	id := s.Create("10.10", nil)
	got := s.ProcessCheckout(id, s.Card(world.Challenged))
	var body struct {
		NextStep struct {
			Payload map[string]string
		} `json:"next_step"`
	}
	if err := got.Into(&body); err != nil || got.Status != 202 {
		t.Fatalf("got %d %s, %v, want 202", got.Status, got.Body, err)
	}
	payload := body.NextStep.Payload
	s.Secret("MD", payload["MD"])
	termURL := "http://cashwrap.test/v0.1/checkouts/" + id + "/complete_payment"
	if names := slices.Sorted(maps.Keys(payload)); !slices.Equal(names, []string{"MD", "PaReq", "TermUrl"}) ||
		payload["TermUrl"] != termURL || len(payload["MD"]) < 32 || len(payload["PaReq"]) < 32 {
		t.Errorf("got payload %v, want MD and PaReq of at least 32 bytes, and TermUrl %s", payload, termURL)
	}
	world.Holds(t, []byte(world.Fields(t, got.Body)["next_step"]),
		map[string]string{"url": `"http://cashwrap.test/3ds/challenge"`, "method": `"POST"`,
			"redirect_url": `"` + world.RedirectURL + `"`, "mechanism": `["iframe","browser"]`, "full": ""})
	if all := world.Fields(t, got.Body); len(all) != 1 {
		t.Errorf("got %s, want only next_step", got.Body)
	}
	wantOutcome(t, s, id, outcome{"PENDING PENDING", 0, 0})
	framed := s.ProcessCheckout(s.Create("10.10", fields{"redirect_url": nil}), s.Card(world.Challenged))
	world.Holds(t, []byte(world.Fields(t, framed.Body)["next_step"]), map[string]string{"redirect_url": "",
		"mechanism": `["iframe","browser"]`})
}

func TestCompletePayment_EachAnswer(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	for decision, want := range map[string]string{"approve": "PAID SUCCESSFUL", "reject": "FAILED FAILED",
		"error": "FAILED FAILED"} {
		t.Run(decision, func(t *testing.T) {
			id := s.Create("10.10", nil)
			form := s.Challenge(s.ProcessCheckout(id, s.Card(world.Challenged)), decision)
			wantStatuses(t, s, id, "PENDING PENDING")
			answer(s, id, form)
			wantStatuses(t, s, id, want)
			wantCallbacks(t, s, id, 1)
			answer(s, id, form) // a reload in the browser
			wantStatuses(t, s, id, want)
			wantCallbacks(t, s, id, 1)
		})
	}
}

func TestCompletePayment_NoRedirectURL(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	for decision, want := range map[string]string{"approve": "PAID", "reject": "FAILED"} {
		id := s.Create("10.10", fields{"redirect_url": nil})
		got := s.Answer(id, s.Challenge(s.ProcessCheckout(id, s.Card(world.Challenged)), decision))
		page := string(got.Body)
		if got.Status != 200 || got.Header.Get("Content-Type") != "text/html;charset=UTF-8" ||
			!strings.Contains(page, `data-checkout-id="`+id+`"`) || !strings.Contains(page, `data-status="`+want+`"`) {
			t.Errorf("got %d %v %s, want 200, HTML, checkout %s and status %s", got.Status, got.Header, page, id, want)
		}
		if policy := got.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors *") ||
			!strings.Contains(policy, "default-src 'none'") {
			t.Errorf("got policy %s, want frame-ancestors * and default-src 'none'", policy)
		}
	}
}

func TestCompletePayment_Refused(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	id, other := s.Create("10.10", nil), s.Create("10.10", nil)
	form := s.Challenge(s.ProcessCheckout(id, s.Card(world.Challenged)), "approve")
	theirs := s.Challenge(s.ProcessCheckout(other, s.Card(world.Challenged)), "approve")
	with := func(name, value string) url.Values {
		changed := maps.Clone(form)
		changed.Set(name, value)
		return changed
	}
	for _, c := range []struct {
		name string
		at   string
		form url.Values
		want int
	}{
		{"unknown MD", id, with("MD", "guess"), 404},
		{"MD of another checkout", id, with("MD", theirs.Get("MD")), 404},
		{"at another checkout", other, form, 404},
		{"at no checkout", "nothing", form, 404},
		{"wrong PaRes", id, with("PaRes", "guess"), 400},
		{"PaRes of another checkout", id, with("PaRes", theirs.Get("PaRes")), 400},
		{"no MD", id, url.Values{"PaRes": form["PaRes"]}, 400},
		{"no PaRes", id, url.Values{"MD": form["MD"]}, 400},
		{"nothing", id, url.Values{}, 400},
	} {
		got := s.Answer(c.at, c.form)
		if got.Status != c.want || got.Header.Get("Content-Type") != "text/html;charset=UTF-8" {
			t.Errorf("%s: got %d %v %s, want %d and HTML", c.name, got.Status, got.Header, got.Body, c.want)
		}
	}
	for _, pending := range []string{id, other} {
		wantOutcome(t, s, pending, outcome{"PENDING PENDING", 0, 0})
	}
	answer(s, id, form) // the right answer still counts after wrong answers
	wantStatuses(t, s, id, "PAID SUCCESSFUL")
}

// TestCompletePayment_MDTwice checks that an answer is ignored once its challenge has an outcome, even during the next
// challenge. The field MD tells which challenge is meant (contract §4.4).
func TestCompletePayment_MDTwice(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	id := s.Create("10.10", nil)
	started := s.ProcessCheckout(id, s.Card(world.Challenged))
	approved, rejected := s.Challenge(started, "approve"), s.Challenge(started, "reject")
	answer(s, id, rejected)
	answer(s, id, approved)
	wantStatuses(t, s, id, "FAILED FAILED")
	second := s.ProcessCheckout(id, s.Card(world.Challenged))
	answer(s, id, approved)
	if got := s.Statuses(id); got != "PENDING FAILED PENDING" || s.CheckoutRecords(id).Captured != 0 {
		t.Errorf("the first challenge's MD at the second's turn: got %s, captured %d, want PENDING FAILED PENDING, 0", got,
			s.CheckoutRecords(id).Captured)
	}
	answer(s, id, s.Challenge(second, "approve"))
	wantOutcome(t, s, id, outcome{"PAID FAILED SUCCESSFUL", 2, 1})
}

func TestProcessCheckout_AgainDuringChallenge(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	id := s.Create("10.10", nil)
	form := s.Challenge(s.ProcessCheckout(id, s.Card(world.Challenged)), "approve")
	s.ProcessCheckout(id, s.Card(world.Challenged))
	wantStatuses(t, s, id, "PENDING CANCELLED PENDING")
	answer(s, id, form)
	wantOutcome(t, s, id, outcome{"PENDING CANCELLED PENDING", 0, 0})
	s.MustPay(id, s.Card(world.Frictionless))
	wantOutcome(t, s, id, outcome{"PAID CANCELLED CANCELLED SUCCESSFUL", 1, 1})
}

// TestCompletePayment_NoAnswer checks that a challenge without an answer fails after half an hour (contract §4.4).
func TestCompletePayment_NoAnswer(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	id := s.Create("10.10", nil)
	form := s.Challenge(s.ProcessCheckout(id, s.Card(world.Challenged)), "approve")
	s.Clock.Advance(30*time.Minute - time.Second)
	s.RunUntilIdle()
	wantStatuses(t, s, id, "PENDING PENDING")
	s.Clock.Advance(time.Second)
	s.RunUntilIdle()
	wantOutcome(t, s, id, outcome{"FAILED FAILED", 1, 0})
	answer(s, id, form)
	if s.Statuses(id) != "FAILED FAILED" || s.CheckoutRecords(id).Captured != 0 {
		t.Errorf("too late: got %s, captured %d, want FAILED FAILED, 0", s.Statuses(id), s.CheckoutRecords(id).Captured)
	}
	s.MustPay(id, s.Card(world.Frictionless))
}

// TestCompletePayment_RedirectURLWithQuery checks that the redirect preserves the query of redirect_url. Only the
// parameter checkout_id is replaced, because the platform sets it.
func TestCompletePayment_RedirectURLWithQuery(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	for redirect, want := range map[string]string{
		"https://shop.example":                      "https://shop.example?checkout_id=",
		"http://shop.example:3000/a?b=%2F&c#d":      "http://shop.example:3000/a?b=%2F&c&checkout_id=#d",
		"https://shop.example/?checkout_id=mine&x=": "https://shop.example/?x=&checkout_id=",
	} {
		id := s.Create("10.10", fields{"redirect_url": redirect})
		got := s.Answer(id, s.Challenge(s.ProcessCheckout(id, s.Card(world.Challenged)), "approve"))
		want = strings.ReplaceAll(want, "checkout_id=", "checkout_id="+id)
		if location := got.Header.Get("Location"); location != want {
			t.Errorf("%s: got Location %s, want %s", redirect, location, want)
		}
	}
}
