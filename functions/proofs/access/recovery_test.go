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

// mostWrites bounds the tries of a step. Some steps also finish the work of their earlier tries, so that each try
// writes more than the one before.
const mostWrites = 12

// walkWithoutLease is how many due payouts a walk takes without a lease
// (shared/payout/run); worlds have four shards.
const walkWithoutLease = 10

// recovery is what functions do after something went wrong: a write of unknown
// outcome is read, and what one left, another finishes.
func (e *everything) recovery() {
	e.cutOff()
	e.unknown()
	e.unheard()
	e.disputes()
	e.settings()
	e.unpaid()
	e.many()
	e.hanging()
}

// through has a step done by processes whose writes lose their replies from the
// n-th on, for each n, and each time lets the platform finish.
func (e *everything) through(prepare func(), step func(*world.Process)) {
	e.Helper()
	for n, reached := 1, true; reached && n <= mostWrites; n++ {
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

// finished are the actions that the sweep needs more rights to finish than for all others, when their process dies.
// TestKilledAfterEveryStep has the processes of all actions die, with no more rights than access.json gives.
var finished = []string{"start a challenge", "save a card with a mandate"}

// cutOff are requests whose process loses its network, or dies.
func (e *everything) cutOff() {
	for _, s := range examples.Actions {
		var request world.Request
		e.through(func() {
			s.Prepare(e.Scenario)
			request = s.Request(e.Scenario)
			request.IdempotencyKey = "cut off, " + e.CheckoutID
		}, func(p *world.Process) { p.Do(request) })
		if !slices.Contains(finished, s.Name) {
			continue
		}
		one := &examples.Scenario{Shop: e.Shop}
		_, steps := s.Run(one, 0, faults.None)
		for n := range steps {
			s.Run(one, n+1, faults.DieAfter)
		}
	}
}

// unknown are payments and refunds that the acquirer has no outcome of yet.
func (e *everything) unknown() {
	for _, open := range []func(){ // one at a time, so that calls come in one order
		func() {
			pending := e.Create(world.Unanswered, map[string]any{"customer_id": e.Customer()})
			e.ProcessCheckout(pending, e.Card(world.Frictionless))
		},
		func() { e.Refund(e.Sell("100"), world.Unanswered) },
	} {
		e.through(open, func(p *world.Process) { // by the fast path
			e.ReadStream()
			e.Clock.Advance(45 * time.Second)
			_, _ = p.DrainQueues(e.Context())
		})
		e.through(open, func(p *world.Process) {
			e.Clock.Advance(2 * time.Minute)
			_ = p.TickNow(e.Context(), "sweep")
		})
	}
	var paid world.Payment
	e.through(func() { paid = e.Sell("100") }, func(p *world.Process) {
		p.Do(world.Request{Method: "POST", Path: "/v0.1/me/refund/" + paid.ID, APIKey: e.Merchant.Key.Plaintext,
			IdempotencyKey: "refund of " + paid.ID, Body: map[string]any{"amount": 1}})
	})
	e.through(func() { paid = e.Sell("100") }, func(p *world.Process) {
		p.Do(world.Request{Method: "GET", Path: "/v1.1/receipts/" + paid.ID + "?mid=" + e.Merchant.Code,
			APIKey: e.Merchant.Key.Plaintext})
	})
	e.receipts()
	e.through(func() {}, func(p *world.Process) {
		p.Do(world.Request{Method: "POST", Path: "/v0.1/customers", APIKey: e.Merchant.Key.Plaintext,
			IdempotencyKey: "customer", Body: map[string]any{"customer_id": "cut off"}})
	})
}

// unheard are payments in which the payer has to act, of which the platform only hears
// when it asks.
func (e *everything) unheard() {
	e.GoLive(func(a acquirer.Acquirer) acquirer.Acquirer { return world.Unheard{Acquirer: a} })
	live := e.sales(e.NewLiveShop())
	e.through(func() {
		live.ProcessCheckout(live.Create("10", map[string]any{"redirect_url": world.RedirectURL}), e.Card(world.Challenged))
	}, func(p *world.Process) {
		e.ReadStream()
		e.Clock.Advance(6 * time.Second)
		_, _ = p.DrainQueues(e.Context())
	})
	e.GoLive()
}

// disputes are chargebacks, and callbacks that are sent again.
func (e *everything) disputes() {
	var command map[string]any
	e.through(func() {
		command = map[string]any{"command": "charge_back", "merchant_code": e.Merchant.Code, "mode": "test",
			"transaction": e.Sell("100").ID}
	}, func(p *world.Process) {
		for _, invoke := range []client.Invoke{p.Invoke, e.Main().Invoke} { // the second is refused if the first was done
			_ = invoke.Operate(e.Context(), command, nil)
		}
	})
	e.Operate(map[string]any{"command": "replay_callbacks", "id": e.Receiver.Deliveries()[0].ID}, nil)
	e.RunUntilIdle()
}

// settings change when a payout is due, which is opened first.
func (e *everything) settings() {
	s := e.sales(e.NewShop("DE", "EUR", nil))
	periods := []string{"weekly", "daily"}
	prepare := func() { s.Sell("1"); e.Clock.Advance(7 * 24 * time.Hour); slices.Reverse(periods) }
	e.through(prepare, func(p *world.Process) {
		p.Do(world.Request{Method: "PUT", Path: "/v0.1/me/merchant-profile/settings", APIKey: s.Merchant.Key.Plaintext,
			Body: map[string]any{"payout_period": periods[0]}})
	})
	e.through(prepare, func(p *world.Process) {
		_ = client.Invoke(p.Invoke).Operate(e.Context(), map[string]any{"command": "update_settings",
			"merchant_code": s.Merchant.Code, "payout_period": periods[0]}, nil)
	})
	employee := e.Do(world.Request{Method: "POST", Path: "/v0.1/me/accounts", APIKey: s.Merchant.Key.Plaintext,
		Body: map[string]any{"username": "till@example.com", "password": "correct horse"}})
	fonts := 0
	e.through(func() { fonts++ }, func(p *world.Process) {
		_ = client.Invoke(p.Invoke).Operate(e.Context(), map[string]any{"command": "update_operator",
			"merchant_code": s.Merchant.Code, "operator_id": json.RawMessage(world.Fields(e, employee.Body)["id"]),
			"app_settings": map[string]any{"font_name": fmt.Sprint(fonts)}}, nil)
	})
}

// unpaid are payouts that fail, are negative, or are cut off.
func (e *everything) unpaid() {
	s := e.sales(e.NewShop("DE", "EUR", nil))
	s.SetPayout(map[string]any{"holder": "Kiosk", "iban": sandbox.ClosedIBAN})
	paid := s.Sell("100")
	s.payouts()
	s.Refund(paid, "90")
	s.payouts()
	s.SetPayout(map[string]any{"holder": "Kiosk", "iban": sandbox.PaidIBAN})
	for _, run := range []func(){s.RunPayouts, func() {
		e.Operate(map[string]any{"command": "run_payouts", "merchant_code": s.Merchant.Code}, nil)
	}} {
		paid = s.Sell("100")
		s.payouts()
		for range 33 { // one more than a step collects
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
		e.through(func() { s.Refund(s.Sell("100"), "1"); e.Clock.Advance(24 * time.Hour) }, step)
		s.RunPayouts()
	}
}

// many are more merchants than a walk of due payouts takes without a lease,
// whichever shards they are in.
func (e *everything) many() {
	for range 4*walkWithoutLease + 1 {
		e.sales(e.NewShop("DE", "EUR", nil))
	}
	e.Clock.Advance(24 * time.Hour)
	e.RunPayouts()
}

// hanging is a receiver of callbacks that does not answer in time.
func (e *everything) hanging() {
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

// lowerDueShards takes back a setting, so that payouts are due in shards that only the
// sweep looks into: of so many merchants that one at least is in such a shard.
func (e *everything) lowerDueShards() {
	before := strconv.Itoa(e.App.Store.DueShards())
	e.Set("DUE_SHARDS", strconv.Itoa(store.MaxDueShards))
	for range 5 {
		e.sales(e.NewShop("DE", "EUR", nil))
	}
	e.Set("DUE_SHARDS", before)
	e.Clock.Advance(24 * time.Hour)
	for range 60 {
		e.PassMinute()
		e.Clock.Advance(time.Minute)
	}
}

// goingOn is what payoutopen uses for shards of more than a call can open: of
// 17 payouts, when it has 0.3 s, which are virtual.
func goingOn(t *testing.T) (used []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := world.New(t)
		w.Permits.Learning = *golden.Update
		for range 17 { // of which one shard of four has five, which are opened four at a time
			shop := w.Shop().NewShop("DE", "EUR", nil)
			shop.SetPayout(map[string]any{"holder": "Laden", "iban": sandbox.PaidIBAN})
			shop.Sell("10")
		}
		w.Clock.Advance(24 * time.Hour)
		w.Main().Steps.Slow(faults.Latency{Table: 100 * time.Millisecond, Transaction: 100 * time.Millisecond})
		const lastStart = 15 * time.Second // before the end of a call
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
