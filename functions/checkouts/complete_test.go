package checkouts_test

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/world"
)

// complete is the payer's browser coming back from the issuer.
func (s *shop) complete(id string, form url.Values) world.Response {
	s.Helper()
	return s.Do(world.Request{Method: "POST", Path: "/v0.1/checkouts/" + id + "/complete_payment", Body: form,
		APIKey: world.NoKey})
}

// answer brings the payer's answer and checks where the payer goes.
func (s *shop) answer(t *testing.T, id string, form url.Values) {
	t.Helper()
	got := s.complete(id, form)
	if got.Status != 303 || got.Header.Get("Location") != redirectURL+"&checkout_id="+id || len(got.Body) > 0 {
		t.Errorf("%d to %q: %s", got.Status, got.Header.Get("Location"), got.Body)
	}
}

func TestAChallengeIsDue(t *testing.T) {
	t.Parallel()
	s := open(t)
	id := s.create(t)
	got := s.put(id, s.card(world.Challenged))
	var body struct {
		NextStep struct {
			Payload map[string]string
		} `json:"next_step"`
	}
	if err := got.Into(&body); err != nil || got.Status != 202 {
		t.Fatalf("%d %s: %v", got.Status, got.Body, err)
	}
	payload := body.NextStep.Payload
	s.Secret("MD", payload["MD"])
	if names := slices.Sorted(maps.Keys(payload)); !slices.Equal(names, []string{"MD", "PaReq", "TermUrl"}) ||
		payload["TermUrl"] != "http://cashwrap.test/v0.1/checkouts/"+id+"/complete_payment" || len(payload["MD"]) < 32 ||
		len(payload["PaReq"]) < 32 {
		t.Errorf("payload %v", payload)
	}
	world.Holds(t, []byte(world.Members(t, got.Body)["next_step"]),
		map[string]string{"url": `"http://cashwrap.test/3ds/challenge"`, "method": `"POST"`,
			"redirect_url": `"` + redirectURL + `"`, "mechanism": `["iframe","browser"]`, "full": ""})
	if all := world.Members(t, got.Body); len(all) != 1 {
		t.Errorf("more than next_step: %s", got.Body)
	}
	if s.seen(id) != "PENDING PENDING" || s.told(id) != 0 {
		t.Errorf("%s, told %d times", s.seen(id), s.told(id))
	}
	framed := s.put(s.create(t, change{"redirect_url", absent}), s.card(world.Challenged))
	world.Holds(t, []byte(world.Members(t, framed.Body)["next_step"]), map[string]string{"redirect_url": "",
		"mechanism": `["iframe","browser"]`})
}

func TestTheChallengesAnswers(t *testing.T) {
	t.Parallel()
	s := open(t)
	for decision, want := range map[string]string{"approve": "PAID SUCCESSFUL", "reject": "FAILED FAILED",
		"error": "FAILED FAILED"} {
		t.Run(decision, func(t *testing.T) {
			id := s.create(t)
			form := s.Challenge(s.put(id, s.card(world.Challenged)), decision)
			if s.seen(id) != "PENDING PENDING" {
				t.Errorf("before the answer: %s", s.seen(id))
			}
			s.answer(t, id, form)
			if s.seen(id) != want || s.told(id) != 1 {
				t.Errorf("%s, told %d times, want %s", s.seen(id), s.told(id), want)
			}
			s.answer(t, id, form) // a reload in the browser
			if s.seen(id) != want || s.told(id) != 1 {
				t.Errorf("again: %s, told %d times", s.seen(id), s.told(id))
			}
		})
	}
}

func TestTheAnswerIsShownWhereNobodyRedirects(t *testing.T) {
	t.Parallel()
	s := open(t)
	for decision, want := range map[string]string{"approve": "PAID", "reject": "FAILED"} {
		id := s.create(t, change{"redirect_url", absent})
		got := s.complete(id, s.Challenge(s.put(id, s.card(world.Challenged)), decision))
		page := string(got.Body)
		if got.Status != 200 || got.Header.Get("Content-Type") != "text/html;charset=UTF-8" ||
			!strings.Contains(page, `data-checkout-id="`+id+`"`) || !strings.Contains(page, `data-status="`+want+`"`) {
			t.Errorf("%d %s", got.Status, page)
		}
		if policy := got.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors *") ||
			!strings.Contains(policy, "default-src 'none'") {
			t.Errorf("policy %s", policy)
		}
	}
}

func TestAnswersThatAreRefused(t *testing.T) {
	t.Parallel()
	s := open(t)
	id, other := s.create(t), s.create(t)
	form := s.Challenge(s.put(id, s.card(world.Challenged)), "approve")
	theirs := s.Challenge(s.put(other, s.card(world.Challenged)), "approve")
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
		got := s.complete(c.at, c.form)
		if got.Status != c.want || got.Header.Get("Content-Type") != "text/html;charset=UTF-8" {
			t.Errorf("%s: %d %s", c.name, got.Status, got.Body)
		}
	}
	for _, pending := range []string{id, other} {
		if s.seen(pending) != "PENDING PENDING" || s.told(pending) != 0 {
			t.Errorf("something moved: %s, told %d times", s.seen(pending), s.told(pending))
		}
	}
	s.answer(t, id, form) // the right answer is still good
	if got := s.seen(id); got != "PAID SUCCESSFUL" {
		t.Errorf("%s", got)
	}
}

// TestAnMDCountsOnce: when the outcome is known, it has no effect on what
// comes later (contract §4.4).
func TestAnMDCountsOnce(t *testing.T) {
	t.Parallel()
	s := open(t)
	id := s.create(t)
	started := s.put(id, s.card(world.Challenged))
	approved, rejected := s.Challenge(started, "approve"), s.Challenge(started, "reject")
	s.answer(t, id, rejected)
	s.answer(t, id, approved)
	if got := s.seen(id); got != "FAILED FAILED" {
		t.Errorf("a second thought: %s", got)
	}
	second := s.put(id, s.card(world.Challenged))
	s.answer(t, id, approved)
	if got := s.seen(id); got != "PENDING FAILED PENDING" || s.Books(id).Captured != 0 {
		t.Errorf("the first challenge's MD at the second's turn: %s, captured %d", got, s.Books(id).Captured)
	}
	s.answer(t, id, s.Challenge(second, "approve"))
	if got := s.seen(id); got != "PAID FAILED SUCCESSFUL" || s.Books(id).Captured != 1 || s.told(id) != 2 {
		t.Errorf("%s, captured %d, told %d times", got, s.Books(id).Captured, s.told(id))
	}
}

func TestProcessAgainWhileActionIsRequired(t *testing.T) {
	t.Parallel()
	s := open(t)
	id := s.create(t)
	form := s.Challenge(s.put(id, s.card(world.Challenged)), "approve")
	s.put(id, s.card(world.Challenged))
	if got := s.seen(id); got != "PENDING CANCELLED PENDING" {
		t.Errorf("a second attempt: %s", got)
	}
	s.answer(t, id, form)
	if got := s.seen(id); got != "PENDING CANCELLED PENDING" || s.Books(id).Captured != 0 || s.told(id) != 0 {
		t.Errorf("the old challenge: %s, captured %d, told %d times", got, s.Books(id).Captured, s.told(id))
	}
	s.pay(t, id, s.card(world.Frictionless))
	if got := s.seen(id); got != "PAID CANCELLED CANCELLED SUCCESSFUL" || s.Books(id).Captured != 1 || s.told(id) != 1 {
		t.Errorf("%s, captured %d, told %d times", got, s.Books(id).Captured, s.told(id))
	}
}

// TestAChallengeWithoutAnAnswer fails after half an hour (contract §4.4).
func TestAChallengeWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	s := open(t)
	id := s.create(t)
	form := s.Challenge(s.put(id, s.card(world.Challenged)), "approve")
	s.Clock.Advance(30*time.Minute - time.Second)
	if s.Settle(); s.seen(id) != "PENDING PENDING" {
		t.Errorf("too early: %s", s.seen(id))
	}
	s.Clock.Advance(time.Second)
	if s.Settle(); s.seen(id) != "FAILED FAILED" || s.told(id) != 1 {
		t.Errorf("%s, told %d times", s.seen(id), s.told(id))
	}
	s.answer(t, id, form)
	if s.seen(id) != "FAILED FAILED" || s.Books(id).Captured != 0 {
		t.Errorf("too late: %s, captured %d", s.seen(id), s.Books(id).Captured)
	}
	s.pay(t, id, s.card(world.Frictionless))
}

// TestRedirectURLsKeepTheirQuery but for checkout_id, which is ours.
func TestRedirectURLsKeepTheirQuery(t *testing.T) {
	t.Parallel()
	s := open(t)
	for redirect, want := range map[string]string{
		"https://shop.example":                      "https://shop.example?checkout_id=",
		"http://shop.example:3000/a?b=%2F&c#d":      "http://shop.example:3000/a?b=%2F&c&checkout_id=#d",
		"https://shop.example/?checkout_id=mine&x=": "https://shop.example/?x=&checkout_id=",
	} {
		id := s.create(t, change{"redirect_url", redirect})
		got := s.complete(id, s.Challenge(s.put(id, s.card(world.Challenged)), "approve"))
		want = strings.ReplaceAll(want, "checkout_id=", "checkout_id="+id)
		if location := got.Header.Get("Location"); location != want {
			t.Errorf("%s leads to %s, want %s", redirect, location, want)
		}
	}
}
