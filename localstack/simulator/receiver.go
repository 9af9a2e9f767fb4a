package simulator

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
)

// delivery is one callback that the merchants' server took. One of a payment at a reader names the
// transaction, and its status.
type delivery struct {
	ID, Checkout, URL   string
	transaction, status string
	at                  time.Time
}

// receiver is the merchants' server, at the end of a network.
type receiver struct{ world *World }

// RoundTrip takes one callback.
func (r receiver) RoundTrip(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	var event struct {
		EventType string `json:"event_type"`
		ID        string
		Payload   struct {
			Transaction string `json:"transaction_id"`
			Status      string
		}
	}
	id := request.Header.Get("webhook-id")
	err = json.Unmarshal(body, &event)
	switch {
	case err == nil && event.EventType == "CHECKOUT_STATUS_CHANGED":
	case err == nil && event.EventType == "solo.transaction.updated" && event.Payload.Transaction != "":
		event.ID = ""
	default:
		r.world.find(event.ID, "callback with the body %s", body)
	}
	answer := func(status int) *http.Response {
		return &http.Response{StatusCode: status, Header: http.Header{}, Body: http.NoBody, Request: request}
	}
	to := toReceiver
	if r.world.hangs(request.URL.Hostname()) {
		to = toHanging
	}
	return perform(r.world, request.Context(), exchange[*http.Response]{
		kind: to, label: id + " " + event.ID,
		send: func() (*http.Response, string, error) {
			now := r.world.now()
			r.world.record(func() {
				r.world.received = append(r.world.received, delivery{ID: id, Checkout: event.ID, URL: request.URL.String(),
					transaction: event.Payload.Transaction, status: event.Payload.Status, at: now})
			})
			return answer(http.StatusNoContent), "204", nil
		},
		refuse: func(faults.Fault) (*http.Response, error) { return answer(http.StatusServiceUnavailable), nil },
	})
}

// plainClient reaches an engine past the scheduler.
func plainClient(engine http.RoundTripper) aws.HTTPClient { return &http.Client{Transport: engine} }

// errorLog keeps what the functions logged as an error, a line each.
type errorLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write keeps lines.
func (e *errorLog) Write(lines []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.text.Write(lines)
}

// about are the lines that contain the text.
func (e *errorLog) about(text string) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	lines := strings.Split(e.text.String(), "\n")
	return slices.DeleteFunc(lines, func(line string) bool { return !strings.Contains(line, text) })
}

// findLogged finds each error that contains one of the texts.
func (w *World) findLogged(texts ...string) {
	for _, text := range texts {
		for _, line := range w.errors.about(text) {
			w.find("", "log: %s", line)
		}
	}
}
