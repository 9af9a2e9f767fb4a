package inspector_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
)

// TestRequests_Steps checks the page of the request with an X-Request-Id. The page must contain no secrets.
func TestRequests_Steps(t *testing.T) {
	t.Parallel()
	f := start(t, platform.InProcess)
	paid := f.pay(f.create("coffee", f.receiver()))
	id := paid.Header.Get("X-Request-Id")
	f.want(f.get("/sandbox", http.StatusOK), "/sandbox/requests/"+id, "PUT /v0.1/checkouts/", "POST /v0.1/checkouts")
	page := f.get("/sandbox/requests/"+id, http.StatusOK)
	f.want(page, "<dd>200</dd>", "<dd>checkouts</dd>", "ANY /v0.1/checkouts/{id}", id,
		"GetItem CHECKOUT", "Charge: approved", "PutItem JOURNAL", "PutItem CALLBACK", "PutItem SANDBOX",
		"************0091", "Bearer sk_test_…", "&#34;PAID&#34;")
	for _, secret := range []string{client.Frictionless, "&#34;" + client.CVV + "&#34;", f.env["API_KEY"]} {
		if strings.Contains(page, secret) {
			t.Errorf("got %s on the page, want it hidden: %s", secret, page)
		}
	}
	if bars := strings.Count(page, "<rect "); bars < 5 {
		t.Errorf("got %d bars of the time of steps, want one each", bars)
	}
	if regexp.MustCompile(`<td>0s</td><td>0s</td>`).MatchString(page) || strings.Contains(page, "<dd>0s</dd>") {
		t.Errorf("got %s, want when each step was, and how long", page)
	}
	f.want(f.get("/sandbox", http.StatusOK), `aria-label="The latest 1 payments, of which 1 were successful"`, "<rect ")
	f.get("/sandbox/requests/none", http.StatusNotFound)
}

// TestRequests_WithoutSeed checks that the page begins with the developer's own requests.
func TestRequests_WithoutSeed(t *testing.T) {
	t.Parallel()
	f := start(t, platform.InProcess)
	f.want(f.get("/sandbox", http.StatusOK), "None yet. <a href=\"/docs/first-payment\">Make the first one.</a>")
}

// TestSteps_Failures checks a step that the table refused, and a call without an answer.
func TestSteps_Failures(t *testing.T) {
	t.Parallel()
	f := start(t, platform.InProcess)
	silent := f.create("silent", object{"amount": json.Number("42.25")}) // contract §12
	got, err := f.Do(t.Context(), client.Request{Method: http.MethodPut, Path: "/v0.1/checkouts/" + silent,
		APIKey: f.env["API_KEY"], Body: byCard(client.Frictionless)})
	if err != nil {
		t.Fatal(err)
	}
	f.want(f.get("/sandbox/requests/"+got.Header.Get("X-Request-Id"), http.StatusOK),
		`Charge <span class="bad">sandbox: no answer in time</span>`)
	f.create("twice", nil)
	got, err = f.Do(t.Context(), client.Request{Method: "POST", Path: "/v0.1/checkouts", APIKey: f.env["API_KEY"],
		Body: object{"checkout_reference": "twice", "amount": 1, "currency": "EUR", "merchant_code": f.env["MERCHANT_CODE"]}})
	if err != nil || got.Status != http.StatusConflict {
		t.Fatalf("got %d, error %v, want 409", got.Status, err)
	}
	f.want(f.get("/sandbox/requests/"+got.Header.Get("X-Request-Id"), http.StatusOK), `<span class="bad">`)
}

// TestRequests_Contents checks queries, forms, errors, and bodies that are not shown.
func TestRequests_Contents(t *testing.T) {
	t.Parallel()
	f := start(t, platform.InProcess)
	shown := func(r client.Request) string {
		t.Helper()
		got, err := f.Do(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return f.get("/sandbox/requests/"+got.Header.Get("X-Request-Id"), http.StatusOK)
	}
	f.want(shown(client.Request{Method: "GET", Path: "/v0.1/checkouts?checkout_reference=a+b&code=x"}),
		"GET /v0.1/checkouts?checkout_reference=a b&amp;code=…", "<dd>401</dd>")
	page := shown(client.Request{Method: "POST", Path: "/token", Header: map[string]string{"Authorization": "Basic YTpi"},
		Body: url.Values{"grant_type": {"password"}, "password": {"horse"}}})
	page += shown(client.Request{Method: "POST", Path: "/v0.1/checkouts", APIKey: "sk_test_none",
		Header: map[string]string{"Cookie": "session=b4"}, Body: "my card is 4200000000000091"})
	f.want(page, "grant_type=password\npassword=***", "Basic ***", "A body of 27 bytes is not shown",
		"<dt>Cookie</dt><dd>***</dd>")
	for _, secret := range []string{"horse", "YTpi", "session=b4", client.Frictionless} {
		if strings.Contains(page, secret) {
			t.Errorf("got %s, want no %s on it", page, secret)
		}
	}
	f.want(shown(client.Request{Method: "GET", Path: "/healthz"}), "<dd>public</dd>")
	f.want(shown(client.Request{Method: "GET", Path: "/nowhere"}), "<dd>404</dd>", "$default")
}

// TestRequests_LatestOnly checks that old requests are dropped, so that a platform that runs for days does not use more
// and more memory.
func TestRequests_LatestOnly(t *testing.T) {
	t.Parallel()
	f := start(t, platform.InProcess)
	oldest := f.ask(http.MethodGet, "/healthz", nil, http.StatusOK).Header.Get("X-Request-Id")
	f.get("/sandbox/requests/"+oldest, http.StatusOK)
	for range 200 {
		if _, err := f.Do(t.Context(), client.Request{Method: http.MethodGet, Path: "/healthz"}); err != nil {
			t.Fatal(err)
		}
	}
	f.get("/sandbox/requests/"+oldest, http.StatusNotFound)
}

// TestRequests_OutOfProcess checks that the page shows requests, and says why it cannot show their steps.
func TestRequests_OutOfProcess(t *testing.T) {
	t.Parallel()
	enginetest.Only(t)
	f := start(t, platform.Bootstraps)
	id := f.ask(http.MethodGet, "/healthz", nil, http.StatusOK).Header.Get("X-Request-Id")
	f.want(f.get("/sandbox", http.StatusOK), "/sandbox/requests/"+id, "RUNTIME=bootstrap")
	f.want(f.get("/sandbox/requests/"+id, http.StatusOK), "this page cannot show their steps")
}
