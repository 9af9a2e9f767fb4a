package world

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/cashwrap/cashwrap/shared/webhook"
)

// Receiver is a merchant's server for callbacks. It verifies signatures with the keys from the time of its start.
// Answer changes the status that it answers.
type Receiver struct {
	URL string

	world  *World
	keys   []webhook.PublicKey
	mu     sync.Mutex
	status int
	got    []Delivery
	tries  []Try
}

// Try is one callback request, whatever the receiver answered.
type Try struct {
	Header http.Header
	Body   string
	At     time.Time
}

// Verifies returns true if the try has a valid signature by the secret.
func (t Try) Verifies(secret webhook.Secret) bool {
	return webhook.Verify(t.Header, []byte(t.Body), t.At, []webhook.Secret{secret}, nil) == nil
}

// Delivery is one callback that the receiver accepted.
type Delivery struct {
	ID       string // webhook-id
	Checkout string // id of an online checkout
	Status   string // status of an online checkout
	Reader   *ReaderCallback
}

// ReaderCallback is the body of a callback about a checkout at a reader (contract §11.4).
type ReaderCallback struct {
	ID        string `json:"id"`
	EventType string `json:"event_type"`
	Payload   struct {
		ClientTransactionID string `json:"client_transaction_id"`
		MerchantCode        string `json:"merchant_code"`
		Status              string `json:"status"`
		TransactionID       string `json:"transaction_id"`
		FailureReason       string `json:"failure_reason,omitempty"`
	} `json:"payload"`
	Timestamp string `json:"timestamp"`
}

// Receive starts a receiver that answers 204.
func (w *World) Receive() *Receiver {
	w.Helper()
	keys, err := w.App.SigningKeys()
	w.must(err)
	r := &Receiver{world: w, status: http.StatusNoContent}
	for _, key := range keys {
		r.keys = append(r.keys, key.PublicKey())
	}
	server := httptest.NewServer(r)
	w.Cleanup(server.Close)
	r.URL = server.URL + "/hook"
	return r
}

// Answer sets the status that the receiver answers from now on.
func (r *Receiver) Answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// Deliveries returns all callbacks that the receiver has accepted so far.
func (r *Receiver) Deliveries() []Delivery {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

// Tries returns all callback requests so far.
func (r *Receiver) Tries() []Try {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.tries)
}

// Messages returns the distinct ids of callbacks about one checkout. Each due callback comes at least once, always with
// the same id.
func (r *Receiver) Messages(checkout string) []string {
	var ids []string
	for _, d := range r.Deliveries() {
		if d.Checkout == checkout && !slices.Contains(ids, d.ID) {
			ids = append(ids, d.ID)
		}
	}
	return ids
}

// ServeHTTP accepts one callback.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		r.world.Errorf("callback: %v", err)
	}
	if err = webhook.Verify(request.Header, body, r.world.Clock.Now(), nil, r.keys); err != nil {
		r.world.Errorf("callback signature: %v", err)
	}
	got, err := decodeDelivery(body)
	if err != nil {
		r.world.Errorf("callback body %s: %v", body, err)
	}
	got.ID = request.Header.Get("webhook-id")
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tries = append(r.tries, Try{Header: request.Header, Body: string(body), At: r.world.Clock.Now()})
	if r.status < http.StatusMultipleChoices {
		r.got = append(r.got, got)
	}
	w.WriteHeader(r.status)
}

// decodeDelivery decodes a callback's body. The body must have exactly the members of its type.
func decodeDelivery(body []byte) (Delivery, error) {
	var kind struct {
		EventType string `json:"event_type"`
	}
	if err := json.Unmarshal(body, &kind); err != nil {
		return Delivery{}, err
	}
	if kind.EventType == "solo.transaction.updated" {
		var event ReaderCallback
		return Delivery{Reader: &event}, decodeExactly(body, &event)
	}
	var event struct {
		EventType string `json:"event_type"`
		ID        string `json:"id"`
		Status    string `json:"status,omitempty"`
	}
	err := decodeExactly(body, &event)
	if err == nil && event.EventType != "CHECKOUT_STATUS_CHANGED" {
		err = fmt.Errorf("its type is %q", event.EventType)
	}
	return Delivery{Checkout: event.ID, Status: event.Status}, err
}

// decodeExactly decodes an object. The object must have exactly the members of the struct, in any order.
func decodeExactly(body []byte, event any) error {
	if err := json.Unmarshal(body, event); err != nil {
		return err
	}
	again, err := json.Marshal(event)
	if err != nil {
		return err
	}
	var sent, known any
	if err = errors.Join(json.Unmarshal(body, &sent), json.Unmarshal(again, &known)); err != nil {
		return err
	}
	if !reflect.DeepEqual(sent, known) {
		return fmt.Errorf("it has not the members of %s", again)
	}
	return nil
}
