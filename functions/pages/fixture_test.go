package pages_test

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// fixture is a shop with a hosted checkout, and its payer's browser.
type fixture struct {
	world.Shop

	id string // id of the checkout
}

// newFixture creates a hosted checkout of 10.10 EUR, with the fields in more.
func newFixture(t *testing.T, more map[string]any) fixture {
	t.Helper()
	return hostedBy(world.NewShop(t), "10.10", more)
}

func hostedBy(s world.Shop, amount string, more map[string]any) fixture {
	s.Helper()
	fields := map[string]any{"hosted_checkout": map[string]any{"enabled": true}}
	maps.Copy(fields, more)
	return fixture{s, s.Create(amount, fields)}
}

func (f fixture) path() string { return "/pay/c-" + f.id }

func (f fixture) url() string { return "http://cashwrap.test" + f.path() }

// browser stores the cookies that it receives.
type browser struct {
	fixture

	cookies map[string]string
	from    string // its network address; "" for the default address
}

const userAgent = "Firefox/1"

func (f fixture) browser() *browser { return &browser{fixture: f, cookies: map[string]string{}} }

// send sends a request as the browser does, and stores the cookie of the response.
func (b *browser) send(r world.Request) world.Response {
	b.Helper()
	r.APIKey, r.From = world.NoKey, b.from
	r.Header = map[string]string{"User-Agent": userAgent}
	if len(b.cookies) > 0 {
		var all []string
		for _, name := range slices.Sorted(maps.Keys(b.cookies)) {
			all = append(all, name+"="+b.cookies[name])
		}
		r.Header["Cookie"] = strings.Join(all, "; ")
	}
	got := b.World.Do(r)
	for _, text := range got.Header.Values("Set-Cookie") {
		if c, err := http.ParseSetCookie(text); err == nil {
			b.cookies[c.Name] = c.Value
			if c.MaxAge < 0 {
				delete(b.cookies, c.Name)
			}
		}
	}
	return got
}

func (b *browser) get(path string) world.Response {
	b.Helper()
	return b.send(world.Request{Method: http.MethodGet, Path: path})
}

// load loads the payment page, and checks that it is in the state.
func (b *browser) load(query, state string) world.Response {
	b.Helper()
	got := b.get(b.path() + query)
	b.want(got, 200, state)
	return got
}

// want checks the HTTP status of a page, and the state that the page shows.
func (b *browser) want(got world.Response, status int, state string) {
	b.Helper()
	if shown := stateOf(got); got.Status != status || shown != state {
		b.Errorf("got %d in state %q, want %d in state %q\n%s", got.Status, shown, status, state, got.Body)
	}
}

var stated = regexp.MustCompile(`data-state="(\w+)"`)

func stateOf(r world.Response) string {
	if found := stated.FindSubmatch(r.Body); found != nil {
		return string(found[1])
	}
	return ""
}

// hidden returns the hidden fields of the page's first form that begins an attempt.
func (b *browser) hidden(page world.Response) url.Values {
	b.Helper()
	form, err := page.Form()
	if err != nil {
		b.Fatalf("got %d %s, want a form: %v", page.Status, page.Body, err)
	}
	return form.Fields
}

// attempt returns the JSON that the page's script sends to begin the payment.
func (b *browser) attempt(page world.Response, payment map[string]any) map[string]any {
	b.Helper()
	fields, body := b.hidden(page), maps.Clone(payment)
	body["csrf_token"], body["attempt_key"] = fields.Get("csrf_token"), fields.Get("attempt_key")
	return body
}

// pay sends a body to createPaymentPageAttempt.
func (b *browser) pay(body any) world.Response {
	b.Helper()
	return b.send(world.Request{Method: http.MethodPost, Path: b.path() + "/attempts", Body: body})
}

// form returns the values that the page's form sends for the card number.
func (b *browser) form(page world.Response, number string) url.Values {
	b.Helper()
	fields := b.hidden(page)
	fields.Set("payment_type", "card")
	for name, value := range map[string]string{"name": "Ada Example", "number": number, "expiry_month": "1",
		"expiry_year": "2039", "cvv": "123"} {
		fields.Set("card."+name, value)
	}
	return fields
}

// captured returns the number of captures of the checkout.
func (f fixture) captured() int {
	f.Helper()
	return f.CheckoutRecords(f.id).Captured
}

func (f fixture) wait(d time.Duration) { f.Clock.Advance(d) }
