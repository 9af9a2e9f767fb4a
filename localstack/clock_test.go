package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runner"
	"github.com/cashwrap/cashwrap/localstack/platform/terminal"
	"github.com/cashwrap/cashwrap/shared/app"
)

// shop is a merchant of a running platform. Its callback receiver uses the real time.
type shop struct {
	*testing.T
	place   platform.Folder
	env     map[string]string
	url     string // address of the receiver
	status  atomic.Int64
	arrived chan error   // for each callback the official library's error, or nil
	last    atomic.Value // id of the last callback, a string
}

func openShop(t *testing.T, place platform.Folder, env map[string]string) *shop {
	t.Helper()
	s := &shop{T: t, place: place, env: env, arrived: make(chan error, 100)}
	webhook, err := standardwebhooks.NewWebhook(env["CALLBACK_SECRET"])
	if err != nil {
		t.Fatal(err)
	}
	s.status.Store(http.StatusNoContent)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		s.last.Store(r.Header.Get("webhook-id"))
		s.arrived <- errors.Join(err, webhook.Verify(body, r.Header))
		w.WriteHeader(int(s.status.Load()))
	}))
	t.Cleanup(receiver.Close)
	s.url = receiver.URL
	return s
}

func (s *shop) operate(command, answer any) {
	s.Helper()
	if err := s.place.Operator(terminal.New(io.Discard)).Operate(s.Context(), command, answer); err != nil {
		s.Fatal(err)
	}
}

func (s *shop) advance(length string) {
	s.Helper()
	if err := advanceClock(s.Context(), s.place, length, io.Discard); err != nil {
		s.Fatal(err)
	}
}

func (s *shop) send(r client.Request) client.Response {
	s.Helper()
	r.APIKey = s.env["API_KEY"]
	response, err := client.Client{BaseURL: s.env["BASE_URL"]}.Do(s.Context(), r)
	if err != nil {
		s.Fatal(err)
	}
	return response
}

// createCheckout creates a checkout. key is the request's Idempotency-Key, and until is the checkout's valid_until. If
// a value is "", the request does not have it.
func (s *shop) createCheckout(reference, key, until string) client.Response {
	s.Helper()
	body := map[string]any{"checkout_reference": reference, "amount": 10, "currency": "EUR",
		"merchant_code": s.env["MERCHANT_CODE"]}
	if s.url != "" {
		body["return_url"] = s.url
	}
	if until != "" {
		body["valid_until"] = until
	}
	return s.send(client.Request{Method: http.MethodPost, Path: "/v0.1/checkouts", IdempotencyKey: key, Body: body})
}

// wantCallback waits for the next callback, and verifies it.
func (s *shop) wantCallback(what string) {
	s.Helper()
	select {
	case err := <-s.arrived:
		if err != nil {
			s.Errorf("callback %s: got error %v of the official library, want none", what, err)
		}
	case <-time.After(time.Minute):
		s.Fatalf("callback %s: got none within a minute of real time, want one at once", what)
	}
}

// waitUntil repeats a check of the platform until it succeeds.
func (s *shop) waitUntil(what string, shows func() bool) {
	s.Helper()
	for began := time.Now(); !shows(); time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			s.Fatalf("got a minute of real time, want that %s", what)
		}
	}
}

// TestClockAdvance_WholePlatform checks that work which becomes due by the move is done at once, and that the
// merchant's receiver sees valid signatures.
func TestClockAdvance_WholePlatform(t *testing.T) {
	t.Parallel()
	place := newFolder(t)
	l := startPlatform(t, place, platform.Config{Engine: platform.InMemory})
	if strings.Contains(l.said, "real time") {
		t.Errorf("got greeting %s, want no time while it is real", l.said)
	}
	s := openShop(t, place, l.env)
	s.checkRetries()
	s.checkExpiries()
	s.checkPayout()
	if err := l.stop(); err != nil {
		t.Fatal(err)
	}
	if want := " 38d 3h ahead of the real time.\n"; !strings.Contains(l.later.String(), want) {
		t.Errorf("got\n%s\nwant a line that ends with %q", l.later, want)
	}
	again := startPlatform(t, place, platform.Config{Engine: platform.InMemory})
	if want := ", 38d 3h ahead of the real time"; !strings.Contains(again.said, want) {
		t.Errorf("after a restart: got greeting %s, want %q in it", again.said, want)
	}
	if err := again.stop(); err != nil {
		t.Fatal(err)
	}
	if err := place.Reset(); err != nil {
		t.Fatal(err)
	}
	fresh := startPlatform(t, place, platform.Config{Engine: platform.InMemory})
	wantTime(t, place, ", the real time.")
	if err := fresh.stop(); err != nil {
		t.Fatal(err)
	}
}

// checkRetries checks that the retries of the first two hours happen at once, until one succeeds (contract §11.3).
func (s *shop) checkRetries() {
	s.Helper()
	s.status.Store(http.StatusServiceUnavailable)
	id := s.createCheckout("retried", "", "").Text("id")
	s.send(client.Request{Method: http.MethodDelete, Path: "/v0.1/checkouts/" + id})
	s.wantCallback("at once")
	for i, gap := range []string{"1m", "4m", "15m", "100m"} { // 1, 5, 20 minutes and 2 hours after the first try
		s.wantTries(i + 1)
		if i == 3 {
			s.status.Store(http.StatusNoContent)
		}
		s.advance(gap)
		s.wantCallback("after another " + gap)
	}
	s.wantTries(5)
}

// wantTries waits until the outcomes of n tries are recorded.
func (s *shop) wantTries(n int) {
	s.Helper()
	list := map[string]any{"command": "show_callback", "id": s.last.Load()}
	s.waitUntil(fmt.Sprint(n, " tries are recorded"), func() bool {
		var c struct{ Tries int }
		s.operate(list, &c)
		return c.Tries == n
	})
}

// checkExpiries checks that a checkout expires. It also checks that the record of an Idempotency-Key expires after 31
// days (contract §2.8).
func (s *shop) checkExpiries() {
	s.Helper()
	now, err := s.place.Time()
	if err != nil {
		s.Fatal(err)
	}
	until := now.Now.AddDate(0, 0, 7).Format(time.RFC3339)
	first := s.createCheckout("expires", "the same key", until)
	id := first.Text("id")
	if again := s.createCheckout("expires", "the same key", until); first.Status != http.StatusCreated ||
		again.Text("id") != id {
		s.Errorf("repeated: got %d %s, then %d %s, want 201 and the same checkout", first.Status, first.Body,
			again.Status, again.Body)
	}
	s.advance("7d")
	s.wantCallback("of the expiry")
	if got := s.send(client.Request{Method: http.MethodGet, Path: "/v0.1/checkouts/" + id}).Text("status"); got !=
		"EXPIRED" {
		s.Errorf("after its valid_until: got status %s, want EXPIRED", got)
	}
	if got := s.createCheckout("another", "the same key", "").Status; got != http.StatusUnprocessableEntity {
		s.Errorf("another request after 7 days: got status %d, want 422", got)
	}
	s.advance("24d")
	if got := s.createCheckout("another", "the same key", ""); got.Status != http.StatusCreated {
		s.Errorf("another request after 31 days: got %d %s, want 201", got.Status, got.Body)
	}
}

// checkPayout checks that the payout opens a week later, and that the platform asks the bank again when that is due.
func (s *shop) checkPayout() {
	s.Helper()
	id := s.createCheckout("paid out", "", "").Text("id")
	now, err := s.place.Time()
	if err != nil {
		s.Fatal(err)
	}
	paid := s.send(client.Request{Method: http.MethodPut, Path: "/v0.1/checkouts/" + id,
		Body: client.ByCard(client.Frictionless, now.Now)})
	if paid.Text("status") != "PAID" {
		s.Fatalf("got %d %s, want PAID", paid.Status, paid.Body)
	}
	s.wantCallback("of the payment")
	s.advance("7d")
	s.waitUntil("a payout waits for the bank", s.isPayoutPending)
	s.advance("1h")
	code := paid.Text("transaction_code")
	s.waitUntil("the payment is paid out", func() bool {
		return s.send(client.Request{Method: http.MethodGet, Path: "/v2.1/merchants/" + s.env["MERCHANT_CODE"] +
			"/transactions?transaction_code=" + code}).Text("simple_status") == "PAID_OUT"
	})
}

// isPayoutPending returns true if a payout is ordered at the bank and its outcome is still unknown.
func (s *shop) isPayoutPending() bool {
	s.Helper()
	b, err := s.place.Surroundings()
	if err != nil {
		s.Fatal(err)
	}
	config, err := app.FromEnvironment(func(name string) string { return b.Environment[name] }, app.Secrets...)
	if err != nil {
		s.Fatal(err)
	}
	a := app.New(config, app.Overrides{Credentials: runner.Engines{AccessKey: b.AccessKey}.Credentials()})
	for shard := range a.Store.DueShards() {
		for due, err := range a.Store.DuePayouts(s.Context(), shard, "", a.Now().Add(time.Hour)) {
			if err != nil {
				s.Fatal(err)
			}
			if due.Schedule {
				continue
			}
			if p, err := a.Store.Payout(s.Context(), due.Tenant, due.PayoutID); err == nil && p.Polls > 0 {
				return true
			}
		}
	}
	return false
}

// TestClockAdvance_InvalidLength checks that the clock moves only by valid lengths, only forward, and only while the
// platform runs.
func TestClockAdvance_InvalidLength(t *testing.T) {
	t.Parallel()
	place := newFolder(t)
	if err := advanceClock(t.Context(), place, "7d", io.Discard); !errors.Is(err, platform.ErrNotRunning) {
		t.Errorf("without a platform: got error %v, want %v", err, platform.ErrNotRunning)
	}
	l := startPlatform(t, place, platform.Config{Engine: platform.InMemory})
	for length, want := range map[string]string{"tomorrow": "\"tomorrow\" is not a duration", "-7d": "is not a",
		"200000d": "not", "1826d": "1825d ahead at most"} {
		if err := advanceClock(t.Context(), place, length, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want %q in it", length, err, want)
		}
	}
	if err := place.Advance(t.Context(), -time.Hour); err == nil {
		t.Error("an hour back: got no error, want one")
	}
	wantTime(t, place, ", the real time.")
	if err := l.stop(); err != nil {
		t.Fatal(err)
	}
}

func wantTime(t *testing.T, place platform.Folder, want string) {
	t.Helper()
	var said bytes.Buffer
	if err := advanceClock(t.Context(), place, "", &said); err != nil || !strings.Contains(said.String(), want) {
		t.Errorf("got %s and error %v, want %q in it", &said, err, want)
	}
}
