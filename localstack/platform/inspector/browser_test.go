package inspector_test

import (
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/chromium"
	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
)

// web returns a browser's view of the platform.
func (f *fixture) web() chromium.Web {
	f.Helper()
	to, err := url.Parse(f.BaseURL)
	if err != nil {
		f.Fatal(err)
	}
	return chromium.Web{"127.0.0.1": &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host
	}}}
}

// TestPages_WithABrowser opens full and empty pages in both widths and themes, with scripts and without.
func TestPages_WithABrowser(t *testing.T) {
	t.Parallel()
	f := start(t, platform.InProcess)
	for name, o := range map[string]chromium.Options{"": {}, "-narrow": {Dark: true, Width: 360, NoScript: true}} {
		s := chromium.Open(t, f.web(), o)
		s.Visit(f.BaseURL+"/").Look("welcome"+name, "Cashwrap is running")
		s.Visit(f.BaseURL+"/sandbox").Look("sandbox-empty"+name, "Sandbox")
	}
	paid := f.pay(f.create("coffee", f.receiver()))
	f.pay(f.create("lunch", object{"amount": 42}))
	challenged := f.create("challenged", nil)
	f.ask(http.MethodPut, "/v0.1/checkouts/"+challenged, byCard(client.Challenged), http.StatusAccepted)
	f.ask(http.MethodPost, "/v0.1/merchants/"+f.env["MERCHANT_CODE"]+"/members",
		object{"email": "ada@example.com", "roles": []string{"role_accountant"}}, http.StatusCreated)
	for name, o := range map[string]chromium.Options{"": {}, "-narrow": {Dark: true, Width: 360, NoScript: true}} {
		s := chromium.Open(t, f.web(), o)
		tab := s.Visit(f.BaseURL + "/sandbox")
		tab.Button("Open page of challenged").Wait()
		tab.Look("sandbox"+name, "Sandbox")
		tab.Goto(f.BaseURL + "/sandbox/requests/" + paid.Header.Get("X-Request-Id"))
		tab.Look("request"+name, tab.CSS("h1").Text())
	}
}

// TestChanges_WithABrowser checks that events appear without reloading and that buttons work.
func TestChanges_WithABrowser(t *testing.T) {
	t.Parallel()
	f := start(t, platform.InProcess)
	s := chromium.Open(t, f.web(), chromium.Options{})
	tab := s.Visit(f.BaseURL + "/sandbox")
	code := f.pay(f.create("coffee", f.receiver())).Text("transaction_code")
	tab.Button("Charge back " + code).Click()
	tab.Text(code + " is charged back.").Wait()
	tab.Look("sandbox-charged-back", "Sandbox")
	tab.CSS("#by").Choose("7d")
	tab.CSS("[data-section=requests] a >> nth=0").Focus()
	f.ask(http.MethodGet, "/healthz", nil, http.StatusOK) // the chosen option and the focus survive an update
	tab.Link("GET /healthz").Wait()
	if got := tab.Focus(); !strings.HasPrefix(got, "PUT /v0.1/checkouts/") {
		t.Errorf("got the focus at %q, want it at the request where it was", got)
	}
	tab.Button("Move").Click()
	tab.Text("7d ahead of the real time").Wait()
}

// TestPayer_WithABrowser checks that the issuer's page opens in a new tab.
func TestPayer_WithABrowser(t *testing.T) {
	t.Parallel()
	f := start(t, platform.InProcess)
	challenged := f.create("challenged", object{"redirect_url": f.BaseURL + "/sandbox"})
	f.ask(http.MethodPut, "/v0.1/checkouts/"+challenged, byCard(client.Challenged), http.StatusAccepted)
	s := chromium.Open(t, f.web(), chromium.Options{NoScript: true})
	tab := s.Visit(f.BaseURL + "/sandbox")
	tab.Evaluate(`document.querySelectorAll("form[target]").forEach((f) => f.removeAttribute("target"))`, nil)
	tab.Button("Open page of challenged").Click()
	tab.Look("payer", "The issuer asks the payer")
	tab.Button("Go to the issuer's page").Click()
	tab.WaitURL("/3ds/challenge$")
}
