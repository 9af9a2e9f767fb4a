package docs_test

import (
	"os"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/chromium"
)

// TestPages_WithABrowser shows the welcome page and each guide in a wide light window, and on a phone in dark mode.
func TestPages_WithABrowser(t *testing.T) {
	t.Parallel()
	web := chromium.Web{"pay.example": newHandler(t, baseURL)}
	for _, o := range []chromium.Options{{}, {Dark: true, Width: 360}} {
		tab := chromium.Open(t, web, o).Visit(baseURL + "/")
		tab.Look("welcome", "Cashwrap API")
		for _, name := range guideNames(t) {
			tab.Goto(baseURL + "/docs/" + name)
			tab.Look(name, tab.CSS("h1").Text())
		}
	}
}

// TestPagesWithoutScripts_WithABrowser goes from the welcome page to a guide, and from there to other guides by the
// menu and by the links at the guide's end.
func TestPagesWithoutScripts_WithABrowser(t *testing.T) {
	t.Parallel()
	web := chromium.Web{"pay.example": newHandler(t, baseURL)}
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

// TestCopyButton_WithABrowser copies code with the button.
func TestCopyButton_WithABrowser(t *testing.T) {
	t.Parallel()
	web := chromium.Web{"pay.example": newHandler(t, baseURL)}
	tab := chromium.Open(t, web, chromium.Options{}).Visit(baseURL + "/docs/first-payment")
	tab.Evaluate(`navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }`, nil)
	const first = "figure.code:has(button) >> nth=0"
	tab.CSS(first).Evaluate(`(e) => e.querySelector("button").click()`)
	tab.Wait(`globalThis.copied === document.querySelector("figure.code code").textContent`)
	if got := tab.CSS(first + " >> button").Text(); got != "Copied" {
		t.Errorf("got button %q, want that it says so", got)
	}
}

// logo has the messages about the logo of Redoc's maker, which the policy forbids.
var logo = []string{"CSP: img-src forbids https://cdn.redoc.ly/redoc/logo-mini.svg", "csp GET",
	"error: Loading the image 'https://cdn.redoc.ly/redoc/logo-mini.svg' violates the following Content Security " +
		`Policy directive: "img-src data:". The action has been blocked.`}

// ofRedoc limits axe-core to one of each component, because the whole page would take a minute. Redoc's markup breaks
// two rules in any configuration: it leaves out levels of headings, and an operation's menu name lacks the method.
var ofRedoc = chromium.Part{At: []string{".top", ".menu-content", ".api-info", first,
	`[id="tag/Checkouts/operation/processCheckout"]`}, Except: []string{"heading-order", "label-content-name-mismatch"}}

// first is the id of an operation in the reference.
const first = `[id="tag/Checkouts/operation/createCheckout"]`

// TestShowReference_WithABrowser shows every operation, with its command line for this installation, under the policy.
func TestShowReference_WithABrowser(t *testing.T) {
	t.Parallel()
	web := chromium.Web{"pay.example": newHandler(t, baseURL)}
	for _, o := range []chromium.Options{{}, {Dark: true, Width: 360}} {
		s := chromium.Open(t, web, o)
		s.Expect(logo...)
		tab := s.Visit(baseURL + "/docs")
		tab.CSS(first).Wait()
		if got, want := tab.CSS(`[data-section-id*="/operation/"]`).Count(), countOperations(t); got != want {
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

// countOperations returns the number of operations in openapi.yaml.
func countOperations(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("../../shared/contract/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(text), "\n      operationId: ")
}

// TestShowReferenceWithoutScripts_WithABrowser checks that the page says why there is no reference, and has a link to
// go on.
func TestShowReferenceWithoutScripts_WithABrowser(t *testing.T) {
	t.Parallel()
	web := chromium.Web{"pay.example": newHandler(t, baseURL)}
	for _, o := range []chromium.Options{{NoScript: true}, {Dark: true, Width: 360, NoScript: true}} {
		tab := chromium.Open(t, web, o).Visit(baseURL + "/docs")
		tab.Look("reference-plain", "API reference")
		if got := tab.CSS("noscript p").Text(); !strings.Contains(got, "your browser does not run it") {
			t.Errorf("got %q, want why there is no reference", got)
		}
		for _, link := range []string{"/openapi.yaml", "/docs/first-payment", "/llms.txt"} {
			if got := tab.CSS("#reference a[href='" + link + "']").Count(); got != 1 {
				t.Errorf("got %d links to %s, want 1", got, link)
			}
		}
	}
}
