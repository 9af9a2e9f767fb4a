package simulator

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/simulator/linear"
)

// OperatorAnswer is the answer to an operator's command.
type OperatorAnswer struct {
	Command         string
	Text            []byte
	Asked, Answered int64 // in logical time; not answered: linear.Never
}

// Code returns the code of the error that refused the command; "" if it was done.
func (a OperatorAnswer) Code() string {
	return Decoded[struct{ Error struct{ Code string } }](a.Text).Error.Code
}

// Operate runs an operator's command; false when no answer came.
func (w *World) Operate(actor, command string, answer any) bool {
	v := w.Park(toPlatform, nil, actor, command)
	if v.Fault == faults.FailBefore {
		return false
	}
	replied := OperatorAnswer{Command: command, Asked: w.LogicalTime(), Answered: linear.Never}
	out, _, err := Invoke[any](w, actor, "provision", "", v.roll, json.RawMessage(command))
	if err == nil {
		replied.Text, err = json.Marshal(out)
	}
	if err == nil {
		w.Notef(actor, "%s → %s", command, secret.ReplaceAllLiteralString(string(replied.Text), "…"))
		replied.Answered = w.LogicalTime()
		if answer != nil {
			err = json.Unmarshal(replied.Text, answer)
		}
	}
	w.Record(func() { w.Answers = append(w.Answers, replied) })
	return err == nil
}

// secret is a key or a secret in an answer.
var secret = regexp.MustCompile(`(sk_test|sk_live|pk_test|whsec)_[^"]*`)

// InsistOn tries an operator's command until there is an answer; false when none came.
func (w *World) InsistOn(actor, command string, answer any) bool {
	for range Patience {
		if w.Operate(actor, command, answer) {
			return true
		}
	}
	return false
}

// Delivery is one callback that the merchants' server took. That of a payment at a reader names a transaction.
type Delivery struct {
	ID, Checkout, URL   string
	Transaction, Status string
	At                  time.Time
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

// PlainClient reaches an engine past the scheduler.
func PlainClient(engine http.RoundTripper) aws.HTTPClient { return &http.Client{Transport: engine} }

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

// About returns the lines that contain the text.
func (e *errorLog) About(text string) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	lines := strings.Split(e.text.String(), "\n")
	return slices.DeleteFunc(lines, func(line string) bool { return !strings.Contains(line, text) })
}

// FindLogged finds each error that contains one of the texts.
func (w *World) FindLogged(texts ...string) {
	for _, text := range texts {
		for _, line := range w.Errors.About(text) {
			w.Find("", "log: %s", line)
		}
	}
}
