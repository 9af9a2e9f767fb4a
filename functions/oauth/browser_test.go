package oauth_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

// application is the server of a client: its callback sends the browser on to a page on
// another host, as many do.
func application(t *testing.T, callbacks func(url.Values)) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/callback" {
			callbacks(r.URL.Query())
			http.Redirect(w, r, "http://www.app.test/done?"+r.URL.RawQuery, http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><link rel=icon href=data:,><title>Done</title>")
	}))
	t.Cleanup(server.Close)
	return server
}

// saw is what a browser saw on a page.
type saw struct {
	Title, Alert string
	Status       int
}

// visit is one way through the pages.
type visit struct {
	Seen struct {
		SignIn    saw `json:"sign-in"`
		Wrong     saw
		Consent   saw
		Allowed   string
		Denied    string
		SignedOut saw `json:"signed-out"`
		Unknown   saw
	}
	Console []string
}

// TestWithABrowser: Chromium, with scripts and without, light and dark, wide and narrow. The
// environment variable CASHWRAP_SCREENSHOTS names a folder for pictures of the pages.
func TestWithABrowser(t *testing.T) {
	t.Parallel()
	program := enginetest.Node(t, "client/signin.mjs")
	chromium, err := exec.LookPath("chromium")
	if err != nil && os.Getenv("CASHWRAP_ORACLE") != "required" {
		t.Skip(err)
	}
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	p.join(p.OtherShop().Tenant(), ada)
	p.Clock.Advance(time.Hour)
	p.change(func(c *oauth.Client) { c.RedirectURIs = []string{"http://app.test/callback"} })
	var mu sync.Mutex
	var answers []url.Values
	app := application(t, func(answer url.Values) {
		mu.Lock()
		defer mu.Unlock()
		answers = append(answers, answer)
		p.Clock.Advance(time.Minute) // a person takes a while
	})
	platform := httptest.NewServer(p.Main().Handler())
	t.Cleanup(platform.Close)
	asked := p.asked(url.Values{"redirect_uri": {"http://app.test/callback"},
		"scope": {"payments transactions.history user.profile api_keys:write"}})
	listens := func(s *httptest.Server) string { return strings.TrimPrefix(s.URL, "http://") }
	input, err := json.Marshal(map[string]string{"chromium": chromium, "locale": "en-GB", "username": ada,
		"hosts": "MAP cashwrap.test " + listens(platform) + ", MAP *.app.test " + listens(app) + ", MAP app.test " +
			listens(app) + ", MAP * ~NOTFOUND",
		"password": herPassword, "wrong": otherPassword, "authorize": "http://cashwrap.test" + asked,
		"unknown":  "http://cashwrap.test" + p.asked(url.Values{"client_id": {"client_other"}}),
		"merchant": p.Other.Code, "arrives": "http://www.app.test/done?",
		"screenshots": os.Getenv("CASHWRAP_SCREENSHOTS")})
	if err != nil {
		t.Fatal(err)
	}
	var output, problems bytes.Buffer
	program.Stdin, program.Stdout, program.Stderr = bytes.NewReader(input), &output, &problems
	if err := program.Run(); err != nil {
		t.Fatalf("%v: %s", err, problems.String())
	}
	var got []visit
	if err := json.Unmarshal(output.Bytes(), &got); err != nil || len(got) != 4 {
		t.Fatalf("got %s, error %v; want four visits", output.String(), err)
	}
	for i, v := range got {
		want := visit{}
		want.Seen.SignIn = saw{Title: "Sign in"}
		want.Seen.Wrong = saw{Title: "Sign in", Alert: "Name and password do not match."}
		want.Seen.Consent = saw{Title: "Allow Till App to act for you?"}
		want.Seen.SignedOut = want.Seen.SignIn
		want.Seen.Unknown = saw{Title: "This application is not known", Status: http.StatusBadRequest}
		want.Seen.Allowed, want.Seen.Denied = v.Seen.Allowed, v.Seen.Denied
		want.Console = []string{refusedOnPurpose, refusedOnPurpose} // a wrong password, and an unknown client
		if diff := cmp.Diff(want, v); diff != "" {
			t.Errorf("visit %d (-want +got):\n%s", i, diff)
		}
		code := answers[2*i].Get("code")
		p.Secret("code", code)
		allowed := url.Values{"code": {code}, "state": {"a state"}, "merchant_code": {p.Other.Code},
			"iss": {"http://cashwrap.test"}}
		if diff := cmp.Diff(allowed, answers[2*i]); diff != "" || code == "" {
			t.Errorf("visit %d, allowed (-want +got):\n%s", i, diff)
		}
		if denied := answers[2*i+1].Get("error"); denied != oauth.AccessDenied {
			t.Errorf("visit %d: got %v, want access_denied", i, answers[2*i+1])
		}
	}
}

// refusedOnPurpose is what Chromium reports of a page with status 400.
const refusedOnPurpose = "error: Failed to load resource: the server responded with a status of 400 (Bad Request)"
