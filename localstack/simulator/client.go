package simulator

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/gateway"
)

// Reply is the platform's answer to a client's request. The client may not have received it.
type Reply struct {
	client.Request
	Response
	Tenant   string
	Received bool
	Tried    []string // summaries of the platform's calls to the table for the request

	Asked, Answered int64 // in logical time
	At              time.Time
}

// Sent returns the request's body in JSON, or "" for a form.
func (r *Reply) Sent() string {
	text, _ := r.Body.(string)
	return text
}

// Send makes one request over a network that may lose the request or its reply, or deliver the request twice.
func (w *World) Send(actor, tenant string, r client.Request) Response {
	v := w.Park(toPlatform, nil, actor, r.Method+" "+r.Path+" "+r.IdempotencyKey)
	switch v.Fault {
	case faults.FailBefore:
		w.Notef(actor, "%s %s fails", r.Method, r.Path)
		return Response{}
	case faults.Duplicate:
		w.Go(Stragglers, func() {
			w.Park(move, nil, actor+" again", r.Method+" "+r.Path)
			w.serve(actor+" again", tenant, v.roll+1, r)
		})
	}
	made := w.serve(actor, tenant, v.roll, r)
	answer := made.Response
	if w.Park(ToClient, nil, actor, fmt.Sprint(answer.Status)).Fault == faults.LoseReply {
		w.Notef(actor, "%s %s: reply %d is lost", r.Method, r.Path, answer.Status)
		return Response{}
	}
	made.Received, made.Answered = answer.Status != 0, w.LogicalTime()
	return answer
}

// Patience is the number of times a client tries a request.
const Patience = 6

// Settle repeats a request until its answer is settled (isSettled), at most Patience times.
func (w *World) Settle(actor, tenant string, r client.Request) Response {
	return w.Retry(actor, tenant, r, Patience, Response.isSettled)
}

// Retry repeats a request until enough returns true for an answer, at most tries times. It waits between tries.
func (w *World) Retry(actor, tenant string, r client.Request, tries int, enough func(Response) bool) (answer Response) {
	for range tries {
		if answer = w.Send(actor, tenant, r); enough(answer) {
			return answer
		}
		w.Pass(answer.retryAfter())
	}
	return answer
}

// Impatient sometimes lets a client send the same request twice at the same time.
func (w *World) Impatient(actor string, rng *rand.Rand, ask func(actor string)) {
	if rng.IntN(3) > 0 {
		return
	}
	w.Go(Clients, func() {
		w.Think(actor + " twin")
		ask(actor + " twin")
	})
}

// serve sends the request to a function through API Gateway, which answers 500 when the function dies.
func (w *World) serve(actor, tenant string, roll uint64, r client.Request) *Reply {
	made := &Reply{Request: r, Tenant: tenant, Asked: w.LogicalTime(), At: w.Now()}
	api := &gateway.Gateway{Routes: w.routes, Now: w.Now, Call: func(_ context.Context, function string,
		event events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		out, by, err := Invoke[events.APIGatewayV2HTTPResponse](w, actor, function, tenant, roll, event)
		made.Tried = by.tried
		return out, err
	}}
	answer, err := client.Client{BaseURL: w.Config.BaseURL, Transport: client.Handler{Handler: api}}.Do(
		context.Background(), r)
	w.Must(err)
	made.Response = Response{answer}
	v := made.View()
	shown := strings.TrimSpace(strings.Join([]string{v.ID, v.Status, v.ErrorCode, v.NextStep.Method}, " "))
	w.Notef(actor, "%s %s %s → %d %s", r.Method, r.Path, r.IdempotencyKey, made.Status, shown)
	w.Record(func() { w.Replies = append(w.Replies, made) })
	return made
}

// Response is the answer that a client received. Its Status is 0 if no answer came.
type Response struct{ client.Response }

// Replayed returns true if the answer was stored under the Idempotency-Key.
func (r Response) Replayed() bool { return r.Header.Get("Idempotency-Replayed") != "" }

// View contains the members of a checkout or an error that clients read.
type View struct {
	ID            string
	Status        string
	ErrorCode     string                 `json:"error_code"`
	TransactionID string                 `json:"transaction_id"`
	NextStep      client.NextStep        `json:"next_step"`
	Instrument    struct{ Token string } `json:"payment_instrument"`
}

// View decodes the body.
func (r Response) View() View { return Decoded[View](r.Body) } // lists and pages have none of these members

// Decoded decodes JSON. Missing members stay zero. If the JSON does not fit the type, the whole value stays zero.
func Decoded[T any](text []byte) (v T) {
	_ = json.Unmarshal(text, &v)
	return v
}

// Final returns true if the answer is final or a conflict.
func (r Response) Final() bool {
	return r.Status != 0 && r.Status < 500 && r.Status != http.StatusTooManyRequests &&
		r.Status != http.StatusFailedDependency && r.View().ErrorCode != "IDEMPOTENCY_IN_PROGRESS"
}

// Done returns true if the client need not try again, because the answer will not change without another request.
func (r Response) Done() bool {
	conflict := r.Status == http.StatusConflict && r.View().ErrorCode == "CONFLICT"
	return r.Final() && (!conflict || r.Replayed())
}

// isSettled returns true if the answer is done (Done), or is a conflict that other requests did not cause.
func (r Response) isSettled() bool {
	return r.Done() || r.Status == http.StatusConflict && !r.Contended()
}

// Contended returns true for a conflict that only other requests caused, so that nothing was changed.
func (r Response) Contended() bool {
	code := r.View().ErrorCode
	return code == "IDEMPOTENCY_IN_PROGRESS" || code == "CONFLICT" && strings.Contains(string(r.Body), "Try again")
}

// retryAfter returns how long a client waits before its next try.
func (r Response) retryAfter() time.Duration {
	switch r.Status {
	case 429:
		return 2 * time.Second
	case 409:
		return 13 * time.Second // five such waits take longer than a minute
	default:
		return 10 * time.Millisecond
	}
}

// Record calls the function add under the world's lock. Only one chain of events runs at a time, but the race detector
// cannot know that.
func (w *World) Record(add func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	add()
}

// LogicalTime returns a logical time that is later than all earlier results.
func (w *World) LogicalTime() (at int64) {
	w.Record(func() { w.sequence++; at = w.sequence })
	return at
}

// Keyed returns the tenant, the kind of its credential, and the Idempotency-Key, as one text.
func (r *Reply) Keyed() string {
	kind, _, _ := strings.Cut(r.APIKey, "_")
	return r.Tenant + " " + kind + " " + r.IdempotencyKey
}
