package access_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/cashwrap/cashwrap/functions/callbacks"
	"github.com/cashwrap/cashwrap/localstack/harness/examples"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/golden"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/store"
)

// maxWrites is the maximum number of tries of a step. Some steps also finish the work of earlier tries. Each try of
// such a step writes more than the preceding try, so without a maximum loseReplies would not end.
const maxWrites = 12

// walkWithoutLease is the number of due payouts that a walk takes in one shard before it needs a lease
// (shared/payout/run).
const walkWithoutLease = 10

// recoverFromFaults lets functions recover from faults. After a write of unknown outcome a function reads the result. A
// function also finishes the work that another process left.
func (e *everything) recoverFromFaults() {
	e.cutOffRequests()
	e.leaveOutcomesUnknown()
	e.missChallenges()
	e.disputePayments()
	e.changeSettings()
	e.failPayouts()
	e.payManyMerchants()
	e.timeOutCallbacks()
}

// loseReplies runs a step in a process whose writes lose their replies from the n-th on, for each n. Each time it then
// lets the platform finish.
func (e *everything) loseReplies(prepare func(), step func(*world.Process)) {
	e.Helper()
	for n, reached := 1, true; reached && n <= maxWrites; n++ {
		prepare()
		p := e.Process()
		wrote := 0
		p.Steps.Inject(func(operation string) faults.Fault {
			if slices.Contains(faults.Writes, operation) {
				if wrote++; wrote >= n {
					return faults.LoseReply
				}
			}
			return faults.None
		})
		step(p)
		reached = p.Steps.Calls(faults.Writes...) >= n
		p.Stop()
		e.Clock.Advance(time.Minute)
		e.PassMinute()
	}
}

// sweepNeedsMoreRights lists actions that the sweep can finish for a dead process only with additional rights. If an
// action is missing here, TestActions_FaultAtEveryStep fails: it kills the processes of all actions, and its functions
// have only the rights in access.json.
var sweepNeedsMoreRights = []string{"start a challenge", "save a card with a mandate",
	"charge a saved card that is refused for good"}

// cutOffRequests sends requests whose process loses its network or dies.
func (e *everything) cutOffRequests() {
	for _, s := range examples.Actions {
		var request world.Request
		e.loseReplies(func() {
			s.Prepare(e.Scenario)
			request = s.Request(e.Scenario)
			request.IdempotencyKey = "cut off, " + e.CheckoutID
		}, func(p *world.Process) { p.Do(request) })
		if !slices.Contains(sweepNeedsMoreRights, s.Name) {
			continue
		}
		one := &examples.Scenario{Shop: e.Shop}
		_, steps := s.Run(one, 0, faults.None)
		for n := range steps {
			s.Run(one, n+1, faults.DieAfter)
		}
	}
}

// leaveOutcomesUnknown makes payments and refunds that the acquirer leaves without an answer. It also cuts off requests
// that refund a payment, read a receipt and create a customer.
func (e *everything) leaveOutcomesUnknown() {
	for _, open := range []func(){ // one at a time, for a fixed order of calls
		func() {
			pending := e.Create(world.Unanswered, map[string]any{"customer_id": e.Customer()})
			e.ProcessCheckout(pending, e.Card(world.Frictionless))
		},
		func() { e.Refund(e.Sell("100"), world.Unanswered) },
		e.missRefusal,
	} {
		e.loseReplies(open, func(p *world.Process) { // the fast path finds the outcome
			e.ReadStream()
			e.Clock.Advance(45 * time.Second)
			_, _ = p.DrainQueues(e.Context())
		})
		e.loseReplies(open, func(p *world.Process) {
			e.Clock.Advance(2 * time.Minute)
			_ = p.TickNow(e.Context(), "sweep")
		})
	}
	var paid world.Payment
	e.loseReplies(func() { paid = e.Sell("100") }, func(p *world.Process) {
		p.Do(world.Request{Method: "POST", Path: "/v0.1/me/refund/" + paid.ID, APIKey: e.Merchant.Key.Plaintext,
			IdempotencyKey: "refund of " + paid.ID, Body: map[string]any{"amount": 1}})
	})
	e.loseReplies(func() { paid = e.Sell("100") }, func(p *world.Process) {
		p.Do(world.Request{Method: "GET", Path: "/v1.1/receipts/" + paid.ID + "?mid=" + e.Merchant.Code,
			APIKey: e.Merchant.Key.Plaintext})
	})
	e.makeReceipts()
	e.loseReplies(func() {}, func(p *world.Process) {
		p.Do(world.Request{Method: "POST", Path: "/v0.1/customers", APIKey: e.Merchant.Key.Plaintext,
			IdempotencyKey: "customer", Body: map[string]any{"customer_id": "cut off"}})
	})
}

// missRefusal charges a saved card that its issuer refuses for good. The platform does not get the answer.
func (e *everything) missRefusal() {
	refused := examples.Scenario{Shop: e.Shop}
	refused.SaveCard()
	refused.Open(map[string]any{"amount": json.Number(client.RefusedForGood)})
	p := e.Process()
	p.Steps.Inject(faults.Times(2, "Charge", faults.LoseReply))
	p.Do(refused.BySavedCard())
	p.Stop()
}

// missChallenges makes payments that wait for an action of the payer. The platform learns only by a poll that they
// wait.
func (e *everything) missChallenges() {
	e.GoLive(func(a acquirer.Acquirer) acquirer.Acquirer { return world.Unheard{Acquirer: a} })
	live := e.newSales(e.NewLiveShop())
	e.loseReplies(func() {
		live.ProcessCheckout(live.Create("10", map[string]any{"redirect_url": world.RedirectURL}), e.Card(world.Challenged))
	}, func(p *world.Process) {
		e.ReadStream()
		e.Clock.Advance(6 * time.Second)
		_, _ = p.DrainQueues(e.Context())
	})
	e.GoLive()
}

// disputePayments charges payments back and sends callbacks again.
func (e *everything) disputePayments() {
	var command map[string]any
	e.loseReplies(func() {
		command = map[string]any{"command": "charge_back", "merchant_code": e.Merchant.Code, "mode": "test",
			"transaction": e.Sell("100").ID}
	}, func(p *world.Process) {
		for _, invoke := range []client.Invoke{p.Invoke, e.Main().Invoke} { // the second is refused if the first succeeded
			_ = invoke.Operate(e.Context(), command, nil)
		}
	})
	e.Operate(map[string]any{"command": "replay_callbacks", "id": e.Receiver.Deliveries()[0].ID}, nil)
	e.RunUntilIdle()
}

// changeSettings changes settings while a payout is due. A change of payout settings opens the due payout first.
func (e *everything) changeSettings() {
	s := e.newSales(e.NewShop("DE", "EUR", nil))
	periods := []string{"weekly", "daily"}
	prepare := func() { s.Sell("1"); e.Clock.Advance(7 * 24 * time.Hour); slices.Reverse(periods) }
	e.loseReplies(prepare, func(p *world.Process) {
		p.Do(world.Request{Method: "PUT", Path: "/v0.1/me/merchant-profile/settings", APIKey: s.Merchant.Key.Plaintext,
			Body: map[string]any{"payout_period": periods[0]}})
	})
	e.loseReplies(prepare, func(p *world.Process) {
		_ = client.Invoke(p.Invoke).Operate(e.Context(), map[string]any{"command": "update_settings",
			"merchant_code": s.Merchant.Code, "payout_period": periods[0]}, nil)
	})
	employee := e.Do(world.Request{Method: "POST", Path: "/v0.1/me/accounts", APIKey: s.Merchant.Key.Plaintext,
		Body: map[string]any{"username": "till@example.com", "password": "correct horse"}})
	fonts := 0
	e.loseReplies(func() { fonts++ }, func(p *world.Process) {
		_ = client.Invoke(p.Invoke).Operate(e.Context(), map[string]any{"command": "update_operator",
			"merchant_code": s.Merchant.Code, "operator_id": json.RawMessage(world.Fields(e, employee.Body)["id"]),
			"app_settings": map[string]any{"font_name": fmt.Sprint(fonts)}}, nil)
	})
}

// failPayouts makes payouts that fail, are negative, or are interrupted.
func (e *everything) failPayouts() {
	s := e.newSales(e.NewShop("DE", "EUR", nil))
	s.SetPayout(map[string]any{"holder": "Kiosk", "iban": sandbox.ClosedIBAN})
	paid := s.Sell("100")
	s.payOut()
	s.Refund(paid, "90")
	s.payOut()
	s.SetPayout(map[string]any{"holder": "Kiosk", "iban": sandbox.PaidIBAN})
	for _, run := range []func(){s.RunPayouts, func() {
		e.Operate(map[string]any{"command": "run_payouts", "merchant_code": s.Merchant.Code}, nil)
	}} {
		paid = s.Sell("100")
		s.payOut()
		for range 33 { // one more refund than a step collects
			s.Refund(paid, "3")
		}
		e.Clock.Advance(24 * time.Hour)
		run()
	}
	for _, step := range []func(*world.Process){
		func(p *world.Process) { _ = p.TickNow(e.Context(), "payoutplan") },
		func(p *world.Process) {
			_ = e.Main().TickNow(e.Context(), "payoutplan")
			_, _ = p.DrainQueues(e.Context())
		},
	} {
		e.loseReplies(func() { s.Refund(s.Sell("100"), "1"); e.Clock.Advance(24 * time.Hour) }, step)
		s.RunPayouts()
	}
}

// payManyMerchants pays so many merchants that a walk of due payouts needs a lease. Worlds have four shards, so at
// least one shard has more due payouts than a walk takes without a lease.
func (e *everything) payManyMerchants() {
	for range 4*walkWithoutLease + 1 {
		e.newSales(e.NewShop("DE", "EUR", nil))
	}
	e.Clock.Advance(24 * time.Hour)
	e.RunPayouts()
}

// timeOutCallbacks delivers all due callbacks to a receiver that does not answer in time.
func (e *everything) timeOutCallbacks() {
	e.Pay(e.Create("10", nil), e.Card(world.Frictionless))
	timeOut := faults.RoundTrip(func(*http.Request) (*http.Response, error) { return nil, os.ErrDeadlineExceeded })
	deliver := callbacks.Deliver(e.AppWith(func(_ *app.Config, o *app.Overrides) {
		o.WrapCallbacks = faults.Instead(timeOut)
	}))
	ctx := lambdacontext.NewContext(context.WithoutCancel(e.Context()), &lambdacontext.LambdaContext{
		InvokedFunctionArn: "arn:aws:lambda:eu-central-1:000000000000:function:callbacks"})
	for shard := range e.App.Store.DueShards() {
		for due, err := range e.App.Store.Overdue(e.Context(), shard, e.Clock.Now().Add(time.Hour)) {
			if err == nil && due.CallbackID != "" {
				err = deliver(ctx, `{"callback":"`+due.CallbackID+`"}`)
			}
			if err != nil {
				e.Error(err)
			}
		}
	}
}

// changeDueShards raises DUE_SHARDS, adds merchants and lowers the setting again. Only the sweep still checks the
// higher shards. With five merchants at least one payout is due in such a shard.
func (e *everything) changeDueShards() {
	before := strconv.Itoa(e.App.Store.DueShards())
	e.Set("DUE_SHARDS", strconv.Itoa(store.MaxDueShards))
	for range 5 {
		e.newSales(e.NewShop("DE", "EUR", nil))
	}
	e.Set("DUE_SHARDS", before)
	e.Clock.Advance(24 * time.Hour)
	for range 60 {
		e.PassMinute()
		e.Clock.Advance(time.Minute)
	}
}

// recordOpeningRights returns the rights that payoutopen uses when a shard has more payouts than one call can open. The
// payouts of 17 merchants are due. Each shard gets one call, which starts payouts only in its first 0.3 s of virtual
// time.
func recordOpeningRights(t *testing.T) (used []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := world.New(t)
		w.Permits.Learning = *golden.Update
		for range 17 { // so one of the four shards has at least five; a call opens four at a time
			shop := w.Shop().NewShop("DE", "EUR", nil)
			shop.SetPayout(map[string]any{"holder": "Laden", "iban": sandbox.PaidIBAN})
			shop.Sell("10")
		}
		w.Clock.Advance(24 * time.Hour)
		w.Main().Steps.Slow(faults.Latency{Table: 100 * time.Millisecond, Transaction: 100 * time.Millisecond})
		const lastStart = 15 * time.Second // payoutopen starts no payout in this last part of a call
		for shard := range w.App.Store.DueShards() {
			ctx, cancel := context.WithTimeout(t.Context(), lastStart+300*time.Millisecond)
			event := fmt.Appendf(nil, `{"Records":[{"messageId":"1","body":"{\"shard\":%d}"}]}`, shard)
			if _, err := w.Main().Invoke(ctx, "payoutopen", event); err != nil {
				t.Errorf("shard %d: got error %v, want none", shard, err)
			}
			cancel()
		}
		used = w.Permits.Of("payoutopen")
	})
	return used
}
