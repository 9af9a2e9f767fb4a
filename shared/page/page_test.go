package page_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/cashwrap/cashwrap/shared/page"
	"github.com/cashwrap/cashwrap/shared/page/pagetest"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// heading is a page's body.
var heading = templ.Raw("<h1>x</h1>")

// TestTemplate_Policy checks that the policy names each inline element by the hash of the bytes that the browser
// receives.
func TestTemplate_Policy(t *testing.T) {
	t.Parallel()
	script := `if (1 < 2 && "</b>" !== '&amp;') { document.title = "ok"; }`
	p, err := page.New(script).Draw("A & B", heading)
	if err != nil {
		t.Fatal(err)
	}
	body := string(p.HTML)
	for element, directive := range map[string]string{"style": "style-src", "script": "script-src"} {
		found := regexp.MustCompile(`(?s)<` + element + `>(.*)</` + element + `>`).FindStringSubmatch(body)
		if found == nil {
			t.Fatalf("got page %s, want a %s in it", body, element)
		}
		sum := sha256.Sum256([]byte(found[1]))
		want := directive + " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		if !slices.Contains(p.CSP, want) {
			t.Errorf("got policy %q, want %q in it", p.CSP, want)
		}
	}
	for _, part := range []string{"<title>A &amp; B</title>", "<main><h1>x</h1></main>"} {
		if !strings.Contains(body, part) {
			t.Errorf("got page %s, want %s in it", body, part)
		}
	}
}

func TestTemplate_NoScript(t *testing.T) {
	t.Parallel()
	p, err := page.New("").Draw("x", heading)
	if err != nil || strings.Contains(string(p.HTML), "<script") || len(p.CSP) != 2 {
		t.Errorf("got policy %q (%v), want two entries, and no script in\n%s", p.CSP, err, p.HTML)
	}
}

func TestTemplate_Language(t *testing.T) {
	t.Parallel()
	english := page.New("")
	for want, template := range map[string]*page.Template{"en": english, "pt-BR": english.In("pt-BR")} {
		p, err := template.Draw("x", heading)
		if err != nil || !strings.Contains(string(p.HTML), `<html lang="`+want+`">`) || len(p.CSP) != 2 {
			t.Errorf("got policy %q (%v), want two entries, and the language %s in\n%s", p.CSP, err, want, p.HTML)
		}
	}
}

func TestPage_CopiesPolicy(t *testing.T) {
	t.Parallel()
	p, err := page.New("").Draw("x", heading)
	if err != nil {
		t.Fatal(err)
	}
	given := p.Framed().Posting("https:")
	want := append(slices.Clone(p.CSP), "frame-ancestors *", "form-action 'self' https:")
	if !slices.Equal(given.CSP, want) || len(p.CSP) != 2 {
		t.Errorf("got policy %q, and %q of the page it is made from, want %q and its first two alone", given.CSP, p.CSP,
			want)
	}
}

// TestTemplate_Icon checks that browsers need not ask for /favicon.ico. Only a page with Showing may load our pictures.
func TestTemplate_Icon(t *testing.T) {
	t.Parallel()
	p, err := page.New("").Draw("x", heading)
	if err != nil || !strings.Contains(string(p.HTML), `<link rel="icon" href="data:image/svg+xml,`) {
		t.Errorf("got page %s, error %v; want an icon in it", p.HTML, err)
	}
	for want, got := range map[string]page.Page{"img-src data:": p, "img-src data: 'self'": p.Showing()} {
		if !slices.Contains(got.CSP, want) || len(got.CSP) != 2 {
			t.Errorf("got policy %q, want %q in it", got.CSP, want)
		}
	}
}

// TestTemplate_Styled checks that the added style sheet follows the shared style sheet. The policy must name both as
// one element.
func TestTemplate_Styled(t *testing.T) {
	t.Parallel()
	const own = "p { color: red; }"
	shared, err := page.New("f();").Draw("x", heading)
	if err != nil {
		t.Fatal(err)
	}
	p, err := page.New("f();").Styled(own).Draw("x", heading)
	if err != nil {
		t.Fatal(err)
	}
	style := regexp.MustCompile(`(?s)<style>(.*)</style>`)
	before, got := style.FindSubmatch(shared.HTML)[1], style.FindSubmatch(p.HTML)[1]
	if want := string(before) + own; string(got) != want {
		t.Errorf("got style %s, want %s", got, want)
	}
	sum := sha256.Sum256(got)
	want := []string{shared.CSP[0], "style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'", shared.CSP[2]}
	if !slices.Equal(p.CSP, want) || !strings.Contains(string(p.HTML), "<script>f();</script>") {
		t.Errorf("got policy %q, want %q, and the script in\n%s", p.CSP, want, p.HTML)
	}
}

func TestTemplate_DrawBelow(t *testing.T) {
	t.Parallel()
	p, err := page.New("").DrawBelow("x", templ.Raw("<header>above</header>"), heading)
	want := "<body><header>above</header><main><h1>x</h1></main>"
	if err != nil || !strings.Contains(string(p.HTML), want) {
		t.Errorf("got page %s, error %v; want %s in it", p.HTML, err, want)
	}
}

// TestPage_Nonced checks that a nonce is allowed on one page only.
func TestPage_Nonced(t *testing.T) {
	t.Parallel()
	p, err := page.New("f();").Draw("x", heading)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{p.CSP[0], p.CSP[1] + " 'nonce-n1' 'self'", p.CSP[2] + " 'nonce-n1'", "connect-src 'self'"}
	if got := p.Nonced("n1").Allowing("style-src", "'self'").Fetching().CSP; !slices.Equal(got, want) || len(p.CSP) != 3 {
		t.Errorf("got policy %q, and %q of the page it is made from; want %q", got, p.CSP, want)
	}
}

func TestTemplate_BodyFails(t *testing.T) {
	t.Parallel()
	fails := templ.ComponentFunc(func(context.Context, io.Writer) error { return io.ErrUnexpectedEOF })
	if _, err := page.New("").Draw("x", fails); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got error %v, want %v", err, io.ErrUnexpectedEOF)
	}
}

func TestTemplate_HostileText(t *testing.T) {
	t.Parallel()
	err := pagetest.Check(1, func(text string) (string, error) {
		p, err := page.New("f();").Draw(text, heading)
		return string(p.HTML), err
	})
	if err != nil {
		t.Errorf("got error %v, want none", err)
	}
}

// TestOutcome_HostileText checks hostile text in a checkout's id, in the next page's address, and in a status, in case
// a status ever comes from outside.
func TestOutcome_HostileText(t *testing.T) {
	t.Parallel()
	err := pagetest.Check(3, func(text string) (string, error) {
		p, err := page.Outcome(page.English, text, payments.CheckoutStatus(text), "/"+text)
		return string(p.HTML), err
	})
	if err != nil {
		t.Errorf("got error %v, want none", err)
	}
}

func TestOutcome(t *testing.T) {
	t.Parallel()
	titles := map[string]bool{}
	for _, status := range []payments.CheckoutStatus{payments.CheckoutPaid, payments.CheckoutFailed,
		payments.CheckoutExpired, payments.CheckoutPending} {
		p, err := page.Outcome(page.English, `id"><script>`, status, "")
		if err != nil {
			t.Fatal(err)
		}
		body := string(p.HTML)
		if !strings.Contains(body, `data-status="`+string(status)+`"`) ||
			!strings.Contains(body, `data-checkout-id="id&#34;&gt;&lt;script&gt;"`) {
			t.Errorf("got page %s, want the status %s and the escaped id in it", body, status)
		}
		if !slices.Contains(p.CSP, "frame-ancestors *") {
			t.Errorf("%s: got policy %q, want frame-ancestors *, for the merchant's frame", status, p.CSP)
		}
		titles[regexp.MustCompile(`<h1>.*</h1>`).FindString(body)] = true
	}
	if len(titles) != 4 {
		t.Errorf("got titles %v, want 4", titles)
	}
}

func TestReturnURL(t *testing.T) {
	t.Parallel()
	for redirect, want := range map[string]string{
		"https://shop.example":                            "https://shop.example?checkout_id=co-1",
		"https://shop.example/a?":                         "https://shop.example/a?checkout_id=co-1",
		"https://shop.example/a?z=1&b=%2F+x&b=2":          "https://shop.example/a?z=1&b=%2F+x&b=2&checkout_id=co-1",
		"https://shop.example/a?checkout_id=old&z=1#frag": "https://shop.example/a?z=1&checkout_id=co-1#frag",
		"https://shop.example/a?checkout%5Fid=old&flag":   "https://shop.example/a?flag&checkout_id=co-1",
		"http://localhost:3000/x?bad=%zz":                 "http://localhost:3000/x?bad=%25zz&checkout_id=co-1",
		"https://shop.example/a?q=\u00fc&r=%C3%bc":        "https://shop.example/a?q=%C3%BC&r=%C3%bc&checkout_id=co-1",
		"https://shop.example/a?q=a b\"<>'`":              "https://shop.example/a?q=a%20b%22%3C%3E'%60&checkout_id=co-1",
		"https://shop.example/a?q={}|\\^[]":               "https://shop.example/a?q=%7B%7D%7C%5C%5E%5B%5D&checkout_id=co-1",
		"https://shop.example/a?q=\U0001F600%":            "https://shop.example/a?q=%F0%9F%98%80%25&checkout_id=co-1",
		"https://shop.example/a?q=%2":                     "https://shop.example/a?q=%252&checkout_id=co-1",
		"https://shop.example/\u00fc?a:b@c/?d=(1),2;3!*$": "https://shop.example/%C3%BC?a:b@c/?d=(1),2;3!*$&checkout_id=co-1",
	} {
		if got, err := page.ReturnURL(redirect, "co-1"); err != nil || got != want {
			t.Errorf("%s: got %s (%v), want %s", redirect, got, err, want)
		}
	}
	if got, err := page.ReturnURL("https://shop.example/%zz", "co-1"); err == nil {
		t.Errorf("a malformed URL: got %s, want an error", got)
	}
}
