package faults_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/localstack/simulator/linear"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
)

const (
	refundHistoriesVariable = "CASHWRAP_REFUND_HISTORIES"
	fewHistories            = 20  // over the engine in memory; the simulation runs many more there
	realHistories           = 200 // over DynamoDB Local
	parallelHistories       = 2   // histories that run at a time
)

// paidAmount is the amount of each history's transaction. askedAmounts lists the amounts that clients ask to refund; 0
// asks for the rest. All are in minor units. The sandbox declines 42.91, and gives no outcome for 42.25 in the first 30
// s (contract §12).
const paidAmount = 100_00

var askedAmounts = []int64{0, 10_00, 25_00, 42_25, 42_91, 60_00, 1}

// TestRefundTransaction_ConcurrentHistories lets clients compete for one transaction in real time, with lost replies
// and with faults between the functions and the table. Some order of the requests must explain all answers. The
// simulation runs many more such histories, but only on our own engine.
func TestRefundTransaction_ConcurrentHistories(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	histories := make([]*race, readHistoryCount(t, refundHistoriesVariable))
	var next sync.Mutex
	started := 0
	var workers sync.WaitGroup
	for range parallelHistories {
		processes := []*world.Process{w.Process(), w.Process(), w.Process(), w.Process()}
		workers.Go(func() {
			for {
				next.Lock()
				n := started
				started++
				next.Unlock()
				if n >= len(histories) {
					return
				}
				histories[n] = newRace(w, n)
				histories[n].run(processes)
			}
		})
	}
	workers.Wait()
	for range 5 { // lets the sweep settle open refunds
		w.PassMinute()
		w.Clock.Advance(5 * time.Minute)
	}
	for _, h := range histories {
		h.check(t)
	}
	w.CheckJournal()
}

func readHistoryCount(t *testing.T, variable string) int {
	t.Helper()
	if text := os.Getenv(variable); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("got %s=%s (%v), want a number", variable, text, err)
		}
		return n
	}
	if enginetest.OnDynamoDBLocal() {
		return realHistories
	}
	return fewHistories
}

// race is one transaction with the clients that refund it.
type race struct {
	*world.World
	number int
	id     string // of the transaction
	start  time.Time

	mu       sync.Mutex
	requests []linear.Request
}

func newRace(w *world.World, n int) *race {
	return &race{World: w, number: n, start: time.Now()}
}

// now returns the real time since the start in nanoseconds, because the world's clock stands still.
func (r *race) now() int64 { return int64(time.Since(r.start)) }

// run sells something and lets clients refund it, each through a separate process.
func (r *race) run(processes []*world.Process) {
	r.id = r.Shop().Sell("100.00").ID
	var clients sync.WaitGroup
	for i, p := range processes {
		rng := rand.New(rand.NewPCG(uint64(r.number), uint64(i)))
		clients.Go(func() {
			for k := range 2 {
				if rng.IntN(4) == 0 {
					r.readRest(p)
				} else {
					r.refund(p, rng, fmt.Sprintf("race %d client %d refund %d", r.number, i, k))
				}
			}
		})
	}
	clients.Wait()
}

// refund sends a refund request, with or without a key, until the client gets a final answer, but at most three times.
// Without a key, a client cannot know the result of an unanswered request, so each try counts as a separate request.
func (r *race) refund(p *world.Process, rng *rand.Rand, key string) {
	amount := askedAmounts[rng.IntN(len(askedAmounts))]
	request := world.Request{Method: "POST", Path: "/v0.1/me/refund/" + r.id}
	if rng.IntN(2) == 0 {
		request.Path = "/v1.0/merchants/" + r.Merchant.Code + "/payments/" + r.id + "/refunds"
	}
	if amount > 0 {
		request.Body = map[string]any{"amount": json.Number(fmt.Sprintf("%d.%02d", amount/100, amount%100))}
	}
	keyed := rng.IntN(3) > 0
	if keyed {
		request.IdempotencyKey = key
	}
	for try := range 3 {
		group := key
		if !keyed {
			group = fmt.Sprintf("%s, try %d", key, try)
		}
		if r.send(p, rng, request, linear.Request{Group: group, Amount: amount}) {
			return
		}
	}
}

// send sends one request. Some requests meet a fault, and some replies are lost. send returns false if the client got
// no final answer.
func (r *race) send(p *world.Process, rng *rand.Rand, request world.Request, seen linear.Request) bool {
	p.Steps.Plan(0, faults.None)
	if rng.IntN(3) == 0 {
		possible := []faults.Fault{faults.FailBefore, faults.LoseReply, faults.Throttle, faults.Conflict}
		p.Steps.Plan(1+rng.IntN(10), possible[rng.IntN(len(possible))])
	}
	seen.Call = r.now()
	answer := p.Do(request)
	seen.Return = r.now()
	replayed, lost := answer.Header.Get("Idempotency-Replayed") != "", rng.IntN(5) == 0
	final := true
	switch {
	case lost || answer.Status >= 500:
		seen.Answer, seen.Return, final = linear.Unknown, linear.Never, false
	case answer.Status == 201, answer.Status == 204:
		seen.Answer = linear.Made
	case answer.Text("error_code") == "IDEMPOTENCY_IN_PROGRESS":
		return false
	case replayed:
		return true
	case answer.Status == 424:
		seen.Answer, final = linear.NotTaken, false
	case answer.Status == 422:
		seen.Answer, seen.Rest = linear.ShowsLeft, maxRefundable(answer)
	case answer.Status == 409:
		seen.Answer = linear.Refused
	default:
		r.Errorf("%s: got %d %s, want 201, 204, 409, 422, 424, a replay or a fault", seen.Group, answer.Status, answer.Body)
	}
	r.record(seen)
	return final
}

func (r *race) record(seen linear.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, seen)
}

// maxRefundable returns the maximum refundable amount that a refusal states.
func maxRefundable(refused world.Response) int64 {
	var body struct {
		Errors []struct {
			Max int64 `json:"max_refundable_amount"`
		}
	}
	if refused.Into(&body) != nil || len(body.Errors) != 1 {
		return -1
	}
	return body.Errors[0].Max
}

// readRest reads and records the amount that is left to refund.
func (r *race) readRest(p *world.Process) {
	p.Steps.Plan(0, faults.None)
	call := r.now()
	answer := p.Do(world.Request{Method: "GET", Path: "/v2.1/merchants/" + r.Merchant.Code + "/transactions?id=" + r.id})
	var v struct {
		Links []struct {
			Max json.Number `json:"max_amount"`
		}
	}
	if err := answer.Into(&v); err != nil || answer.Status != 200 {
		r.Errorf("read: got %d %s, error %v; want 200 and JSON", answer.Status, answer.Body, err)
		return
	}
	seen := linear.Request{Answer: linear.ShowsLeft, Call: call, Return: r.now()}
	if len(v.Links) > 0 {
		rest, err := money.Parse(v.Links[0].Max.String(), "EUR")
		if err != nil {
			r.Errorf("read: got %s, error %v; want an amount in max_amount", answer.Body, err)
		}
		seen.Rest = rest.Minor()
	}
	r.record(seen)
}

// check checks that the amount left at the end matches the acquirer's refunds, and that some order of the requests
// explains all answers.
func (r *race) check(t *testing.T) {
	t.Helper()
	r.readRest(r.Main())
	moved, err := r.App.Sandbox.Moved(t.Context(), r.id)
	if err != nil {
		t.Fatal(err)
	}
	var back int64
	if amount, ok := moved[acquirer.RefundMovement]; ok {
		back = amount.Minor()
	}
	if left := r.requests[len(r.requests)-1].Rest; left != paidAmount-back {
		t.Errorf("race %d: got %d left, want %d, because the acquirer gave back %d", r.number, left, paidAmount-back, back)
	}
	h := linear.History{Captured: paidAmount, Requests: r.requests, Declinable: func(x int64) bool {
		return slices.Contains([]int64{11_00, 42_01, 42_76, 42_91}, x)
	}}
	if err := h.Check(); err != nil {
		t.Errorf("race %d: got error %v, want a history that has an order", r.number, err)
	}
}
