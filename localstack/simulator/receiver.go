package simulator

import (
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
)

// Delivery is one callback that the merchants' server received. For a payment at a reader it names a transaction.
type Delivery struct {
	ID, Checkout, URL   string
	Transaction, Status string
	At                  time.Time
}

type receiver struct{ world *World } // the merchants' server, at the end of a network

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
		r.world.Find(event.ID, "callback with the body %s", body)
	}
	answer := func(status int) *http.Response {
		return &http.Response{StatusCode: status, Header: http.Header{}, Body: http.NoBody, Request: request}
	}
	to := toReceiver
	if r.world.Hangs(request.URL.Hostname()) {
		to = toHanging
	}
	return perform(r.world, request.Context(), exchange[*http.Response]{
		kind: to, label: id + " " + event.ID,
		send: func() (*http.Response, string, error) {
			now := r.world.Now()
			r.world.Record(func() {
				r.world.Received = append(r.world.Received, Delivery{ID: id, Checkout: event.ID, URL: request.URL.String(),
					Transaction: event.Payload.Transaction, Status: event.Payload.Status, At: now})
			})
			return answer(http.StatusNoContent), "204", nil
		},
		refuse: func(faults.Fault) (*http.Response, error) { return answer(http.StatusServiceUnavailable), nil },
	})
}
