package docs_test

import (
	"os"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/chromium"
)

// TestPagesWithABrowser: the welcome page and each guide, wide and light, and on a phone in the dark.
func TestPagesWithABrowser(t *testing.T) {
	t.Parallel()
	web := chromium.Web{"pay.example": served(t, baseURL)}
	for _, o := range []chromium.Options{{}, {Dark: true, Width: 360}} {
		tab := chromium.Open(t, web, o).Visit(baseURL + "/")
		tab.Look("welcome", "Cashwrap API")
		for _, name := range guideNames(t) {
			tab.Goto(baseURL + "/docs/" + name)
			tab.Look(name, tab.CSS("h1").Text())
		}
	}
}

// TestPlainPagesWithABrowser: without scripts one gets from the welcome page to a guide, and by its menu and its end to
// others.
func TestPlainPagesWithABrowser(t *testing.T) {
	t.Parallel()
	web := chromium.Web{"pay.example": served(t, baseURL)}
	tab := chromium.Open(t, web, chromium.Options{Dark: true, Width: 360, NoScript: true}).Visit(baseURL + "/")
	tab.Look("welcome-plain", "Cashwrap API")
	tab.CSS(".first a[href='/docs/first-payment']").Click()
	tab.WaitURL("/docs/first-payment$")
	tab.CSS("summary").Click()
	tab.Look("menu", "First payment")
	tab.CSS(".menu a[href='/docs/callbacks']").Click()
	tab.WaitURL("/docs/callbacks$")
	tab.Look("callbacks-plain", "Callbacks")
	if got := tab.CSS("figure.code button").Count(); got != 0 {
		t.Errorf("got %d buttons that would need scripts, want none", got)
	}
	tab.CSS(".turn .next a").Click()
	tab.WaitURL("/docs/refunds$")
}

// TestCopyingCodeWithABrowser, by a button.
func TestCopyingCodeWithABrowser(t *testing.T) {
	t.Parallel()
	web := chromium.Web{"pay.example": served(t, baseURL)}
	tab := chromium.Open(t, web, chromium.Options{}).Visit(baseURL + "/docs/first-payment")
	tab.Evaluate(`navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }`, nil)
	const first = "figure.code:has(button) >> nth=0"
	tab.CSS(first).Evaluate(`(e) => e.querySelector("button").click()`)
	tab.Wait(`globalThis.copied === document.querySelector("figure.code code").textContent`)
	if got := tab.CSS(first + " >> button").Text(); got != "Copied" {
		t.Errorf("got button %q, want that it says so", got)
	}
}

// logo is what Redoc shows of its maker's, which the policy forbids.
var logo = []string{"CSP: img-src forbids https://cdn.redoc.ly/redoc/logo-mini.svg", "csp GET",
	"error: Loading the image 'https://cdn.redoc.ly/redoc/logo-mini.svg' violates the following Content Security " +
		`Policy directive: "img-src data:". The action has been blocked.`}

// ofRedoc is where axe-core looks: the same components make up the rest, for which it would need a minute. Redoc's
// markup breaks two rules, whatever its options and colours: it leaves out levels of headings, and the name of an
// operation in its menu is without the method that is shown.
var ofRedoc = chromium.Part{At: []string{".top", ".menu-content", ".api-info", first,
	`[id="tag/Checkouts/operation/processCheckout"]`}, Except: []string{"heading-order", "label-content-name-mismatch"}}

// first is an operation.
const first = `[id="tag/Checkouts/operation/createCheckout"]`

// TestTheReferenceWithABrowser: every operation, with its command line for this installation, under the policy.
func TestTheReferenceWithABrowser(t *testing.T) {
	t.Parallel()
	web := chromium.Web{"pay.example": served(t, baseURL)}
	for _, o := range []chromium.Options{{}, {Dark: true, Width: 360}} {
		s := chromium.Open(t, web, o)
		s.Expect(logo...)
		tab := s.Visit(baseURL + "/docs")
		tab.CSS(first).Wait()
		if got, want := tab.CSS(`[data-section-id*="/operation/"]`).Count(), operations(t); got != want {
			t.Errorf("got %d operations, want %d", got, want)
		}
		if got, want := strings.TrimSpace(tab.CSS(first+" h2").Text()), "Create a checkout"; got != want {
			t.Errorf("got heading %q, want %q", got, want)
		}
		sample := tab.CSS(first + " pre >> nth=0").Text()
		if want := "curl " + baseURL + "/v0.1/checkouts"; !strings.HasPrefix(sample, want) {
			t.Errorf("got sample %s, want one that begins with %s", sample, want)
		}
		tab.LookAt("reference", "Cashwrap API (0.1)", ofRedoc)
	}
}

// operations counts those of openapi.yaml.
func operations(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("../../shared/contract/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(text), "\n      operationId: ")
}

// TestThePlainReferenceWithABrowser says why there is none, and leads on.
func TestThePlainReferenceWithABrowser(t *testing.T) {
	t.Parallel()
	web := chromium.Web{"pay.example": served(t, baseURL)}
	for _, o := range []chromium.Options{{NoScript: true}, {Dark: true, Width: 360, NoScript: true}} {
		tab := chromium.Open(t, web, o).Visit(baseURL + "/docs")
		tab.Look("reference-plain", "API reference")
		if got := tab.CSS("noscript p").Text(); !strings.Contains(got, "your browser runs none") {
			t.Errorf("got %q, want why there is no reference", got)
		}
		for _, link := range []string{"/openapi.yaml", "/docs/first-payment", "/llms.txt"} {
			if got := tab.CSS("#reference a[href='" + link + "']").Count(); got != 1 {
				t.Errorf("got %d links to %s, want 1", got, link)
			}
		}
	}
}
