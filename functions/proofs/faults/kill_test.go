package faults_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/examples"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/metric"
)

// TestActions_FaultAtEveryStep checks each action with each fault at each of its I/O steps, to the table and the
// acquirer, with and without an Idempotency-Key. The client then repeats its request, and the sweep runs. The result
// must equal the result without faults: at most one charge, one transaction per charge, and each status change sent
// under one id. The process that records the outcome counts it once, or not at all if the process dies.
func TestActions_FaultAtEveryStep(t *testing.T) {
	t.Parallel()
	for _, s := range examples.Actions {
		for _, keyed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/keyed=%t", s.Name, keyed), func(t *testing.T) {
				t.Parallel()
				runWithEveryFault(t, s, keyed)
			})
		}
	}
}

func runWithEveryFault(t *testing.T, s examples.Action, keyed bool) {
	all := examples.New(t)
	total, counted := 0, 0 // outcomes in the metrics, in total and of the last run
	run := func(step int, fault faults.Fault) (string, []string) {
		result, steps := s.Run(&examples.Scenario{Shop: all.Shop, Keyed: keyed}, step, fault)
		now := len(all.Measured(metric.PaymentsApproved, identity.Test))
		total, counted = now, now-total
		return result, steps
	}
	want, steps := run(0, faults.None)
	outcomes := counted
	if len(steps) < 2 {
		t.Fatalf("got steps %v, want at least 2", steps)
	}
	for n, name := range steps {
		for _, fault := range faults.Distinct(name) {
			if got, _ := run(n+1, fault); got != want {
				t.Errorf("%s at step %d (%s of %s):\n got %s\nwant %s", fault, n+1, name, strings.Join(steps, ", "), got, want)
			}
			if counted > outcomes || counted < outcomes && fault != faults.DieAfter {
				t.Errorf("%s at step %d (%s): got %d outcomes counted, want %d", fault, n+1, name, counted, outcomes)
			}
		}
	}
}

// TestProcessCheckout_RestartDuringChallenge checks that another process can take the payer's answer.
func TestProcessCheckout_RestartDuringChallenge(t *testing.T) {
	t.Parallel()
	one := examples.New(t)
	one.Open(nil)
	before, after := one.Process(), one.Process()
	started := before.Do(one.ByCard(world.Challenged))
	before.Stop()
	one.Form = one.Challenge(started, "approve")
	want, answer := "https://shop.example/done?a=b&checkout_id="+one.CheckoutID, after.Do(one.Complete())
	if to := answer.Header.Get("Location"); answer.Status != 303 || to != want {
		t.Errorf("complete: got %d to %s, want 303 to %s", answer.Status, to, want)
	}
	if read := one.Checkout(one.CheckoutID); read.Text("status") != "PAID" {
		t.Errorf("got checkout %s, want it PAID", read.Body)
	}
}

// TestProcessCheckout_HundredConcurrently checks that a hundred equal requests at the same time charge the card once,
// with one Idempotency-Key and without a key.
func TestProcessCheckout_HundredConcurrently(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "once"} {
		t.Run("key="+key, func(t *testing.T) {
			t.Parallel()
			one := examples.New(t)
			one.Open(nil)
			request := one.ByCard(world.Frictionless)
			if key != "" {
				request.IdempotencyKey = key
			}
			statuses := one.DoConcurrently(100, request)
			want := "PAID, transactions map[SUCCESSFUL:1], captured 1, 0 callbacks, saved card false"
			if got := one.Result(); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if statuses[200] == 0 || statuses[200]+statuses[409] != 100 {
				t.Errorf("got statuses %v, want 100 of 200 and 409, and at least one 200", statuses)
			}
			one.RunUntilIdle()
			if got := one.Receiver.Messages(one.CheckoutID); len(got) != 1 {
				t.Errorf("got %d callbacks, want 1", len(got))
			}
		})
	}
}

// TestCreateCheckout_HundredConcurrently checks that a hundred requests with one reference create one checkout, with
// one Idempotency-Key and without a key.
func TestCreateCheckout_HundredConcurrently(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "once"} {
		t.Run("key="+key, func(t *testing.T) {
			t.Parallel()
			shop := world.New(t).Shop()
			request := world.Request{Method: "POST", Path: "/v0.1/checkouts", Body: shop.CheckoutBody("10.10")}
			if key != "" {
				request.IdempotencyKey = key
			}
			statuses := shop.DoConcurrently(100, request)
			created := statuses[201]
			if created+statuses[409] != 100 {
				t.Errorf("got statuses %v, want 100 of 201 and 409", statuses)
			}
			var listed []map[string]any
			if err := shop.Send("GET", "/v0.1/checkouts", nil).Into(&listed); err != nil || len(listed) != 1 {
				t.Errorf("got %d checkouts listed, error %v; want 1", len(listed), err)
			}
			if created == 0 || (key == "" && created > 1) {
				t.Errorf("got %d of 100 with 201, want 1, or with a key at least 1", created)
			}
		})
	}
}
