package faults_test

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/examples"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/metric"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// slowAcquirer is an acquirer that takes time for each charge.
type slowAcquirer struct {
	acquirer.Acquirer
	w    *world.World
	time time.Duration
}

func (s slowAcquirer) Charge(ctx context.Context, c acquirer.Charge) (payments.Outcome, error) {
	s.w.Clock.Advance(s.time)
	return s.Acquirer.Charge(ctx, c)
}

// measuredShop is a shop whose payments are measured, in live or test mode.
type measuredShop struct {
	*examples.Scenario
	mode identity.Mode
}

// newMeasuredShop returns a shop whose acquirer takes chargeTime in live mode.
func newMeasuredShop(t *testing.T, mode identity.Mode, chargeTime time.Duration) measuredShop {
	t.Helper()
	s := measuredShop{examples.New(t), mode}
	if mode == identity.Live {
		s.GoLive(func(a acquirer.Acquirer) acquirer.Acquirer { return slowAcquirer{a, s.World, chargeTime} })
		s.Shop = s.NewLiveShop()
	}
	return s
}

// payNew pays a new checkout by card.
func (s measuredShop) payNew(amount string) {
	s.Helper()
	s.ProcessCheckout(s.Create(amount, nil), s.Card(world.Frictionless))
}

// rejectPayout pays a day's payment out to an account that the bank rejects.
func (s measuredShop) rejectPayout() {
	s.Helper()
	s.SetPayout(map[string]any{"holder": "Markt", "iban": sandbox.ClosedIBAN, "mode": s.mode.Name()})
	s.Sell("100")
	s.Clock.Advance(24 * time.Hour)
	s.RunPayouts()
	if s.mode == identity.Test {
		return
	}
	var file struct{ Payouts []string }
	s.Operate(map[string]any{"command": "export_payouts", "id": "file-1", "holder": "Cashwrap",
		"iban": "DE89370400440532013000", "bic": "COBADEFF", "currency": "EUR"}, &file)
	for _, id := range file.Payouts {
		s.Operate(map[string]any{"command": "settle_payout", "merchant_code": s.Merchant.Code, "payout": id,
			"outcome": "rejected", "reason": "AC04"}, nil)
	}
	s.Clock.Advance(time.Hour)
	s.RunPayouts()
}

// exhaustCallback lets a callback fail until it is dead.
func (s measuredShop) exhaustCallback() {
	s.Helper()
	s.Receiver.Answer(http.StatusInternalServerError)
	s.Deactivate(s.Create("10.10", nil))
	for range 4 * 24 { // callbacks are tried for three days
		s.RunUntilIdle()
		s.Clock.Advance(time.Hour)
	}
}

// mailToStranger returns a mail to an address that is not a member's.
func mailToStranger() mail.Mail { return mail.NewAccountDisabled("operation", 1, "ada@example.com") }

// sendMail sends a mail, to which SES gives the answer, and lets hours pass.
func (s measuredShop) sendMail(answer string, hours int) {
	s.Helper()
	s.RefuseMails(func(string) string { return answer })
	t := identity.Tenant{Mode: s.mode, Merchant: s.Merchant.Code}
	s.PutMail(t, mailToStranger())
	s.Relay()
	for range hours {
		s.Clock.Advance(time.Hour)
		s.RunUntilIdle()
	}
}

// TestMetrics_PerEventAndMode checks that each event counts only in the metrics of its own mode. So events of test mode
// raise no alarm of live mode.
func TestMetrics_PerEventAndMode(t *testing.T) {
	t.Parallel()
	type measured map[string][]int64
	const chargeTime = 1500 * time.Millisecond
	ofTime := []metric.Metric{metric.AcquirerLatency, metric.OldestDueAge, metric.OldestPayoutAge}
	for name, c := range map[string]struct {
		happens func(measuredShop)
		want    measured // metrics by mode, except for times
	}{
		"approved": {func(s measuredShop) { s.payNew("10.10") },
			measured{"PaymentsAttempted": {1}, "PaymentsApproved": {1}}},
		"declined": {func(s measuredShop) { s.payNew("42.01") },
			measured{"PaymentsAttempted": {1}, "PaymentsApproved": {0}}},
		"not taken": {func(s measuredShop) { s.payNew("42.24") },
			measured{"PaymentsAttempted": {1}, "PaymentsNotTaken": {1}}},
		"approved after a challenge": {func(s measuredShop) {
			s.Open(nil)
			if s.mode == identity.Live { // the sandbox has no page for live payers
				s.payNew("10.10")
				return
			}
			s.StartChallenge("approve")
			s.Do(s.Complete())
			s.Do(s.Complete())
		}, measured{"PaymentsAttempted": {1}, "PaymentsApproved": {1}}},
		"a challenge that is not answered": {func(s measuredShop) {
			s.Open(nil)
			s.Do(s.ByCard(world.Challenged))
		}, measured{"PaymentsAttempted": {1}}},
		"no answer": {func(s measuredShop) {
			s.payNew("42.25")
			s.Clock.Advance(10 * time.Second)
			s.Relay() // this poll finds no outcome
			s.Clock.Advance(30 * time.Second)
			s.Relay()
			s.Relay()
		}, measured{"PaymentsAttempted": {1}, "PaymentsUnknown": {1}, "UnknownPaymentAge": {10}, "PaymentsApproved": {1}}},
		"a refund without an answer": {func(s measuredShop) {
			s.Refund(s.Sell("100"), "42.25")
			s.Clock.Advance(20 * time.Second)
			s.Relay()
		}, measured{"PaymentsAttempted": {1}, "PaymentsApproved": {1}, "UnknownRefundAge": {20}}},
		"a rejected payout": {measuredShop.rejectPayout,
			measured{"PaymentsAttempted": {1}, "PaymentsApproved": {1}, "FailedPayouts": {1}}},
		"a dead callback": {measuredShop.exhaustCallback, measured{"DeadCallbacks": {1}}},
		"a dead mail":     {func(s measuredShop) { s.sendMail("SendingPausedException", 74) }, measured{"DeadMails": {1}}},
		"a refused mail":  {func(s measuredShop) { s.sendMail("BadRequestException", 0) }, measured{"DroppedMails": {1}}},
		"a mail without a sender": {func(s measuredShop) {
			s.Set("MAIL_FROM", "")
			s.sendMail("", 0)
		}, measured{"HeldMails": {1}}},
	} {
		for _, mode := range identity.Modes {
			t.Run(name+" in "+mode.Name()+" mode", func(t *testing.T) {
				t.Parallel()
				s := newMeasuredShop(t, mode, 0)
				c.happens(s)
				for _, in := range identity.Modes {
					got, want := measured{}, c.want
					if in != mode {
						want = measured{}
					}
					for _, m := range metric.All {
						if all := s.Measured(m, in); m.ByMode && all != nil && !slices.Contains(ofTime, m) {
							got[m.Name] = all
						}
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("measured in %s mode (-want +got):\n%s", in.Name(), diff)
					}
				}
			})
		}
	}
	t.Run("the time of a charge", func(t *testing.T) {
		t.Parallel()
		s := newMeasuredShop(t, identity.Live, chargeTime)
		s.payNew("10.10")
		s.payNew("42.01")
		s.payNew("42.24") // not measured: quick refusals would make the acquirer look fast
		want := []int64{1500, 1500}
		if diff := cmp.Diff(want, s.Measured(metric.AcquirerLatency, identity.Live)); diff != "" {
			t.Errorf("AcquirerLatency in ms (-want +got):\n%s", diff)
		}
	})
}

// TestMetrics_OldestPayoutAge checks that the delay begins at the merchant's midnight.
func TestMetrics_OldestPayoutAge(t *testing.T) {
	t.Parallel()
	for _, mode := range identity.Modes {
		s := newMeasuredShop(t, mode, 0)
		s.SetPayout(map[string]any{"holder": "Markt", "iban": sandbox.PaidIBAN, "mode": mode.Name()})
		s.Sell("100")
		s.RunPayouts()
		if got := s.Measured(metric.OldestPayoutAge, mode); got != nil {
			t.Errorf("before midnight: got %v s, want nothing due", got)
		}
		midnight := time.Date(2026, 11, 20, 23, 0, 0, 0, time.UTC) // in Germany
		s.Clock.Advance(midnight.Add(2 * time.Hour).Sub(s.Clock.Now()))
		s.RunPayouts()
		if diff := cmp.Diff([]int64{2 * 60 * 60}, s.Measured(metric.OldestPayoutAge, mode)); diff != "" {
			t.Errorf("two hours late, in %s mode (-want +got):\n%s", mode.Name(), diff)
		}
	}
}

// overtakenAcquirer is an acquirer that answers a charge only after the sweep has polled it.
type overtakenAcquirer struct {
	acquirer.Acquirer
	w *world.World
}

func (o overtakenAcquirer) Charge(ctx context.Context, c acquirer.Charge) (payments.Outcome, error) {
	outcome, err := o.Acquirer.Charge(ctx, c)
	o.w.Clock.Advance(2 * time.Minute)
	o.w.Tick("sweep") //nolint:contextcheck // another call of Lambda
	return outcome, err
}

func TestMetrics_OutcomeFoundTwice(t *testing.T) {
	t.Parallel()
	s := newMeasuredShop(t, identity.Live, 0)
	s.GoLive(func(a acquirer.Acquirer) acquirer.Acquirer { return overtakenAcquirer{a, s.World} })
	s.payNew("10.10")
	for _, m := range []metric.Metric{metric.PaymentsAttempted, metric.PaymentsApproved, metric.ResolvedCheckouts} {
		if diff := cmp.Diff([]int64{1}, s.Measured(m, identity.Live)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", m.Name, diff)
		}
	}
}

// TestMetrics_LineLength checks the length of a payment's log line, because each byte of the log is paid for
// (infra/cost).
func TestMetrics_LineLength(t *testing.T) {
	t.Parallel()
	const most = 400
	s := newMeasuredShop(t, identity.Live, 0)
	s.payNew("10.10")
	if got := s.Metrics.String(); len(got) > most {
		t.Errorf("got %d bytes %s, want at most %d", len(got), got, most)
	}
}
