package simulator

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/gateway"
)

// reply is an answer of the platform to a client's request, received or not.
type reply struct {
	client.Request
	response
	tenant   string
	received bool
	tried    []string // summaries of the calls to the table that the platform tried for it

	asked, answered int64 // in logical time
	at              time.Time
}

// text is the request's body in JSON; "" for a form.
func (r *reply) text() string {
	text, _ := r.Body.(string)
	return text
}

// fromBrowser says whether the request posts a form.
func (r *reply) fromBrowser() bool {
	_, form := r.Body.(url.Values)
	return form
}

// send makes one request over a network that may lose it, its reply, or
// bring it twice.
func (w *World) send(actor, tenant string, r client.Request) response {
	v := w.park(toPlatform, nil, actor, r.Method+" "+r.Path+" "+r.IdempotencyKey)
	switch v.fault {
	case faults.FailBefore:
		w.notef(actor, "%s %s fails", r.Method, r.Path)
		return response{}
	case faults.Duplicate:
		w.run(stragglers, func() {
			w.park(move, nil, actor+" again", r.Method+" "+r.Path)
			w.serve(actor+" again", tenant, v.roll+1, r)
		})
	}
	made := w.serve(actor, tenant, v.roll, r)
	answer := made.response
	if w.park(toClient, nil, actor, fmt.Sprint(answer.Status)).fault == faults.LoseReply {
		w.notef(actor, "%s %s: reply %d is lost", r.Method, r.Path, answer.Status)
		return response{}
	}
	made.received, made.answered = answer.Status != 0, w.logicalTime()
	return answer
}

// patience is how often a client tries to get an answer.
const patience = 6

// insist sends a request until it is settled.
func (w *World) insist(actor, tenant string, r client.Request) response {
	return w.retry(actor, tenant, r, patience, response.settled)
}

// retry sends a request until an answer is enough, waiting between tries.
func (w *World) retry(actor, tenant string, r client.Request, tries int, enough func(response) bool) (answer response) {
	for range tries {
		if answer = w.send(actor, tenant, r); enough(answer) {
			return answer
		}
		w.pass(answer.retryAfter())
	}
	return answer
}

// impatient has a client ask the same once more at the same time, now and then.
func (w *World) impatient(actor string, rng *rand.Rand, ask func(actor string)) {
	if rng.IntN(3) > 0 {
		return
	}
	w.run(clients, func() {
		w.think(actor + " twin")
		ask(actor + " twin")
	})
}

// serve has a function answer the request through API Gateway, which answers
// 500 when the function dies.
func (w *World) serve(actor, tenant string, roll uint64, r client.Request) *reply {
	made := &reply{Request: r, tenant: tenant, asked: w.logicalTime(), at: w.now()}
	api := &gateway.Gateway{Routes: w.routes, Now: w.now, Call: func(_ context.Context, function string,
		event events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		out, by, err := invoke[events.APIGatewayV2HTTPResponse](w, actor, function, tenant, roll, event)
		made.tried = by.tried
		return out, err
	}}
	answer, err := client.Client{BaseURL: w.config.BaseURL, Transport: client.Handler{Handler: api}}.Do(
		context.Background(), r)
	w.must(err)
	made.response = response{answer}
	w.notef(actor, "%s %s %s → %d %s", r.Method, r.Path, r.IdempotencyKey, made.Status, made.inShort())
	w.record(func() { w.replies = append(w.replies, made) })
	return made
}

// response is what came back; Status 0 when nothing did.
type response struct{ client.Response }

// replayed says whether the answer was kept under the Idempotency-Key.
func (r response) replayed() bool { return r.Header.Get("Idempotency-Replayed") != "" }

// view is what clients read of a checkout or an error.
type view struct {
	ID            string
	Status        string
	ErrorCode     string                 `json:"error_code"`
	TransactionID string                 `json:"transaction_id"`
	NextStep      client.NextStep        `json:"next_step"`
	Instrument    struct{ Token string } `json:"payment_instrument"`
}

func (r response) view() view { return decoded[view](r.Body) } // lists and pages have none of it

// decoded decodes JSON. Members that are missing stay zero, as do all if the JSON is not of the type.
func decoded[T any](text []byte) (v T) {
	_ = json.Unmarshal(text, &v)
	return v
}

func (r response) inShort() string {
	v := r.view()
	return strings.TrimSpace(strings.Join([]string{v.ID, v.Status, v.ErrorCode, v.NextStep.Method}, " "))
}

// final reports whether the request was answered for good, or with a conflict.
func (r response) final() bool {
	return r.Status != 0 && r.Status < 500 && r.Status != http.StatusTooManyRequests &&
		r.Status != http.StatusFailedDependency && r.view().ErrorCode != "IDEMPOTENCY_IN_PROGRESS"
}

// done says whether a client need not try again: it has an answer that will not
// change by itself.
func (r response) done() bool {
	conflict := r.Status == http.StatusConflict && r.view().ErrorCode == "CONFLICT"
	return r.final() && (!conflict || r.replayed())
}

// settled is done where most conflicts are final.
func (r response) settled() bool {
	return r.done() || r.Status == http.StatusConflict && !r.contended()
}

// contended says whether a conflict is due to others only, so that nothing was changed.
func (r response) contended() bool {
	code := r.view().ErrorCode
	return code == "IDEMPOTENCY_IN_PROGRESS" || code == "CONFLICT" && strings.Contains(string(r.Body), "Try again")
}

// retryAfter is how long a client waits with its next try.
func (r response) retryAfter() time.Duration {
	switch r.Status {
	case 429:
		return 2 * time.Second
	case 409:
		return 13 * time.Second // five of them outlast a minute
	default:
		return 10 * time.Millisecond
	}
}

// record adds to what is checked later. Only one chain of events runs at a
// time, but the race detector can't know of the scheduler.
func (w *World) record(add func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	add()
}

// logicalTime is later than all times before it.
func (w *World) logicalTime() (at int64) {
	w.record(func() { w.sequence++; at = w.sequence })
	return at
}

// keyed is the tenant, the kind of its credential, and the Idempotency-Key.
func (r *reply) keyed() string {
	kind, _, _ := strings.Cut(r.APIKey, "_")
	return r.tenant + " " + kind + " " + r.IdempotencyKey
}
