package inspector_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/platform/inspector"
	"github.com/cashwrap/cashwrap/localstack/platform/terminal"
)

// fixture is a developer with the local platform.
type fixture struct {
	*testing.T
	client.Client
	platform.Folder
	env map[string]string
}

func start(t *testing.T, runtime string) *fixture {
	t.Helper()
	f := &fixture{T: t, Folder: platform.Folder(filepath.Join(t.TempDir(), ".local"))}
	// Not t's context, which ends before browsers are closed: their pages would miss the platform.
	ctx := context.WithoutCancel(t.Context())
	p, err := platform.Start(ctx, f.Folder, platform.Config{Engine: platform.InMemory, Runtime: runtime,
		Progress: io.Discard, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	f.env, f.BaseURL = p.Env, p.Env["BASE_URL"]
	return f
}

type object = map[string]any

// ask sends a request with the first merchant's key, which must be answered with the status.
func (f *fixture) ask(method, path string, body any, status int) client.Response {
	f.Helper()
	got, err := f.Do(f.Context(), client.Request{Method: method, Path: path, APIKey: f.env["API_KEY"], Body: body})
	if err != nil || got.Status != status {
		f.Fatalf("%s %s: got %d %s, error %v, want %d", method, path, got.Status, got.Body, err, status)
	}
	return got
}

// create creates a checkout of the first merchant, with a reference that is its description, too.
func (f *fixture) create(reference string, more object) (id string) {
	f.Helper()
	body := object{"checkout_reference": reference, "description": reference, "amount": json.Number("10.10"),
		"currency": "EUR", "merchant_code": f.env["MERCHANT_CODE"]}
	maps.Copy(body, more)
	return f.ask(http.MethodPost, "/v0.1/checkouts", body, http.StatusCreated).Text("id")
}

// byCard is the body that pays by a card.
func byCard(number string) object { return client.ByCard(number, time.Now()) }

// pay pays a checkout.
func (f *fixture) pay(id string) client.Response {
	f.Helper()
	return f.ask(http.MethodPut, "/v0.1/checkouts/"+id, byCard(client.Frictionless), http.StatusOK)
}

// receiver is where callbacks go whose merchant has no receiver.
func (f *fixture) receiver() object { return object{"return_url": f.BaseURL + "/sandbox/callbacks"} }

// page is a page of the sandbox, with the status.
func (f *fixture) page(path string, status int) string {
	f.Helper()
	got, err := f.Do(f.Context(), client.Request{Method: http.MethodGet, Path: path})
	if err != nil || got.Status != status {
		f.Fatalf("%s: got %d %s, error %v, want %d", path, got.Status, got.Body, err, status)
	}
	return string(got.Body)
}

// press sends the form of a button, and returns the page that follows.
func (f *fixture) press(command string, form url.Values) string {
	f.Helper()
	got, err := f.Do(f.Context(), client.Request{Method: http.MethodPost, Path: "/sandbox/buttons/" + command,
		Body: form})
	if err != nil || got.Status != http.StatusSeeOther || got.Header.Get("Location") != "/sandbox" {
		f.Fatalf("%s: got %d %s, error %v, want 303 to /sandbox", command, got.Status, got.Body, err)
	}
	return f.page("/sandbox", http.StatusOK)
}

// until waits until it is done.
func (f *fixture) until(what string, done func() bool) {
	f.Helper()
	for deadline := time.Now().Add(30 * time.Second); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			f.Fatalf("got nothing, want %s", what)
		}
	}
}

// operate gives an operator's command.
func (f *fixture) operate(command, answer any) {
	f.Helper()
	if err := f.Operator(terminal.New(io.Discard)).Operate(f.Context(), command, answer); err != nil {
		f.Fatal(err)
	}
}

// wants fails unless a page has each part.
func (f *fixture) wants(page string, parts ...string) {
	f.Helper()
	for _, part := range parts {
		if !strings.Contains(page, part) {
			f.Errorf("got %s, want %q in it", page, part)
		}
	}
}

// listen is a command that listens to callbacks, until stop.
func (f *fixture) listen(wants inspector.Listening) (got chan inspector.Callback, stop func()) {
	f.Helper()
	ctx, cancel := context.WithCancel(f.Context())
	callbacks, err := f.Callbacks(ctx, wants)
	if err != nil {
		f.Fatal(err)
	}
	got, ended := make(chan inspector.Callback, 10), make(chan struct{})
	go func() {
		defer close(ended)
		for c, err := range callbacks {
			if err != nil {
				return // the test misses what does not come
			}
			got <- c
		}
	}()
	return got, func() { cancel(); <-ended }
}
