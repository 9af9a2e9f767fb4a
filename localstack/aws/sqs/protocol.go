package sqs

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	contentType  = "application/x-amz-json-1.0"
	targetPrefix = "AmazonSQS."
)

type call struct {
	context.Context
	// base is the request's scheme and host, which queue URLs repeat.
	base string
}

type operation func(*Engine, call, []byte) (any, error)

var operations = map[string]operation{
	"CreateQueue":                  locked((*Engine).createQueue),
	"GetQueueUrl":                  locked((*Engine).getQueueURL),
	"GetQueueAttributes":           onQueue((*Engine).getQueueAttributes),
	"SendMessage":                  onMessage((*Engine).send),
	"SendMessageBatch":             onMessages((*Engine).send),
	"ReceiveMessage":               unlocked((*Engine).receiveMessage),
	"DeleteMessage":                onMessage((*Engine).delete),
	"DeleteMessageBatch":           onMessages((*Engine).delete),
	"ChangeMessageVisibility":      onMessage((*Engine).setVisibility),
	"ChangeMessageVisibilityBatch": onMessages((*Engine).setVisibility),
}

// unlocked makes an operation of a method that takes the lock itself, since it may wait.
func unlocked[In, Out any](do func(*Engine, call, In) (Out, error)) operation {
	return func(e *Engine, c call, body []byte) (any, error) {
		var in In
		if err := decode(body, &in); err != nil {
			return nil, err
		}
		return do(e, c, in)
	}
}

func locked[In, Out any](do func(*Engine, call, In) (Out, error)) operation {
	return unlocked(func(e *Engine, c call, in In) (Out, error) {
		e.mu.Lock()
		defer e.mu.Unlock()
		return do(e, c, in)
	})
}

// ofQueue is the first member of each input of an operation on a queue.
type ofQueue struct{ QueueUrl string }

func (o ofQueue) queueURL() string { return o.QueueUrl }

// onQueue makes an operation of a method that is given the queue which the input names.
func onQueue[In interface{ queueURL() string }, Out any](do func(*Engine, *queue, In) (Out, error)) operation {
	return locked(func(e *Engine, _ call, in In) (out Out, err error) {
		q, err := e.queue(in.queueURL())
		if err != nil {
			return out, err
		}
		return do(e, q, in)
	})
}

func onMessage[In, Out any](do func(*Engine, *queue, In) (Out, error)) operation {
	type input struct {
		ofQueue
		Message In `json:",embed"`
	}
	return onQueue(func(e *Engine, q *queue, in input) (Out, error) { return do(e, q, in.Message) })
}

// decode refuses members that no operation here knows: nothing is silently ignored.
func decode(body []byte, in any) error {
	if err := json.Unmarshal(body, in, json.RejectUnknownMembers(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return fail(serialization, "%v", err)
	}
	return nil
}

func (e *Engine) answer(w http.ResponseWriter, r *http.Request, body []byte) {
	out, err := e.dispatch(r, body)
	status := http.StatusOK
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("X-Amzn-Requestid", e.requestID())
	var failed *apiError
	switch {
	case errors.As(err, &failed):
		status = http.StatusBadRequest
		fault := ";Sender"
		if failed.ours {
			status, fault = http.StatusInternalServerError, ";Receiver"
		}
		w.Header().Set("X-Amzn-Query-Error", failed.queryCode()+fault)
		out = map[string]string{"__type": "com.amazonaws.sqs#" + failed.code, "message": failed.message}
	case err != nil: // the caller's context ended a long poll
		status = http.StatusServiceUnavailable
		out = map[string]string{"__type": "com.amazonaws.sqs#ServiceUnavailable", "message": err.Error()}
	}
	text, err := json.Marshal(out, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic("sqs: output not marshalled: " + err.Error()) // outputs are structs of strings: a bug here
	}
	w.WriteHeader(status)
	_, _ = w.Write(text) // fails only when the client is gone
}

func (e *Engine) dispatch(r *http.Request, body []byte) (any, error) {
	name, ok := strings.CutPrefix(r.Header.Get("X-Amz-Target"), targetPrefix)
	if r.Method != http.MethodPost || !ok {
		return nil, fail(invalidAction, "Only the AWS JSON protocol is spoken here: POST with X-Amz-Target.")
	}
	do, ok := operations[name]
	if !ok {
		return nil, fail(unsupported, "%s is not implemented.", name)
	}
	return do(e, call{Context: r.Context(), base: base(r)}, body)
}

func (e *Engine) requestID() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.newID().String()
}

// base returns the address that the client used: its URL in process, the Host header over a port.
func base(r *http.Request) string {
	if r.URL.Host != "" {
		return r.URL.Scheme + "://" + r.URL.Host
	}
	return "http://" + r.Host
}
