package payoutrun_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/app/banking"
	"github.com/cashwrap/cashwrap/shared/app/queue"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/ledger"
)

// TestPayout_RepeatedMessagesAndTicks repeats messages and ticks after every step of a payout, and again twelve hours
// later.
func TestPayout_RepeatedMessagesAndTicks(t *testing.T) {
	t.Parallel()
	s := open(t)
	for range 3 {
		s.Sell("10")
	}
	again := func() {
		t.Helper()
		for id := range s.PayoutState(s.Merchant).Payouts {
			for range 3 {
				if err := queue.OpenPayouts(s.App).Send(t.Context(), app.PayoutMessage{Tenant: s.Tenant().String(),
					ID: id}); err != nil {
					t.Fatal(err)
				}
			}
		}
		s.RunPayouts()
		s.RunPayouts()
		s.CheckPayouts()
	}
	advanceToMidnight(s)
	for _, wait := range []time.Duration{0, time.Second, 16 * time.Minute, time.Minute, 12 * time.Hour, 12 * time.Hour} {
		s.Clock.Advance(wait)
		again()
	}
	want(t, "payouts", len(payoutsByDay(s)), 1)
	want(t, "paid", payoutsByDay(s)["2026-11-21"], "PAID 29.40")
	want(t, "the bank", balance(s, ledger.Bank), "-29.40")
}

// TestRun_FaultAtEachStep checks faults while a payout is planned and run, one fault in each night. At each I/O step
// the process crashes or loses the reply. In calls to the bank, all other faults happen too. The bank pays the payout
// in some nights, and rejects it in others.
func TestRun_FaultAtEachStep(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		faults   []faults.Fault
		steps    string // steps with the fault; "" for all steps
		rejected bool
	}{
		"crash":           {[]faults.Fault{faults.DieAfter}, "", false},
		"crash, rejected": {[]faults.Fault{faults.DieAfter}, "", true},
		"lost reply":      {[]faults.Fault{faults.LoseReply}, "", false},
		"at the bank":     {faults.Plannable, "Transfer", false},
		"at a rejection":  {faults.Plannable, "Transfer", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			taken := runWithFault(s, 0, faults.None, c.rejected)
			nights := 0
			for i, step := range taken {
				if c.steps != "" && step != c.steps {
					continue
				}
				for _, fault := range faults.Distinct(step) {
					if slices.Contains(c.faults, fault) {
						runWithFault(s, i+1, fault, c.rejected)
						nights++
					}
				}
			}
			if len(taken) < 15 || nights == 0 {
				t.Errorf("got %d nights for %d steps %v, want 1 or more for at least 15", nights, len(taken), taken)
			}
			want(t, "still payable", balance(s, ledger.MerchantPayable), "0.00")
		})
	}
}

// runWithFault runs a day with two payments and a night with a fault. It returns the steps of the faulty process.
func runWithFault(s world.Shop, at int, fault faults.Fault, rejected bool) []string {
	s.Helper()
	first := s.Sell("10")
	s.Sell("20")
	if rejected {
		s.SetPayout(fields{"iban": sandbox.ClosedIBAN})
	}
	taken := runNightWithFault(s, at, fault)
	if rejected {
		s.SetPayout(fields{"iban": sandbox.PaidIBAN})
		runNight(s)
	}
	s.CheckPayouts()
	if got := statusOf(s, first); got.Received != 1 || got.Simple != "PAID_OUT" {
		s.Fatalf("%s at step %d: got %+v, want 1 received and PAID_OUT", fault, at, got)
	}
	wantAll(s, fmt.Sprintf("%s at step %d leaves", fault, at), payables(s))
	return taken
}

// runNightWithFault runs a night with a fault in one process. Another process finishes the work. It returns the steps
// of the first process.
func runNightWithFault(s world.Shop, at int, fault faults.Fault) []string {
	s.Helper()
	advanceToMidnight(s)
	doomed := s.Process()
	defer doomed.Stop()
	doomed.Steps.Plan(at, fault)
	_ = doomed.TickNow(s.Context(), "payoutplan")
	_, _ = doomed.DrainQueues(s.Context())
	if report := s.Reconcile(); report.Found > 0 {
		s.Errorf("%s at step %d: got %d breaks %+v, want none", fault, at, report.Found, report.Breaks)
	}
	for range 4 { // until the queue delivers the message again
		s.Clock.Advance(16 * time.Minute)
		s.RunPayouts()
	}
	return doomed.Steps.Taken()
}

// TestRun_FaultAtEachStepOfDebits crashes after each step of a payout that contains only late refunds. One step cannot
// take all these refunds. In further runs, each transaction loses its reply.
func TestRun_FaultAtEachStepOfDebits(t *testing.T) {
	t.Parallel()
	steps := runDebitsWithFault(t, 0, faults.None)
	opened := slices.Index(steps, "TransactWriteItems")
	if opened < 0 || len(steps)-opened < 10 {
		t.Fatalf("got steps %v, want TransactWriteItems among them, and at least 9 after it", steps)
	}
	for i, step := range steps {
		if i < opened { // TestRun_FaultAtEachStep covers these steps
			continue
		}
		t.Run(fmt.Sprint(step, " ", i), func(t *testing.T) {
			t.Parallel()
			runDebitsWithFault(t, i+1, faults.DieAfter)
			if step == "TransactWriteItems" {
				runDebitsWithFault(t, i+1, faults.LoseReply)
			}
		})
	}
}

// runDebitsWithFault runs a night with late refunds and a fault, in its own world. Then it runs a second night with a
// payment that covers the refunds.
func runDebitsWithFault(t *testing.T, at int, fault faults.Fault) []string {
	t.Helper()
	s := open(t)
	refunded := s.Sell("10")
	runNight(s)
	for range 33 {
		s.Refund(refunded, "0.25")
	}
	taken := runNightWithFault(s, at, fault)
	want(t, fmt.Sprintf("%s at step %d", fault, at), payoutsByDay(s)["2026-11-22"], "PAID -8.25")
	wantAll(t, fmt.Sprintf("%s at step %d leaves", fault, at), payables(s), "BALANCE_DEDUCTION -8.25")
	s.Sell("10")
	runNight(s)
	want(t, fmt.Sprintf("%s at step %d, covered", fault, at), payoutsByDay(s)["2026-11-23"], "PAID 1.55")
	want(t, "payouts", len(payoutsByDay(s)), 3)
	return taken
}

// TestRun_FaultAtEachStepOfCancellation checks a poll that cancels a transfer which the bank does not accept. The poll
// crashes at each I/O step. In calls to the bank, all other faults happen too.
func TestRun_FaultAtEachStepOfCancellation(t *testing.T) {
	t.Parallel()
	s := open(t)
	steps := cancelWithFault(s, 0, faults.None)
	if !slices.Contains(steps, "CancelTransfer") {
		t.Fatalf("got steps %v, want CancelTransfer among them", steps)
	}
	for i, step := range steps {
		for _, fault := range faults.Distinct(step) {
			if fault == faults.DieAfter || strings.HasSuffix(step, "Transfer") {
				cancelWithFault(s, i+1, fault)
			}
		}
	}
	want(t, "still payable", balance(s, ledger.MerchantPayable), "0.00")
}

// cancelWithFault orders a transfer to an account whose bank accepts nothing, replaces the account, and polls with a
// fault. It returns the steps of the polling process.
func cancelWithFault(s world.Shop, at int, fault faults.Fault) []string {
	s.Helper()
	s.SetPayout(fields{"iban": sandbox.NotTakenIBAN})
	p := s.Sell("10")
	advanceToMidnight(s)
	s.RunPayouts()
	s.SetPayout(fields{"iban": sandbox.PaidIBAN})
	s.Clock.Advance(time.Hour)
	doomed := s.Process()
	defer doomed.Stop()
	doomed.Steps.Plan(at, fault)
	_ = doomed.TickNow(s.Context(), "payoutplan")
	_, _ = doomed.DrainQueues(s.Context())
	for range 3 {
		s.Clock.Advance(time.Hour)
		s.RunPayouts()
	}
	runNight(s)
	s.CheckPayouts()
	wantAll(s, fmt.Sprintf("%s at step %d", fault, at), payoutEvents(s, p), "FAILED 9.80 0.00", "PAID_OUT 9.80 0.00")
	wantAll(s, fmt.Sprintf("%s at step %d leaves", fault, at), payables(s))
	return doomed.Steps.Taken()
}

// TestRun_ConcurrentRunners runs a regular payout several times at the same time. Meanwhile a payout on demand runs
// for the same payables.
func TestRun_ConcurrentRunners(t *testing.T) {
	t.Parallel()
	s := open(t)
	var paid []world.Payment
	for range 100 {
		paid = append(paid, s.Sell("10"))
	}
	runConcurrently(s, 0, func(i int) { s.Refund(paid[i], "5") })
	s.Sell("100") // this payment covers the late refunds
	runNight(s)
	wantAll(t, "payables", payables(s))
	want(t, "the bank", balance(s, ledger.Bank),
		"-1058.05") // 100 sales of 9.80, less four refunds of 5, and the sale with 98.05
	for _, p := range paid {
		if got := statusOf(s, p); got.Received != 1 || got.Total != 1 {
			t.Fatalf("got %+v, want 1 received of 1", got)
		}
	}
}

// runConcurrently lets four runners run two payouts at the same time: the regular payout of the night, and a payout on
// demand that is opened the given time later. Two of the runners run both payouts, and two run only the payout on
// demand. After that, each runner calls the function besides. The ticks finish the rest.
func runConcurrently(s world.Shop, later time.Duration, besides func(i int)) {
	s.Helper()
	advanceToMidnight(s)
	runner := banking.Open(s.App)
	planned, due, err := runner.Plan(s.Context(), s.Tenant())
	if err != nil || !due {
		s.Fatalf("plan: got due %t, error %v; want it due", due, err)
	}
	s.Clock.Advance(later)
	demanded, due, err := runner.OpenOnDemand(s.Context(), s.Tenant(), "operation")
	if err != nil || !due {
		s.Fatalf("on demand: got due %t, error %v; want it due", due, err)
	}
	inParallel(s, 4, func(i int) {
		runner := banking.Open(s.App)
		for _, id := range []string{planned.ID, demanded.ID}[i%2:] {
			_, _ = runner.Run(s.Context(), s.Tenant(), id) // a runner gives up if another has overtaken it
		}
		besides(i)
	})
	s.CheckPayouts()
	for range 3 {
		s.Clock.Advance(16 * time.Minute)
		s.RunPayouts()
	}
}

func inParallel(s world.Shop, n int, do func(int)) {
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { do(i) })
	}
	group.Wait()
}
