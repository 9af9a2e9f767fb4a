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
	// base is the scheme and host of the request. Queue URLs repeat it.
	base string
}

type operation func(*Engine, call, []byte) (any, error)

var operations = map[string]operation{
	"CreateQueue":                  lockedOperation((*Engine).createQueue),
	"GetQueueUrl":                  lockedOperation((*Engine).getQueueURL),
	"GetQueueAttributes":           queueOperation((*Engine).getQueueAttributes),
	"SendMessage":                  messageOperation((*Engine).send),
	"SendMessageBatch":             batchOperation((*Engine).send),
	"ReceiveMessage":               unlockedOperation((*Engine).receiveMessage),
	"DeleteMessage":                messageOperation((*Engine).delete),
	"DeleteMessageBatch":           batchOperation((*Engine).delete),
	"ChangeMessageVisibility":      messageOperation((*Engine).setVisibility),
	"ChangeMessageVisibilityBatch": batchOperation((*Engine).setVisibility),
}

// unlockedOperation makes an operation from a method that locks the engine itself, because it may wait.
func unlockedOperation[In, Out any](do func(*Engine, call, In) (Out, error)) operation {
	return func(e *Engine, c call, body []byte) (any, error) {
		var in In
		if err := decode(body, &in); err != nil {
			return nil, err
		}
		return do(e, c, in)
	}
}

func lockedOperation[In, Out any](do func(*Engine, call, In) (Out, error)) operation {
	return unlockedOperation(func(e *Engine, c call, in In) (Out, error) {
		e.mu.Lock()
		defer e.mu.Unlock()
		return do(e, c, in)
	})
}

// ofQueue is embedded in the input of each operation on a queue.
type ofQueue struct{ QueueUrl string }

func (o ofQueue) queueURL() string { return o.QueueUrl }

// queueOperation makes an operation from a method on a queue. The input names the queue.
func queueOperation[In interface{ queueURL() string }, Out any](do func(*Engine, *queue, In) (Out, error)) operation {
	return lockedOperation(func(e *Engine, _ call, in In) (out Out, err error) {
		q, err := e.openQueue(in.queueURL())
		if err != nil {
			return out, err
		}
		return do(e, q, in)
	})
}

func messageOperation[In, Out any](do func(*Engine, *queue, In) (Out, error)) operation {
	type input struct {
		ofQueue
		Message In `json:",embed"`
	}
	return queueOperation(func(e *Engine, q *queue, in input) (Out, error) { return do(e, q, in.Message) })
}

// decode decodes an input. It refuses unknown members, so that nothing is silently ignored.
func decode(body []byte, in any) error {
	if err := json.Unmarshal(body, in, json.RejectUnknownMembers(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return fail(serialization, "%v", err)
	}
	return nil
}

func (e *Engine) writeAnswer(w http.ResponseWriter, r *http.Request, body []byte) {
	out, err := e.dispatch(r, body)
	status := http.StatusOK
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("X-Amzn-Requestid", e.newRequestID())
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
	case err != nil: // the caller's context ended during a long poll
		status = http.StatusServiceUnavailable
		out = map[string]string{"__type": "com.amazonaws.sqs#ServiceUnavailable", "message": err.Error()}
	}
	text, err := json.Marshal(out, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic("sqs: output not marshalled: " + err.Error()) // outputs are structs of strings, so this is a bug
	}
	w.WriteHeader(status)
	_, _ = w.Write(text) // only fails if the client has gone
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
	return do(e, call{Context: r.Context(), base: baseURL(r)}, body)
}

func (e *Engine) newRequestID() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.newID().String()
}

// baseURL returns the address that the client used: the URL in process, the Host header over a port.
func baseURL(r *http.Request) string {
	if r.URL.Host != "" {
		return r.URL.Scheme + "://" + r.URL.Host
	}
	return "http://" + r.Host
}
