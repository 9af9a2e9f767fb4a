package payoutrun_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/faults"
	"github.com/cashwrap/cashwrap/shared/app/banking"
	"github.com/cashwrap/cashwrap/shared/app/queue"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/ledger"
)

// TestDoubledAndLateMessagesAndTicksChangeNothing: at every step of a payout everything comes again, and twelve hours later
// once more.
func TestDoubledAndLateMessagesAndTicksChangeNothing(t *testing.T) {
	t.Parallel()
	s := open(t)
	for range 3 {
		s.pay("10", 1)
	}
	again := func() {
		t.Helper()
		for id := range s.PayoutBooks(s.merchant).Payouts {
			for range 3 {
				if err := queue.OpenPayouts(s.App).Send(t.Context(), s.tenant(), id); err != nil {
					t.Fatal(err)
				}
			}
		}
		s.tick(s.Main())
		s.tick(s.Main())
		s.CheckPayouts()
	}
	s.midnight()
	for _, wait := range []time.Duration{0, time.Second, 16 * time.Minute, time.Minute, 12 * time.Hour, 12 * time.Hour} {
		s.Clock.Advance(wait)
		again()
	}
	want(t, "payouts", len(s.payouts()), 1)
	want(t, "paid", s.payouts()["2026-11-21"], "PAID 29.40")
	want(t, "the bank", s.Balance(s.merchant, ledger.Bank, "EUR").String(), "-29.40")
}

// TestARunCutOffAnywhereIsFinished: a crash and a lost reply at each I/O step of planning and of running, one night each,
// and every other fault at the bank; the bank pays, or rejects.
func TestARunCutOffAnywhereIsFinished(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		faults   []faults.Fault
		steps    string // that it happens to; "": all
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
			taken := s.cutOff(0, faults.None, c.rejected)
			nights := 0
			for i, step := range taken {
				if c.steps != "" && step != c.steps {
					continue
				}
				for _, fault := range c.faults {
					s.cutOff(i+1, fault, c.rejected)
					nights++
				}
			}
			if len(taken) < 15 || nights == 0 {
				t.Errorf("only %d nights for %v", nights, taken)
			}
			if !s.Balance(s.merchant, ledger.MerchantPayable, "EUR").IsZero() {
				t.Error("something is still owed")
			}
		})
	}
}

// cutOff is a day with two payments and a night with a fault, and answers the steps of the process it happened to.
func (s *shop) cutOff(at int, fault faults.Fault, rejected bool) []string {
	s.Helper()
	first := s.pay("10", 1)
	s.pay("20", 1)
	if rejected {
		s.set(fields{"iban": sandbox.ClosedIBAN})
	}
	taken := s.nightWith(at, fault)
	if rejected {
		s.set(fields{"iban": sandbox.PaidIBAN})
		s.night()
	}
	s.CheckPayouts()
	if d := s.detail(first); d.Received != 1 || d.Simple != "PAID_OUT" {
		s.Fatalf("%s at step %d: %+v", fault, at, d)
	}
	wantAll(s, fmt.Sprintf("%s at step %d leaves", fault, at), s.waiting())
	return taken
}

// nightWith is a night with a fault in a process, whose work another one finishes. It answers the steps of the first.
func (s *shop) nightWith(at int, fault faults.Fault) []string {
	s.Helper()
	s.midnight()
	doomed := s.Process()
	defer doomed.Stop()
	doomed.Steps.Plan(at, fault)
	_ = doomed.TickNow(s.Context(), "payoutplan")
	_, _ = doomed.DrainQueues(s.Context())
	if report := s.Reconcile(); report.Found > 0 {
		s.Errorf("%s at step %d: breaks: %+v", fault, at, report.Breaks)
	}
	for range 4 { // long enough for a message to be seen again
		s.Clock.Advance(16 * time.Minute)
		s.tick(s.Main())
	}
	return doomed.Steps.Taken()
}

// TestDebitsCutOffAnywhereAreOnePayout: a crash at each I/O step of a payout of nothing but late refunds, more than a step
// takes, and a lost reply of each transaction.
func TestDebitsCutOffAnywhereAreOnePayout(t *testing.T) {
	t.Parallel()
	steps := cutOffLacking(t, 0, faults.None)
	opened := slices.Index(steps, "TransactWriteItems")
	if opened < 0 || len(steps)-opened < 10 {
		t.Fatalf("only %v", steps)
	}
	for i, step := range steps {
		if i < opened {
			continue
		}
		t.Run(fmt.Sprint(step, " ", i), func(t *testing.T) {
			t.Parallel()
			cutOffLacking(t, i+1, faults.DieAfter)
			if step == "TransactWriteItems" {
				cutOffLacking(t, i+1, faults.LoseReply)
			}
		})
	}
}

// cutOffLacking is such a night in a world of its own, and one after it with a payment that makes up for the refunds.
func cutOffLacking(t *testing.T, at int, fault faults.Fault) []string {
	t.Helper()
	s := open(t)
	refunded := s.pay("10", 1)
	s.night()
	for range 33 {
		s.refund(refunded, "0.25")
	}
	taken := s.nightWith(at, fault)
	want(t, fmt.Sprintf("%s at step %d", fault, at), s.payouts()["2026-11-22"], "PAID -8.25")
	wantAll(t, fmt.Sprintf("%s at step %d leaves", fault, at), s.waiting(), "BALANCE_DEDUCTION -8.25")
	s.pay("10", 1)
	s.night()
	want(t, fmt.Sprintf("%s at step %d, covered", fault, at), s.payouts()["2026-11-23"], "PAID 1.55")
	want(t, "payouts", len(s.payouts()), 3)
	return taken
}

// TestACancellationCutOffAnywhereIsFinished: a crash at each I/O step of the look at which an order that the bank does not
// take is cancelled, and every other fault at the bank.
func TestACancellationCutOffAnywhereIsFinished(t *testing.T) {
	t.Parallel()
	s := open(t)
	steps := s.cutOffCancelling(0, faults.None)
	if !slices.Contains(steps, "CancelTransfer") {
		t.Fatalf("nothing is cancelled in %v", steps)
	}
	for i, step := range steps {
		for _, fault := range faults.Plannable {
			if fault == faults.DieAfter || strings.HasSuffix(step, "Transfer") {
				s.cutOffCancelling(i+1, fault)
			}
		}
	}
	if !s.Balance(s.merchant, ledger.MerchantPayable, "EUR").IsZero() {
		t.Error("something is still owed")
	}
}

// cutOffCancelling is a payment to an account whose bank takes nothing, which is then replaced, and a look with a fault. It
// answers the steps of the process that looked.
func (s *shop) cutOffCancelling(at int, fault faults.Fault) []string {
	s.Helper()
	s.set(fields{"iban": sandbox.NotTakenIBAN})
	p := s.pay("10", 1)
	s.midnight()
	s.tick(s.Main())
	s.set(fields{"iban": sandbox.PaidIBAN})
	s.Clock.Advance(time.Hour)
	doomed := s.Process()
	defer doomed.Stop()
	doomed.Steps.Plan(at, fault)
	_ = doomed.TickNow(s.Context(), "payoutplan")
	_, _ = doomed.DrainQueues(s.Context())
	for range 3 {
		s.Clock.Advance(time.Hour)
		s.tick(s.Main())
	}
	s.night()
	s.CheckPayouts()
	wantAll(s, fmt.Sprintf("%s at step %d", fault, at), s.stands(p), "FAILED 9.80 0.00", "PAID_OUT 9.80 0.00")
	wantAll(s, fmt.Sprintf("%s at step %d leaves", fault, at), s.waiting())
	return doomed.Steps.Taken()
}

// TestOverlappingRunsPayOnce: many runners of one payout, and of one on demand for the same rows.
func TestOverlappingRunsPayOnce(t *testing.T) {
	t.Parallel()
	s := open(t)
	var paid []payment
	for range 100 {
		paid = append(paid, s.pay("10", 1))
	}
	s.overlap(0, func(runner int) { s.refund(paid[runner], "5") })
	s.pay("100", 1) // covers what was refunded too late
	s.night()
	wantAll(t, "waiting", s.waiting())
	want(t, "the bank", s.Balance(s.merchant, ledger.Bank, "EUR").String(),
		"-1058.05") // 100 × 9.80, less 4 × 5, and 98.05
	for _, p := range paid {
		if d := s.detail(p); d.Received != 1 || d.Total != 1 {
			t.Fatalf("%+v", d)
		}
	}
}

// overlap lets four runners take the payout of the night and one on demand, planned so much later, at the same time, and
// each do something else besides; then the ticks finish what is left.
func (s *shop) overlap(later time.Duration, besides func(runner int)) {
	s.Helper()
	s.midnight()
	runner := banking.Open(s.App)
	planned, due, err := runner.Plan(s.Context(), s.tenant())
	if err != nil || !due {
		s.Fatalf("planned %t, %v", due, err)
	}
	s.Clock.Advance(later)
	demanded, due, err := runner.OnDemand(s.Context(), s.tenant(), "operation")
	if err != nil || !due {
		s.Fatalf("demanded %t, %v", due, err)
	}
	s.atOnce(4, func(i int) {
		runner := banking.Open(s.App)
		for _, id := range []string{planned.ID, demanded.ID}[i%2:] {
			_, _ = runner.Run(s.Context(), s.tenant(), id) // one that is left behind leaves it to the others
		}
		besides(i)
	})
	s.CheckPayouts()
	for range 3 {
		s.Clock.Advance(16 * time.Minute)
		s.tick(s.Main())
	}
}

func (s *shop) atOnce(n int, do func(int)) {
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { do(i) })
	}
	group.Wait()
}
