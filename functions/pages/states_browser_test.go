package pages

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/chromium"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

// serveStates serves each state at /pay/c- followed by the state's name, with the platform's headers.
func serveStates(t *testing.T, language string) http.Handler {
	t.Helper()
	table := store.Open(store.Config{Table: "cashwrap", Region: "eu-central-1", Endpoint: enginetest.Table(t),
		Credentials: credentials.NewStaticCredentialsProvider(enginetest.AccessKey(t), "none", "")})
	if err := table.CreateTable(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := states()
	show := func(_ context.Context, req showRequest) (rest.Document, error) {
		v := all[string(req.ID)]
		v.AcceptLanguage = language
		if v.Links.Page != "" {
			v.Links.Page = "/pay/c-" + string(req.ID)
		}
		p, err := render(v)
		return rest.Document{HTML: p.HTML, CSP: p.CSP}, err
	}
	return rest.New(rest.Config{
		Routes: []rest.Route{{Method: "GET", Path: "/pay/c-{checkout_id}", Access: rest.Open, Errors: rest.HTML,
			Handle: rest.Page(show)}},
		Store: table, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), BaseURL: "https://pay.test",
		HashKey: []byte(strings.Repeat("s", 32)), Limits: rest.Limits{Address: rest.Limit{Rate: 1000, Burst: 1000}},
	})
}

// serveTargets serves the addresses to which the states lead: images, and other pages.
func serveTargets(states http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/pay/"):
			r.Header.Set("X-Forwarded-Proto", "https")
			states.ServeHTTP(w, r)
		case r.URL.Path == "/image.svg":
			w.Header().Set("Content-Type", "image/svg+xml")
			fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" width="405" height="50"><path d="M0 0h405v50H0z"/></svg>`)
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<!doctype html><html lang="en"><title>Other</title><link rel="icon" href="data:,">
				<main><h1>Other</h1></main>`)
		}
	})
}

// TestShowPaymentPage_EachStateWithABrowser checks each state's page: axe's accessibility rules, the
// Content-Security-Policy, and the width.
func TestShowPaymentPage_EachStateWithABrowser(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, language string
		chromium.Options
	}{
		{"wide", "en", chromium.Options{}}, {"wide and dark", "de", chromium.Options{Dark: true}},
		{"narrow", "pt-BR", chromium.Options{Width: 360}},
		{"narrow, dark and without script", "de", chromium.Options{Width: 360, NoScript: true, Dark: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			web := chromium.Web{"pay.test": serveTargets(serveStates(t, c.language))}
			tab := chromium.Open(t, web, c.Options).Tab()
			for _, name := range slices.Sorted(maps.Keys(states())) {
				tab.Goto("https://pay.test/pay/c-" + name)
				if name == "challenge-live" && !c.NoScript {
					tab.WaitURL(`^https://pay\.test/3ds/start`) // the script forwards at once
					continue
				}
				if name == "challenge" && !c.NoScript {
					tab.Frame("iframe").CSS("h1").Text() // the script loads this page into the frame
				}
				if got := tab.CSS("#pay").Attribute("data-state"); got != string(states()[name].State) {
					t.Errorf("%s: got state %s, want %s", name, got, states()[name].State)
				}
				tab.Look("pay-"+name, tab.CSS("h1").Text())
			}
		})
	}
}
