package inspector_test

import (
	"bufio"
	"context"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
)

// TestCheckOrigin checks requests from pages of another site, and from sites whose name resolves to this machine.
func TestCheckOrigin(t *testing.T) {
	t.Parallel()
	f := start(t, platform.InProcess)
	own, _ := url.Parse(f.BaseURL)
	before := f.get("/sandbox", http.StatusOK)
	for name, c := range map[string]struct {
		method, path, host string
		header             map[string]string
		status             int
	}{
		"its own page":              {"GET", "/sandbox", "", map[string]string{"Origin": f.BaseURL}, 200},
		"by the name localhost":     {"GET", "/sandbox", "localhost:" + own.Port(), nil, 307},
		"a button by that name":     {"POST", "/sandbox/buttons/run_payouts", "localhost:" + own.Port(), nil, 421},
		"a name that leads here":    {"GET", "/sandbox", "evil.example:" + own.Port(), nil, 421},
		"the welcome, with its key": {"GET", "/", "evil.example", map[string]string{"Accept": "text/html"}, 421},
		"changes for another site": {"GET", "/sandbox/changes", "", map[string]string{"Origin": "http://evil.example"},
			403},
		"a form of another site": {"POST", "/sandbox/buttons/advance_clock", "",
			map[string]string{"Origin": "http://evil.example"}, 403},
		"a form without its site": {"POST", "/sandbox/buttons/advance_clock", "", map[string]string{"Origin": "null"},
			403},
		"a form by fetch metadata": {"POST", "/sandbox/buttons/advance_clock", "",
			map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		"a form of its own": {"POST", "/sandbox/buttons/advance_clock", "", map[string]string{"Origin": "null",
			"Sec-Fetch-Site": "same-origin"}, 303},
		"another port of this machine": {"POST", "/sandbox/payer", "",
			map[string]string{"Origin": "http://127.0.0.1:1"}, 403},
		"no such command":     {"POST", "/sandbox/buttons/reset", "", nil, 404},
		"no such page":        {"GET", "/sandbox/none", "", nil, 404},
		"a command by a link": {"GET", "/sandbox/buttons/advance_clock?by=7d", "", nil, 405},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, f.BaseURL+c.path, strings.NewReader("by=7d"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if c.host != "" {
			r.Host = c.host
		}
		for name, value := range c.header {
			r.Header.Set(name, value)
		}
		response, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != c.status {
			t.Errorf("%s: got %d, want %d", name, response.StatusCode, c.status)
		}
	}
	if now, err := f.Time(); err != nil || now.Ahead != 7*24*time.Hour {
		t.Errorf("got time %v, error %v, want that one form moved it, and no other", now, err)
	}
	f.want(before, "the real time")
}

// TestWelcome checks that browsers get the page, and clients that want JSON the contract's 404.
func TestWelcome(t *testing.T) {
	t.Parallel()
	f := start(t, platform.InProcess)
	got, err := f.Do(t.Context(), client.Request{Method: "GET", Path: "/",
		Header: map[string]string{"Accept": "text/html,application/xhtml+xml"}})
	if err != nil || got.Status != http.StatusOK {
		t.Fatalf("got %d, error %v, want 200", got.Status, err)
	}
	f.want(string(got.Body), f.env["API_KEY"], f.env["MERCHANT_CODE"], f.BaseURL, `href="/sandbox"`, `href="/docs"`)
	if csp := got.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") ||
		strings.Contains(csp, "unsafe") {
		t.Errorf("got policy %q, want a strict one", csp)
	}
	for _, accept := range []string{"", "*/*", "application/json", "text/html;q=0, application/json"} {
		got, err := f.Do(t.Context(), client.Request{Method: "GET", Path: "/", Header: map[string]string{"Accept": accept}})
		if err != nil || got.Status != http.StatusNotFound || got.Text("error_code") != "NOT_FOUND" {
			t.Errorf("Accept %q: got %d %s, error %v, want 404 NOT_FOUND", accept, got.Status, got.Body, err)
		}
	}
}

// TestMails also checks the mails' links.
func TestMails(t *testing.T) {
	t.Parallel()
	f := start(t, platform.InProcess)
	f.ask(http.MethodPost, "/v0.1/merchants/"+f.env["MERCHANT_CODE"]+"/members",
		object{"email": "ada@example.com", "roles": []string{"role_accountant"}}, http.StatusCreated)
	var name string
	f.waitUntil("a mail to ada", func() bool {
		files, _ := filepath.Glob(filepath.Join(f.Mails(), "*.eml"))
		for _, file := range files {
			if text, err := os.ReadFile(file); err == nil && strings.Contains(string(text), "ada@example.com") {
				name = strings.TrimSuffix(filepath.Base(file), ".eml")
			}
		}
		return name != ""
	})
	f.want(f.get("/sandbox", http.StatusOK), "/sandbox/mails/"+name, "to ada@example.com")
	f.want(f.get("/sandbox/mails/"+name, http.StatusOK), `<a href="`+f.BaseURL+"/invitations/")
	for _, bad := range []string{"none", "..%2f..%2fenv", "%2e%2e%2fsecret"} {
		f.get("/sandbox/mails/"+bad, http.StatusNotFound)
	}
}

// TestStreams_OpenPage checks that a page gets each changed section once and whole, and that a request's path cannot
// forge an event.
func TestStreams_OpenPage(t *testing.T) {
	t.Parallel()
	f := start(t, platform.InProcess)
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, f.BaseURL+"/sandbox/changes", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if got := response.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("got type %q, want text/event-stream", got)
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	next := func() (event, data string) {
		t.Helper()
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "event":
				event = value
			case "data":
				data += value + "\n"
			case "":
				return event, data
			}
		}
		t.Fatalf("got the end of the stream, error %v", lines.Err())
		return "", ""
	}
	seen := map[string]bool{}
	for len(seen) < 7 {
		event, _ := next()
		if seen[event] {
			t.Errorf("got %s twice though nothing has changed", event)
		}
		seen[event] = true
	}
	f.pay(f.create("coffee", nil))
	f.get("/sandbox?a=%0d%0devent:mails%0ddata:forged", http.StatusOK) // not recorded
	f.ask(http.MethodGet, "/healthz?a=%0d%0devent:mails%0ddata:forged%0d%0d", nil, http.StatusOK)
	for changed := map[string]string{}; !strings.Contains(changed["payments"], "€10.10 SUCCESSFUL") ||
		!strings.Contains(changed["requests"], "POST /v0.1/checkouts") || !strings.Contains(changed["requests"], "forged"); {
		event, data := next()
		if event == "readers" || strings.Contains(data, "\r") { // \r ends a line, so it would begin the forged event
			t.Errorf("got %s: %q, want no change of the readers, and no \\r from the request", event, data)
		}
		changed[event] = data
	}
	cancel()
}
