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

// fixture is a running local platform with a developer's requests.
type fixture struct {
	*testing.T
	client.Client
	platform.Folder
	env map[string]string
}

func start(t *testing.T, runtime string) *fixture {
	t.Helper()
	f := &fixture{T: t, Folder: platform.Folder(filepath.Join(t.TempDir(), ".local"))}
	// t's context would end before the browsers are closed, and their pages would lose the platform.
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

// ask sends a request with the first merchant's key. It fails unless the answer has the status.
func (f *fixture) ask(method, path string, body any, status int) client.Response {
	f.Helper()
	got, err := f.Do(f.Context(), client.Request{Method: method, Path: path, APIKey: f.env["API_KEY"], Body: body})
	if err != nil || got.Status != status {
		f.Fatalf("%s %s: got %d %s, error %v, want %d", method, path, got.Status, got.Body, err, status)
	}
	return got
}

// create creates a checkout of the first merchant. Its description is the reference.
func (f *fixture) create(reference string, more object) (id string) {
	f.Helper()
	body := object{"checkout_reference": reference, "description": reference, "amount": json.Number("10.10"),
		"currency": "EUR", "merchant_code": f.env["MERCHANT_CODE"]}
	maps.Copy(body, more)
	return f.ask(http.MethodPost, "/v0.1/checkouts", body, http.StatusCreated).Text("id")
}

// byCard returns a body that pays by card.
func byCard(number string) object { return client.ByCard(number, time.Now()) }

func (f *fixture) pay(id string) client.Response {
	f.Helper()
	return f.ask(http.MethodPut, "/v0.1/checkouts/"+id, byCard(client.Frictionless), http.StatusOK)
}

// receiver returns a return_url for merchants without a receiver.
func (f *fixture) receiver() object { return object{"return_url": f.BaseURL + "/sandbox/callbacks"} }

// get returns a page of the sandbox. It fails unless the answer has the status.
func (f *fixture) get(path string, status int) string {
	f.Helper()
	got, err := f.Do(f.Context(), client.Request{Method: http.MethodGet, Path: path})
	if err != nil || got.Status != status {
		f.Fatalf("%s: got %d %s, error %v, want %d", path, got.Status, got.Body, err, status)
	}
	return string(got.Body)
}

// pressButton submits a button's form and returns the next page.
func (f *fixture) pressButton(command string, form url.Values) string {
	f.Helper()
	got, err := f.Do(f.Context(), client.Request{Method: http.MethodPost, Path: "/sandbox/buttons/" + command,
		Body: form})
	if err != nil || got.Status != http.StatusSeeOther || got.Header.Get("Location") != "/sandbox" {
		f.Fatalf("%s: got %d %s, error %v, want 303 to /sandbox", command, got.Status, got.Body, err)
	}
	return f.get("/sandbox", http.StatusOK)
}

// waitUntil waits until done returns true.
func (f *fixture) waitUntil(what string, done func() bool) {
	f.Helper()
	for deadline := time.Now().Add(30 * time.Second); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			f.Fatalf("got nothing, want %s", what)
		}
	}
}

// operate runs an operator's command.
func (f *fixture) operate(command, answer any) {
	f.Helper()
	if err := f.Operator(terminal.New(io.Discard)).Operate(f.Context(), command, answer); err != nil {
		f.Fatal(err)
	}
}

// want fails unless the page contains each part.
func (f *fixture) want(page string, parts ...string) {
	f.Helper()
	for _, part := range parts {
		if !strings.Contains(page, part) {
			f.Errorf("got %s, want %q in it", page, part)
		}
	}
}

// listen starts a command that listens to callbacks until stop.
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
				return // the test fails for lack of the callback
			}
			got <- c
		}
	}()
	return got, func() { cancel(); <-ended }
}
