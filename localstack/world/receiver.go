package world

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"time"

	"github.com/cashwrap/cashwrap/shared/webhook"
)

// Receiver is a merchant's server that callbacks are sent to. It verifies
// each one's signature with the platform's keys of when it was started, and
// answers with the status of the last call of Answer.
type Receiver struct {
	URL string

	world  *World
	keys   []webhook.PublicKey
	mu     sync.Mutex
	status int
	got    []Delivery
	tries  []Try
}

// Try is one request of a callback, whatever the receiver answered.
type Try struct {
	Header http.Header
	Body   string
	At     time.Time
}

// Verifies reports whether the try has a signature by the secret.
func (t Try) Verifies(secret webhook.Secret) bool {
	return webhook.Verify(t.Header, []byte(t.Body), t.At, []webhook.Secret{secret}, nil) == nil
}

// Delivery is one callback as received.
type Delivery struct {
	ID       string // webhook-id
	Checkout string
}

// Receive starts a receiver that answers 204.
func (w *World) Receive() *Receiver {
	w.Helper()
	keys, err := w.App.SigningKeys()
	if err != nil {
		w.Fatal(err)
	}
	r := &Receiver{world: w, status: http.StatusNoContent}
	for _, key := range keys {
		r.keys = append(r.keys, key.PublicKey())
	}
	server := httptest.NewServer(r)
	w.Cleanup(server.Close)
	r.URL = server.URL + "/hook"
	return r
}

// Answer makes the receiver answer with another status from now on.
func (r *Receiver) Answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// Deliveries are all callbacks received so far.
func (r *Receiver) Deliveries() []Delivery {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

// Tries are all requests of callbacks so far.
func (r *Receiver) Tries() []Try {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.tries)
}

// Messages are the distinct ids of callbacks on one checkout: each due one
// is received at least once, under one id.
func (r *Receiver) Messages(checkout string) []string {
	var ids []string
	for _, d := range r.Deliveries() {
		if d.Checkout == checkout && !slices.Contains(ids, d.ID) {
			ids = append(ids, d.ID)
		}
	}
	return ids
}

// ServeHTTP takes one callback.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		r.world.Errorf("callback: %v", err)
	}
	if err := webhook.Verify(request.Header, body, r.world.Clock.Now(), nil, r.keys); err != nil {
		r.world.Errorf("callback signature: %v", err)
	}
	var event struct{ EventType, ID string }
	fields := map[string]*string{"event_type": &event.EventType, "id": &event.ID}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil || len(members) != len(fields) {
		r.world.Errorf("callback body %s: %v", body, err)
	}
	for name, field := range fields {
		if err := json.Unmarshal(members[name], field); err != nil {
			r.world.Errorf("callback member %s: %v", name, err)
		}
	}
	if event.EventType != "CHECKOUT_STATUS_CHANGED" {
		r.world.Errorf("callback of type %q", event.EventType)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tries = append(r.tries, Try{Header: request.Header, Body: string(body), At: r.world.Clock.Now()})
	if r.status < http.StatusMultipleChoices {
		r.got = append(r.got, Delivery{ID: request.Header.Get("webhook-id"), Checkout: event.ID})
	}
	w.WriteHeader(r.status)
}
