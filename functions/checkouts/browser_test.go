package checkouts_test

import (
	"fmt"
	"html"
	"net/http"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/chromium"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
)

const (
	site = "https://shop.test"
	done = site + "/done"
)

// framing returns a shop's page with the challenge in a frame. At the end of the challenge, the frame sends a message
// to the page. The page shows the message as its title.
func framing(step client.NextStep) string {
	var form strings.Builder
	for name, value := range step.Payload {
		fmt.Fprintf(&form, `<input type="hidden" name="%s" value="%s">`, name, html.EscapeString(value))
	}
	return `<form method="post" target="challenge" action="` + step.URL + `">` + form.String() + `<button>Go on</button>
		</form><iframe name="challenge" title="Your bank" width="300" height="600"></iframe><script>
		addEventListener("message", function (e) { document.title = e.origin + " " + JSON.stringify(e.data) })</script>`
}

// online returns a world that a browser can reach, with a shop's site.
func online(t *testing.T, shown func(path string) string) (world.Shop, chromium.Web) {
	t.Helper()
	s := world.NewAt(t, "https://cashwrap.test").Shop()
	return s, chromium.Web{"cashwrap.test": s.Main().Checked(), "shop.test": http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, `<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,">
				<meta name="viewport" content="width=device-width">
				<main><h1>Shop</h1>%s</main>`, shown(r.URL.Path))
		})}
}

func nextStep(t *testing.T, started world.Response) client.NextStep {
	t.Helper()
	var body struct {
		NextStep client.NextStep `json:"next_step"`
	}
	if err := started.Into(&body); err != nil || body.NextStep.URL == "" {
		t.Fatalf("got %d %s, %v; want a next step", started.Status, started.Body, err)
	}
	return body.NextStep
}

// TestCompletePayment_FrameWithABrowser checks that the shop's page receives the outcome from the frame.
func TestCompletePayment_FrameWithABrowser(t *testing.T) {
	t.Parallel()
	var step client.NextStep
	s, web := online(t, func(string) string { return framing(step) })
	for decision, want := range map[string]string{"Approve": "PAID", "Reject": "FAILED"} {
		id := s.Create("10.10", nil)
		step = nextStep(t, s.ProcessCheckout(id, s.Card(world.Challenged)))
		s.Secret("MD", step.Payload["MD"])
		tab := chromium.Open(t, web, chromium.Options{}).Visit(site)
		tab.Button("Go on").Click()
		frame := tab.Frame("iframe")
		frame.Look("challenge-framed", "Confirm your payment")
		frame.Button(decision).Click()
		tab.Wait(`document.title !== "Shop"`)
		message := fmt.Sprintf(`https://cashwrap.test {"type":"cashwrap:3ds","checkout_id":%q,"status":%q}`, id, want)
		if got := tab.Title(); got != message {
			t.Errorf("%s: got message %s, want %s", decision, got, message)
		}
		tab.Look("outcome-framed-"+want, "Shop")
	}
}

// TestCompletePayment_WithABrowser checks that the challenge leads to the shop's page, without scripts.
func TestCompletePayment_WithABrowser(t *testing.T) {
	t.Parallel()
	var step client.NextStep
	s, web := online(t, func(path string) string {
		if path == "/done" {
			return "Done"
		}
		return framing(step)
	})
	id := s.Create("10.10", fields{"redirect_url": done})
	step = nextStep(t, s.ProcessCheckout(id, s.Card(world.Challenged)))
	s.Secret("MD", step.Payload["MD"])
	tab := chromium.Open(t, web, chromium.Options{Dark: true, Width: 360, NoScript: true}).Visit(site)
	tab.CSS("form").Evaluate("(form) => { form.target = '_top' }")
	tab.Button("Go on").Click()
	tab.Look("challenge", "Confirm your payment")
	tab.Button("Approve").Click()
	tab.Look("challenge-return", "Returning to the shop")
	tab.Button("Continue").Click()
	tab.WaitURL(`^https://shop\.test/done\?checkout_id=` + id)
	wantStatuses(t, s, id, "PAID SUCCESSFUL")
}

// TestRedirectPayment_WithABrowser checks the bank's page, and the page that follows the payer's decision.
func TestRedirectPayment_WithABrowser(t *testing.T) {
	t.Parallel()
	s, web := online(t, func(string) string { return "Done" })
	for name, o := range map[string]chromium.Options{
		"en": {}, "de": {Language: "de-DE", Dark: true}, "pt": {Language: "pt-BR", Width: 360, NoScript: true},
	} {
		words := map[string][2]string{"en": {"Pay with iDEAL", "Pay"}, "de": {"Mit iDEAL bezahlen", "Bezahlen"},
			"pt": {"Pagar com iDEAL", "Pagar"}}[name]
		id := s.Create("10.10", fields{"redirect_url": done})
		tab := chromium.Open(t, web, o).Visit(nextStep(t, s.ProcessCheckout(id, ideal("ideal"))).URL)
		tab.Look("bank-"+name, words[0])
		tab.Button(words[1]).Click()
		tab.WaitURL(`^https://shop\.test/done\?checkout_id=` + id)
		wantStatuses(t, s, id, "PAID SUCCESSFUL")
		tab.Back()
		tab.CSS("a.button").Wait()
		tab.Look("bank-decided-"+name, tab.CSS("h1").Text())
	}
}

// TestDownloadBoleto_WithABrowser checks that a boleto fits on a phone, and that an upright phone shows the barcode.
func TestDownloadBoleto_WithABrowser(t *testing.T) {
	t.Parallel()
	s, web := online(t, func(string) string { return "" })
	s = s.NewShop("BR", "BRL", nil)
	id := s.Create("10.10", fields{"description": "Dois cafés"})
	var c struct{ Boleto struct{ URL string } }
	if got := s.ProcessCheckout(id, boleto()); got.Status != http.StatusOK || got.Into(&c) != nil {
		t.Fatalf("got %d %s, want 200", got.Status, got.Body)
	}
	for _, o := range []chromium.Options{{}, {Dark: true, Width: 360}} {
		tab := chromium.Open(t, web, o).Visit(c.Boleto.URL)
		tab.Wait(`document.querySelector(".bars img").naturalWidth > 0`)
		tab.Look("boleto", "Boleto")
	}
}
