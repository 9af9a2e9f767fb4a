package acquirertest

import (
	"context"
	"errors"
	"sync"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// trial is a charge or refund whose call is interrupted, or meets another call. Afterwards the money must have moved
// once, and every answer must agree with the final outcome.
type trial struct {
	id     string // of the charge or refund
	call   call   // call under test
	other  call   // call that comes meanwhile; nil if the call is only interrupted
	repeat call   // Charge, Complete or Refund
	cancel call

	chargeID string
	kind     acquirer.Kind
	amount   money.Amount // moves if the outcome is Approved
}

// chargeTrial returns the trial of a charge. Its call is Charge.
func chargeTrial(c acquirer.Charge) trial {
	return trial{id: c.ID, call: charging(c), repeat: charging(c), cancel: cancelling(c.ID), chargeID: c.ID,
		kind: acquirer.CaptureMovement, amount: c.Amount}
}

// refundTrial returns the trial of a refund. Its call is Refund.
func refundTrial(r acquirer.Refund) trial {
	return trial{id: r.ID, call: refunding(r), repeat: refunding(r), cancel: cancellingRefund(r.ID), chargeID: r.ChargeID,
		kind: acquirer.RefundMovement, amount: r.Amount}
}

// completeTrial returns the trial of a challenged charge that its payer confirms. Its call is Complete.
func (s *subject) completeTrial() trial {
	c := s.newCharge(Ask)
	x := chargeTrial(c)
	x.call = completing(c.ID, s.challenge(c, true))
	x.repeat = x.call
	return x
}

// answer is the reply to a call.
type answer struct {
	payments.Outcome
	err error
}

func (c call) ask(ctx context.Context, a acquirer.Acquirer) answer {
	o, err := c(ctx, a)
	return answer{o, err}
}

func isFinal(d payments.Decision) bool {
	return d == payments.Approved || d == payments.Declined || d == payments.Cancelled
}

// agrees returns true if an answer does not contradict the final outcome. A cancelled refund may also be declined.
func (x trial) agrees(a answer, final payments.Outcome) bool {
	switch {
	case a.err != nil || !isFinal(a.Decision):
		return !errors.Is(a.err, acquirer.ErrBadAnswer)
	case x.kind == acquirer.RefundMovement && a.Decision != payments.Approved:
		return final.Decision != payments.Approved
	case a.Decision != final.Decision:
		return false
	default:
		return a.Decision != payments.Approved ||
			a.AcquirerReference == final.AcquirerReference && a.AuthCode == final.AuthCode
	}
}

// settle returns the final outcome: by a repeated call, by a cancellation if the call was lost on the way, or by time.
func (s *subject) settle(x trial) payments.Outcome {
	s.Helper()
	for _, c := range []call{x.repeat, x.cancel} {
		if o := s.must(s.Second, c); isFinal(o.Decision) {
			return o
		}
	}
	if s.Settle == nil {
		s.Fatalf("got no final outcome by a repeated call and a cancellation, want one")
	}
	if err := s.Settle(s.Context(), x.id); err != nil {
		s.Fatalf("got error %v when it settled, want none", err)
	}
	return s.must(s.Second, x.repeat)
}

// check settles the trial. It checks that its money moved once or not at all, as the final outcome says, that the
// answers agree with the outcome, and that the outcome stays.
func (s *subject) check(x trial, answers ...answer) {
	s.Helper()
	for _, a := range answers {
		if len(answers) == 1 && errors.Is(a.err, acquirer.ErrNotTaken) {
			s.expectMoved(x.chargeID, x.kind, money.Amount{})
		}
	}
	final := s.settle(x)
	want := money.Amount{}
	switch {
	case !isFinal(final.Decision):
		s.Fatalf("got %s, want a final outcome", final.Decision)
	case final.Decision == payments.Approved:
		want = x.amount
	}
	s.expectMoved(x.chargeID, x.kind, want)
	for i, a := range append(answers, x.repeat.ask(s.Context(), s.First), x.cancel.ask(s.Context(), s.First)) {
		if !x.agrees(a, final) || i >= len(answers) && a.err != nil {
			s.Fatalf("got answer %d: %s %s, %v, want it to agree with %s %s", i, a.Decision, a.AcquirerReference, a.err,
				final.Decision, final.AcquirerReference)
		}
	}
	s.expectMoved(x.chargeID, x.kind, want)
}

// mustTake returns true if the first process took n requests or more. It fails if the process took none at all, because
// the peer's Steps then carry no requests.
func (s *subject) mustTake(n int) bool {
	s.Helper()
	taken := len(s.Steps.Taken())
	if taken == 0 {
		s.Fatalf("got no request in the peer's Steps, want all requests of the first process")
	}
	return taken >= n
}

// eachRequest tries a call again and again. Each try has a plan for another request of the first process. The last try
// is not disturbed, because the process takes fewer than n requests. verify then gets false. It looks at the try when
// the plan has ended.
func (s *subject) eachRequest(try func(n int) (verify func(disturbed bool))) {
	s.Helper()
	for n, disturbed := 1, true; disturbed; n++ {
		verify := try(n)
		disturbed = s.mustTake(n)
		s.Steps.Plan(0, faults.None)
		verify(disturbed)
	}
}

// eachInterruption tries the call again and again. In each try another request of the process is lost, loses its reply,
// or is the last before the process dies.
func (s *subject) eachInterruption(begin func() trial) {
	s.Helper()
	for _, f := range []faults.Fault{faults.FailBefore, faults.LoseReply, faults.DieAfter} {
		s.eachRequest(func(n int) func(bool) {
			x := begin()
			s.Steps.Plan(n, f)
			a := x.call.ask(s.Context(), s.First)
			return func(disturbed bool) {
				if errors.Is(a.err, acquirer.ErrUnknownCharge) || !disturbed && a.err != nil {
					s.Fatalf("request %d %s: got error %v, want none or one of an unknown outcome", n, f, a.err)
				}
				s.check(x, a)
			}
		})
	}
}

// eachMeeting tries the call again and again. In each try the other call comes before another request of the process.
func (s *subject) eachMeeting(begin func() trial) {
	s.Helper()
	s.eachRequest(func(n int) func(bool) {
		x := begin()
		var met []answer
		var moved bool
		s.Steps.Meanwhile("", n, func() {
			met = []answer{x.other.ask(s.Context(), s.Second)}
			sums, _ := s.Moved(s.Context(), x.chargeID)
			moved = !sums[x.kind].IsZero()
		})
		a := x.call.ask(s.Context(), s.First)
		return func(bool) {
			for _, m := range met {
				says := isFinal(m.Decision) || errors.Is(m.err, acquirer.ErrUnknownCharge)
				if says && moved != (m.Decision == payments.Approved) {
					s.Fatalf("before request %d: got %s, %v, and money moved: %t", n, m.Decision, m.err, moved)
				}
			}
			s.check(x, append(met, a)...)
		}
	})
}

// meetAtOnce makes the trial's calls at the same time, several times by both processes.
func (s *subject) meetAtOnce(x trial) {
	s.Helper()
	answers := make([]answer, 12)
	var group sync.WaitGroup
	for i := range answers {
		group.Go(func() {
			c := x.call
			if i%3 == 2 && x.other != nil {
				c = x.other
			}
			answers[i] = c.ask(s.Context(), s.processes()[i%2])
		})
	}
	group.Wait()
	s.check(x, answers...)
}
