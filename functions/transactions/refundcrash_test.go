package transactions_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// TestRefund_CrashAtEachStep lets each fault happen at each I/O step of a refund. The client repeats its request with
// the same Idempotency-Key, and the sweep runs. Then the result is the same as without the fault.
func TestRefund_CrashAtEachStep(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		form   form
		amount string
	}{{v0, ""}, {v1, "2.5"}, {v0, "42.25"}, {v1, "42.91"}} {
		t.Run(c.form.name+" amount="+c.amount, func(t *testing.T) {
			t.Parallel()
			s := world.NewShop(t)
			runWithEachFault(s, faults.Distinct, func(n int, step int, fault faults.Fault) ([]string, func() string) {
				return refundWithFault(s, c.form, c.amount, n, step, fault)
			})
		})
	}
}

// faulty runs a refund with one fault at one I/O step. It returns the steps, and a function that reads the result.
type faulty func(n int, step int, fault faults.Fault) (steps []string, result func() string)

// runWithEachFault runs the refund without a fault, and then with each possible fault at each step. After the platform
// has had time to finish, it compares the results.
func runWithEachFault(s world.Shop, happens func(step string) []faults.Fault, run faulty) {
	s.Helper()
	steps, wanted := run(0, 0, faults.None)
	if len(steps) < 3 {
		s.Fatalf("calls: got %v, want 3 or more", steps)
	}
	results := map[string]func() string{}
	for step, name := range steps {
		for _, fault := range happens(name) {
			_, result := run(len(results)+1, step+1, fault)
			results[fmt.Sprintf("%s at step %d (%s of %s)", fault, step+1, name, strings.Join(steps, ", "))] = result
		}
	}
	for range 4 { // the time between two polls grows
		s.Clock.Advance(time.Minute)
		s.PassMinute()
	}
	want := wanted()
	for what, result := range results {
		if got := result(); got != want {
			s.Errorf("%s:\n got %s\nwant %s", what, got, want)
		}
	}
	s.CheckJournal()
}

func refundWithFault(s world.Shop, f form, amount string, n, step int, fault faults.Fault) ([]string, func() string) {
	p := s.Sell("100")
	request := f.request(s, p, amount)
	request.IdempotencyKey = fmt.Sprintf("key-%d", n)
	process := s.Process()
	process.Steps.Plan(step, fault)
	process.Do(request)
	steps := process.Steps.Taken()
	answer := repeatUntilAnswered(s, request)
	return steps, func() string {
		return fmt.Sprintf("%d %q, %s, given back %s", answer.Status, answer.Text("error_code"), summary(s, p),
			refunded(s, p))
	}
}

// repeatUntilAnswered repeats a request until it gets an answer. A minute passes between two requests.
func repeatUntilAnswered(s world.Shop, request world.Request) world.Response {
	s.Helper()
	const patience = 6
	var answer world.Response
	for range patience {
		if answer = s.Do(request); !isUnanswered(answer) {
			return answer
		}
		s.PassMinute()
	}
	s.Errorf("after %d minutes: got %d %s, want an answer", patience, answer.Status, answer.Body)
	return answer
}

// TestRefund_CrashOfSweepAtEachStep interrupts the sweep that finishes a refund, at each step.
func TestRefund_CrashOfSweepAtEachStep(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	// The sweep does several steps at the same time, in random order. So each fault is tried at each step.
	anything := func(string) []faults.Fault { return faults.Plannable }
	runWithEachFault(s, anything, func(_ int, step int, fault faults.Fault) ([]string, func() string) {
		p := s.Sell("100")
		s.Must(204, refundV0(s, p, "42.25"))
		s.Clock.Advance(time.Minute)
		process := s.Process()
		process.Steps.Plan(step, fault)
		_ = process.TickNow(t.Context(), "sweep") // the fault may make the tick fail
		return process.Steps.Taken(), func() string { return fmt.Sprintf("%s, given back %s", summary(s, p), refunded(s, p)) }
	})
}
