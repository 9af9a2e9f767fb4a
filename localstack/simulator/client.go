package simulator

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/cashwrap/cashwrap/localstack/faults"
)

// shop is a tenant with its API key: a merchant in one mode.
type shop struct {
	tenant, merchant, token string
	currency                string
}

func (s *shop) live() bool { return strings.HasPrefix(s.tenant, "L#") }

// reply is an answer of the platform to a client's request, received or not.
type reply struct {
	request
	response
	tenant string
	heard  bool
	refund string // id of the refund that the platform wrote for it, if any

	asked, answered int64 // when, by the world's moments
}

// found sets up the merchants: a sandbox one in Germany, and one in Brazil
// that is live and has a test key.
func (w *World) found() {
	var german, brazilian struct {
		Code   string                     `json:"merchant_code"`
		Key    struct{ Plaintext string } `json:"api_key"`
		Second struct{ Plaintext string } `json:"test_api_key"`
	}
	w.operate("operator", `{"command":"create_merchant","name":"Kaffeehaus","email":"k@example.com","country":"DE",`+
		`"currency":"EUR","sandbox":true}`, &german)
	w.operate("operator", `{"command":"create_merchant","name":"Padaria","email":"p@example.com","country":"BR",`+
		`"currency":"BRL","test_key":true}`, &brazilian)
	w.shops = []*shop{
		{"T#" + german.Code, german.Code, german.Key.Plaintext, "EUR"},
		{"T#" + brazilian.Code, brazilian.Code, brazilian.Second.Plaintext, "BRL"},
		{"L#" + brazilian.Code, brazilian.Code, brazilian.Key.Plaintext, "BRL"},
	}
}

// send makes one request over a network that may lose it, its reply, or
// bring it twice.
func (w *World) send(actor, tenant string, r request) response {
	v := w.park(toPlatform, nil, actor, r.Method+" "+r.Path+" "+r.Key)
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
	made.heard, made.answered = answer.Status != 0, w.moment()
	return answer
}

// serve has a function answer the request, and returns the reply. A
// function that dies is what API Gateway answers 500 for.
func (w *World) serve(actor, tenant string, roll uint64, r request) *reply {
	asked := w.moment()
	path, _, _ := strings.Cut(r.Path, "?")
	route, _ := w.routes.Find(path)
	out, by, err := invoke[events.APIGatewayV2HTTPResponse](w, actor, route.Function, tenant, roll,
		r.event(fmt.Sprint(w.sched.steps.Load()), route, w.now()))
	answer := response{Status: out.StatusCode, Body: []byte(out.Body)}
	if err != nil {
		answer = response{Status: 500}
	}
	for name, values := range out.MultiValueHeaders {
		switch strings.ToLower(name) {
		case "idempotency-replayed":
			answer.Replayed = true
		case "location":
			answer.Location = values[0]
		}
	}
	for name, value := range out.Headers {
		switch strings.ToLower(name) {
		case "idempotency-replayed":
			answer.Replayed = true
		case "location":
			answer.Location = value
		}
	}
	w.notef(actor, "%s %s %s → %d %s", r.Method, r.Path, r.Key, answer.Status, answer.inShort())
	made := &reply{request: r, response: answer, tenant: tenant, refund: by.refund, asked: asked}
	w.record(func() { w.replies = append(w.replies, made) })
	return made
}

// view is what clients read of a checkout or an error.
type view struct {
	ID            string
	Status        string
	ErrorCode     string `json:"error_code"`
	TransactionID string `json:"transaction_id"`
	NextStep      struct {
		URL     string
		Method  string
		Payload map[string]string
	} `json:"next_step"`
	Instrument struct{ Token string } `json:"payment_instrument"`
}

func (r response) view() view {
	var v view
	_ = json.Unmarshal(r.Body, &v) // lists and pages have none of it
	return v
}

func (r response) inShort() string {
	v := r.view()
	return strings.TrimSpace(strings.Join([]string{v.ID, v.Status, v.ErrorCode, v.NextStep.Method}, " "))
}

// done says a client need not try again: it has an answer that will not
// change by itself.
func (r response) done() bool {
	switch {
	case r.Status == 0, r.Status >= 500, r.Status == 429, r.Status == 424:
		return false
	case r.Status == 409:
		code := r.view().ErrorCode
		return code != "IDEMPOTENCY_IN_PROGRESS" && (code != "CONFLICT" || r.Replayed)
	default:
		return true
	}
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

// record adds to what the checks look at. Only one chain of events runs at a
// time, but the race detector can't know of the scheduler.
func (w *World) record(add func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	add()
}

// moment is a new moment of the world: later than all before it.
func (w *World) moment() (at int64) {
	w.record(func() { w.moments++; at = w.moments })
	return at
}
