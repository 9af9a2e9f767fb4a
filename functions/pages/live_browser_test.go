package pages_test

import (
	"fmt"
	"html"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/chromium"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/shared/payments"
)

const (
	acquirerPage = "https://3ds.acquirer.test/challenge"
	accessPage   = "https://acs.issuer.test/challenge" // of an issuer whose host no operator lists
	onlyContinue = "Continue"
)

// abroad is one way to a challenge at another host.
type abroad struct {
	name   string
	step   payments.Step
	onward string // where step redirects to at once
	asked  string // heading of the acquirer's or issuer's page
}

var waysAbroad = []abroad{
	{"form", payments.Step{URL: acquirerPage, Payload: map[string]string{"session": "s"}}, "", "Issuer, asked by POST"},
	{"link", payments.Step{URL: acquirerPage}, "", "Issuer, asked by GET"},
	{"link that redirects", payments.Step{URL: acquirerPage}, accessPage, "Issuer, asked by GET"},
}

// onlineLive returns a live shop, and the sites that its payers reach.
func onlineLive(t *testing.T, way abroad) (*online, chromium.Web) {
	t.Helper()
	o := newOnline(t)
	issuer := o.GoLiveAt(way.step, "*.acquirer.test")
	issuer.Onward = way.onward
	o.Shop = o.NewShop("DE", "EUR", map[string]any{"sandbox": false})
	web := o.web()
	web["3ds.acquirer.test"], web["acs.issuer.test"] = issuer, issuer
	return o, web
}

// goOn leads the payer from the page of start3dsChallenge to the issuer. A script does the same at once.
func (o *online) goOn(tab chromium.Tab, way abroad) {
	o.Helper()
	if !o.scripts {
		tab.Look("challenge-start", "Confirm your payment")
		if way.step.IsLink() {
			tab.Link(onlyContinue).Click()
		} else {
			tab.Button(onlyContinue).Click()
		}
	}
	tab.Heading(way.asked).Wait()
}

// comeBack leads the payer on from the page of completePaymentByLink. A script does the same at once.
func (o *online) comeBack(tab chromium.Tab) {
	o.Helper()
	if !o.scripts {
		tab.Link(onlyContinue).Click()
	}
}

// TestChallenge_ExternalWithABrowser pays by challenges at other hosts, on the payment page and in a frame of the
// shop's page, with and without scripts.
func TestChallenge_ExternalWithABrowser(t *testing.T) {
	t.Parallel()
	for _, way := range waysAbroad {
		for name, options := range map[string]chromium.Options{
			"with scripts": {}, "without scripts": {NoScript: true, Dark: true, Width: 360},
		} {
			t.Run(way.name+" on the page, "+name, func(t *testing.T) {
				t.Parallel()
				o, web := onlineLive(t, way)
				o.scripts = !options.NoScript
				o.payOnPage(chromium.Open(t, web, options), way)
			})
			t.Run(way.name+" in a frame, "+name, func(t *testing.T) {
				t.Parallel()
				o, web := onlineLive(t, way)
				o.scripts = !options.NoScript
				o.payInFrame(t, web, options, way)
			})
		}
	}
}

// payOnPage pays on the payment page. The payer first comes back undecided, and stays on the page.
func (o *online) payOnPage(s *chromium.Session, way abroad) {
	o.Helper()
	id, page := o.hosted("10.10", nil)
	tab := s.Visit(page)
	o.enterCard(tab, world.Challenged)
	tab.Button(payNow).Click()
	const toBank = "Continue to your bank"
	if !o.scripts {
		tab.Button(toBank).Click()
	}
	o.goOn(tab, way)
	tab.Button("Back to the shop").Click()
	o.comeBack(tab)
	tab.WaitURL(`/pay/c-` + id + `\?from=bank$`)
	tab.Look("challenge-undecided", "Confirm your payment")
	tab.Button(toBank).Click()
	o.goOn(tab, way)
	tab.Button("Approve").Click()
	o.comeBack(tab)
	tab.WaitURL(arrived + id)
	o.wantPaid(id)
}

// payInFrame pays in a frame of the shop's page. At the end the page shows the frame's message as its title.
func (o *online) payInFrame(t *testing.T, web chromium.Web, options chromium.Options, way abroad) {
	t.Helper()
	id := o.Create("10.10", map[string]any{"redirect_url": nil})
	var body struct {
		NextStep client.NextStep `json:"next_step"`
	}
	got := o.ProcessCheckout(id, o.Card(world.Challenged))
	if got.Status != http.StatusAccepted || got.Into(&body) != nil {
		t.Fatalf("got %d %s, want 202", got.Status, got.Body)
	}
	o.Secret("MD", body.NextStep.Payload["MD"])
	web["shop.test"] = framingShop(body.NextStep.Form())
	tab := chromium.Open(t, web, options).Visit("https://shop.test/")
	tab.Button("Go on").Click()
	frame := tab.Frame("iframe")
	o.goOn(frame, way)
	frame.Button("Approve").Click()
	frame.CSS(`[data-status="PAID"]`).Wait()
	if o.scripts {
		message := fmt.Sprintf(`%s {"type":"cashwrap:3ds","checkout_id":%q,"status":"PAID"}`, platform, id)
		tab.Wait(`document.title !== "Shop"`)
		if got := tab.Title(); got != message {
			t.Errorf("got message %s, want %s", got, message)
		}
	}
	o.wantPaid(id)
}

// framingShop serves a shop's page that posts a form into a frame. The page's policy allows only the platform.
func framingShop(form client.Form) http.Handler {
	var fields []string
	for name := range form.Fields {
		fields = append(fields, fmt.Sprintf(`<input type="hidden" name="%s" value="%s">`, name,
			html.EscapeString(form.Fields.Get(name))))
	}
	slices.Sort(fields)
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "form-action "+platform)
		fmt.Fprintf(w, `<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,">
			<meta name="viewport" content="width=device-width"><main><h1>Shop</h1>
			<form method="post" target="challenge" action="%s">%s<button>Go on</button></form>
			<iframe name="challenge" title="Your bank" width="300" height="600"></iframe></main><script>
			addEventListener("message", function (e) { document.title = e.origin + " " + JSON.stringify(e.data) })
			</script>`, form.Action, strings.Join(fields, ""))
	})
}
