package checkouts_test

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/functions/checkouts"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/payments"
)

const (
	acquirerHosts = "issuer.example *.acquirer.example"
	issuerURL     = "https://3ds.acquirer.example/challenge"
)

var (
	byForm = payments.Step{URL: issuerURL, Payload: map[string]string{"session": `a"b`}}
	byLink = payments.Step{URL: issuerURL}
)

// live is a live merchant whose challenges are at an acquirer's host.
type live struct {
	world.Shop
	issuer *world.Issuer
}

func goLive(t *testing.T, step payments.Step) live {
	t.Helper()
	w := world.New(t)
	issuer := w.GoLiveAt(step, acquirerHosts)
	return live{w.Shop().NewShop("DE", "EUR", fields{"sandbox": false}).WithCallbacks(), issuer}
}

// challenge begins a challenge, and returns the checkout's id and the form that the shop's page posts.
func (s live) challenge(more fields) (string, client.Form) {
	s.Helper()
	id := s.Create("10.10", more)
	return id, s.again(id)
}

func (s live) again(id string) client.Form {
	s.Helper()
	var body struct {
		NextStep client.NextStep `json:"next_step"`
	}
	if got := s.ProcessCheckout(id, s.Card(world.Challenged)); got.Status != 202 || got.Into(&body) != nil {
		s.Fatalf("got %d %s, want 202", got.Status, got.Body)
	}
	s.Secret("MD", body.NextStep.Payload["MD"])
	return body.NextStep.Form()
}

func (s live) start(form client.Form) world.Response {
	s.Helper()
	r := form.Request()
	r.APIKey = world.NoKey
	return s.Do(r)
}

var shownLink = regexp.MustCompile(`<a class="button" id="onwards" href="([^"]*)"`)

// order returns the order that the page leads to.
func (s live) order(page world.Response) string {
	s.Helper()
	if form, err := page.Form(); err == nil {
		return form.Fields.Get("order")
	}
	found := shownLink.FindSubmatch(page.Body)
	if page.Status != 200 || found == nil {
		s.Fatalf("got %d %s, want a form or a link", page.Status, page.Body)
	}
	u, err := url.Parse(html.UnescapeString(string(found[1])))
	if err != nil {
		s.Fatal(err)
	}
	return u.Query().Get("order")
}

// decide decides the challenge at the issuer, and returns the link by which the payer comes back.
func (s live) decide(form client.Form, decision string) string {
	s.Helper()
	return s.issuer.Decide(s.order(s.start(form)), decision)
}

// visit opens a link as a browser does.
func (s live) visit(link string) world.Response {
	s.Helper()
	return s.Do(world.Request{Method: "GET", Path: link, APIKey: world.NoKey})
}

// TestProcessCheckout_LiveChallenge checks that clients see only addresses of the platform.
func TestProcessCheckout_LiveChallenge(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]payments.Step{"form": byForm, "link": byLink} {
		s := goLive(t, step)
		id, form := s.challenge(nil)
		want := client.Form{Action: "http://cashwrap.test/3ds/start", Fields: url.Values{
			"MD": form.Fields["MD"], "PaReq": form.Fields["PaReq"],
			"TermUrl": {"http://cashwrap.test/v0.1/checkouts/" + id + "/complete_payment"}}}
		if diff := cmp.Diff(want, form); diff != "" || len(form.Fields.Get("MD")) < 32 ||
			len(form.Fields.Get("PaReq")) < 32 {
			t.Errorf("%s: next step (-want +got):\n%s", name, diff)
		}
	}
}

// TestStart3dsChallenge_LeadsOn checks the page that leads to the acquirer, by a form and by a link.
func TestStart3dsChallenge_LeadsOn(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]payments.Step{"form": byForm, "link": byLink} {
		s := goLive(t, step)
		_, form := s.challenge(nil)
		got := s.start(form)
		order := s.order(got)
		shown, err := got.Form()
		switch want := (url.Values{"session": {`a"b`}, "order": {order}}); {
		case got.Status != 200 || order == "":
			t.Errorf("%s: got %d %s, want a page with an order", name, got.Status, got.Body)
		case step.IsLink() && (err == nil || !strings.Contains(string(got.Body), `href="`+issuerURL+"?order="+order+`"`)):
			t.Errorf("%s: got %s, want a link", name, got.Body)
		case !step.IsLink() && (shown.Action != issuerURL || cmp.Diff(want, shown.Fields) != ""):
			t.Errorf("%s: got %+v, want a form to %s with %v", name, shown, issuerURL, want)
		}
		policy := strings.Split(got.Header.Get("Content-Security-Policy"), "; ")
		for _, want := range []string{"frame-ancestors *", "default-src 'none'", "form-action 'self' " +
			"https://issuer.example https://*.acquirer.example http://localhost:* http://127.0.0.1:*"} {
			if !slices.Contains(policy, want) {
				t.Errorf("%s: got policy %q, want %q in it", name, policy, want)
			}
		}
		headers := got.Header.Get("Referrer-Policy") + " " + got.Header.Get("Cache-Control")
		if headers != "no-referrer no-store" {
			t.Errorf("%s: got %q, want neither referrer nor store", name, headers)
		}
		if again := s.order(s.start(form)); again != order {
			t.Errorf("%s: got order %s at the second visit, want %s", name, again, order)
		}
	}
}

// TestStart3dsChallenge_FieldsIgnored checks that a browser cannot choose where the payer goes: only MD counts.
func TestStart3dsChallenge_FieldsIgnored(t *testing.T) {
	t.Parallel()
	s := goLive(t, byForm)
	_, form := s.challenge(nil)
	want := string(s.start(form).Body)
	for name, fields := range map[string]url.Values{
		"nothing but MD": {},
		"other fields": {"TermUrl": {"https://evil.example/"}, "PaReq": {"https://evil.example/"},
			"url": {"https://evil.example/"}, "action": {"javascript:alert(1)"}, "target": {"https://evil.example/"}},
	} {
		fields.Set("MD", form.Fields.Get("MD"))
		got := s.start(client.Form{Action: form.Action + "?url=https://evil.example/", Fields: fields})
		if got.Status != 200 || string(got.Body) != want {
			t.Errorf("%s: got %d %s, want the same page as before", name, got.Status, got.Body)
		}
	}
}

// TestStart3dsChallenge_HostRefused checks that the page leads to no host that the operator has not listed. The payment
// then waits.
func TestStart3dsChallenge_HostRefused(t *testing.T) {
	t.Parallel()
	s := goLive(t, byForm)
	id, form := s.challenge(nil)
	for _, address := range []string{"https://evil.example/secretpath", "http://issuer.example/secretpath",
		"https://acquirer.example/", "https://issuer.example.evil.example/", "https://issuer.example@evil.example/",
		"https://secretpath@issuer.example/", "https://issuer.example:8443/", "javascript:alert(1)//issuer.example",
		"javascript://issuer.example/%0aalert(1)", "data:text/html,x", "//issuer.example/", "\\\\issuer.example", "",
		"http://cashwrap.test.evil.example/3ds/challenge", "http://cashwrap.test@evil.example/3ds/challenge"} {
		for _, step := range []payments.Step{{URL: address}, {URL: address, Payload: byForm.Payload}} {
			s.issuer.Move(step)
			got := s.start(form)
			if got.Status != 424 || got.Header.Get("Retry-After") == "" || strings.Contains(string(got.Body), "evil") {
				t.Errorf("%q: got %d %s, want 424 without the address", address, got.Status, got.Body)
			}
		}
	}
	if log := s.Logs.String(); !strings.Contains(log, `to a host that is not allowed`) ||
		!strings.Contains(log, "evil.example") || strings.Contains(log, "secretpath") {
		t.Errorf("got log %s, want the hosts in it, without paths", log)
	}
	wantOutcome(t, s.Shop, id, outcome{"PENDING PENDING", 0, 0})
	s.issuer.Move(byLink)
	s.visit(s.decide(form, "approve"))
	wantOutcome(t, s.Shop, id, outcome{"PAID SUCCESSFUL", 1, 1})
}

// TestStart3dsChallenge_OutcomeUnknown checks that a challenge is not over while the acquirer does not answer.
func TestStart3dsChallenge_OutcomeUnknown(t *testing.T) {
	t.Parallel()
	s := goLive(t, byForm)
	id, form := s.challenge(nil)
	for name, set := range map[string]func(bool){"no answer": s.issuer.Silence, "unknown": s.issuer.Forget} {
		set(true)
		if got := s.start(form); got.Status != 424 || got.Header.Get("Retry-After") == "" {
			t.Errorf("%s: got %d %s, want 424", name, got.Status, got.Body)
		}
		set(false)
		wantOutcome(t, s.Shop, id, outcome{"PENDING PENDING", 0, 0})
		if got := s.start(form); got.Status != 200 {
			t.Errorf("%s: got %d %s afterwards, want 200", name, got.Status, got.Body)
		}
	}
}

// TestStart3dsChallenge_Over checks that a payer whose challenge is over goes back to the shop. The payment keeps its
// outcome.
func TestStart3dsChallenge_Over(t *testing.T) {
	t.Parallel()
	s := goLive(t, byForm)
	for name, c := range map[string]struct {
		end  func(id string, form client.Form)
		want string
	}{
		"paid":              {func(_ string, form client.Form) { s.visit(s.decide(form, "approve")) }, "PAID SUCCESSFUL"},
		"paid, not back":    {func(_ string, form client.Form) { s.decide(form, "approve") }, "PAID SUCCESSFUL"},
		"declined":          {func(_ string, form client.Form) { s.decide(form, "reject") }, "FAILED FAILED"},
		"deactivated":       {func(id string, _ client.Form) { s.Deactivate(id) }, "EXPIRED CANCELLED"},
		"after the time":    {func(string, client.Form) { s.Clock.Advance(30 * time.Minute) }, "FAILED FAILED"},
		"another challenge": {func(id string, _ client.Form) { s.again(id) }, "PENDING CANCELLED PENDING"},
	} {
		id, form := s.challenge(nil)
		c.end(id, form)
		got := s.start(form)
		if location, want := got.Header.Get("Location"), world.RedirectURL+"&checkout_id="+id; got.Status != 303 ||
			location != want {
			t.Errorf("%s: got %d to %q, want 303 to %q", name, got.Status, location, want)
		}
		wantStatuses(t, s.Shop, id, c.want)
	}
	id, form := s.challenge(fields{"redirect_url": nil})
	s.decide(form, "approve")
	got := s.start(form)
	if page := string(got.Body); got.Status != 200 || !strings.Contains(page, `data-checkout-id="`+id+`"`) ||
		!strings.Contains(page, `data-status="PAID"`) {
		t.Errorf("no redirect_url: got %d %s, want the outcome", got.Status, page)
	}
}

// TestStart3dsChallenge_Refused checks that only the random token of a challenge finds its page.
func TestStart3dsChallenge_Refused(t *testing.T) {
	t.Parallel()
	s := goLive(t, byForm)
	id, form := s.challenge(nil)
	with := func(md string) client.Form { return client.Form{Action: form.Action, Fields: url.Values{"MD": {md}}} }
	for name, c := range map[string]struct {
		form client.Form
		want int
	}{
		"guess": {with("guess"), 404}, "checkout": {with(id), 404}, "empty": {with(""), 400},
		"more": {with(form.Fields.Get("MD") + "A"), 404}, "no MD": {client.Form{Action: form.Action}, 400},
		"order": {with(s.order(s.start(form))), 404},
	} {
		got := s.start(c.form)
		if got.Status != c.want || got.Header.Get("Content-Type") != "text/html;charset=UTF-8" {
			t.Errorf("%s: got %d %v, want a page with %d", name, got.Status, got.Header, c.want)
		}
	}
	for _, method := range []string{"GET", "HEAD", "PUT"} {
		r := world.Request{Method: method, Path: "/3ds/start?" + form.Fields.Encode(), APIKey: world.NoKey}
		if got := s.Main().DoUnchecked(r); got.Status != 405 {
			t.Errorf("%s: got %d, want 405", method, got.Status)
		}
	}
}

// TestStart3dsChallenge_TestMode checks that the page also leads to the sandbox's page, though no client needs it.
func TestStart3dsChallenge_TestMode(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	step := nextStep(t, s.ProcessCheckout(s.Create("10.10", nil), s.Card(world.Challenged)))
	s.Secret("MD", step.Payload["MD"])
	r := client.Form{Action: "/3ds/start", Fields: url.Values{"MD": {step.Payload["MD"]}}}.Request()
	r.APIKey = world.NoKey
	got, err := s.Do(r).Form()
	if diff := cmp.Diff(step.Form(), got); err != nil || diff != "" {
		t.Errorf("got error %v, form (-want +got):\n%s", err, diff)
	}
}

// TestStart3dsChallenge_PaymentCode checks that the session of a payment code begins no challenge.
func TestStart3dsChallenge_PaymentCode(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).NewShop("BR", "BRL", nil)
	id := s.Create("10.10", nil)
	var c struct{ Artefacts []struct{ Location string } }
	if got := s.ProcessCheckout(id, boleto()); got.Into(&c) != nil || len(c.Artefacts) == 0 {
		t.Fatalf("got %d %s, want artefacts", got.Status, got.Body)
	}
	token := regexp.MustCompile(`artefacts/([\w-]{43})`).FindStringSubmatch(c.Artefacts[0].Location)[1]
	r := client.Form{Action: "/3ds/start", Fields: url.Values{"MD": {token}}}.Request()
	r.APIKey = world.NoKey
	if got := s.Do(r); !strings.Contains(string(got.Body), `data-status="PENDING"`) {
		t.Errorf("got %d %s, want the checkout's status", got.Status, got.Body)
	}
	wantStatuses(t, s, id, "PENDING PENDING")
}

// TestRoutes_PublicSuffix checks that the function does not start if a challenge may lead to anyone's host.
func TestRoutes_PublicSuffix(t *testing.T) {
	t.Parallel()
	hosts := payments.AcquirerHosts{Patterns: []string{"pay.example.com", "*.co.uk"}}
	defer func() {
		if got := fmt.Sprint(recover()); !strings.Contains(got, "co.uk") {
			t.Errorf("got panic %q, want one that names co.uk", got)
		}
	}()
	checkouts.Routes(&app.App{Config: app.Config{AcquirerHosts: hosts}})
}
