package run_test

import (
	"context"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/payout"
)

// notTakenPayout opens and runs a payout of 10.10. The bank does not take its transfer. notTakenPayout returns the
// payout's id.
func (h *fixture) notTakenPayout() string {
	h.Helper()
	h.pay(1)
	h.Advance(day)
	h.bankErr = bank.ErrNotTaken
	id := h.plan()
	h.want("requested", h.run(id), "SENT 10.10 1")
	return id
}

// answerCancellations sets the bank's answer to cancellations. It returns the counter of the cancellations.
func (h *fixture) answerCancellations(o bank.Outcome, err error) *int {
	asked := 0
	h.cancel = func(string) (bank.Outcome, error) {
		asked++
		return o, err
	}
	return &asked
}

// TestRun_TransferNotTakenForADay checks that a transfer that the bank does not take is cancelled after a day, and not
// earlier. The next payout then collects the payables, under another id.
func TestRun_TransferNotTakenForADay(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	id := h.notTakenPayout()
	for range 23 {
		h.Advance(time.Hour)
		h.want("declined", h.run(id), "SENT 10.10 1") // the payout is still sent, and not cancelled
	}
	asked := h.answerCancellations(bank.Cancelled, nil)
	h.Advance(time.Hour)
	h.want("cancelled", h.run(id), "FAILED 10.10 1")
	if p, err := h.Store.Payout(t.Context(), tenant, id); err != nil || p.Reason != "DS02" || *asked != 1 {
		t.Errorf("payout: got %+v, %v, asked %d times, want the reason DS02, asked once", p, err, *asked)
	}
	h.want("for good", h.run(id), "FAILED 10.10 1")
	h.bankErr = nil
	h.Advance(day)
	next := h.plan()
	h.want("the next", h.run(next), "PAID 10.10 1")
	if len(h.requests) != 1 || h.requests[0].ID != next || next == id {
		t.Errorf("payouts: got %s, then %s, requests %+v, want another payout, and one request, for it", id, next, h.requests)
	}
}

// TestRun_AccountReplaced checks that the next poll cancels the transfer if the account was replaced. An account does
// not count as replaced if it was only set again or lost its verification.
func TestRun_AccountReplaced(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	id := h.notTakenPayout()
	h.setTerms(func(s *terms) { s.To.ID, s.To.Status = "another", merchant.BankAccountPending })
	h.Advance(time.Hour)
	h.want("the same", h.run(id), "SENT 10.10 1")
	h.setTerms(func(s *terms) {
		s.To.IBAN, s.To.Status = "DE88100100100000003333", merchant.BankAccountVerified
	})
	h.answerCancellations(bank.Cancelled, nil)
	h.Advance(time.Hour)
	h.want("replaced", h.run(id), "FAILED 10.10 1")
	h.bankErr = nil
	h.Advance(day)
	h.want("the next", h.run(h.plan()), "PAID 10.10 1")
	if len(h.requests) != 1 || h.requests[0].To.IBAN != "DE88100100100000003333" {
		t.Errorf("requests: got %+v, want one to DE88100100100000003333", h.requests)
	}
}

// TestRun_AnswerToCancellation checks that only the answer to the cancellation decides the payout, because an earlier
// request may have been taken although its answer was lost. Without an answer the payout stays as it is.
func TestRun_AnswerToCancellation(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		outcome bank.Outcome
		err     error
		want    string
	}{
		"taken":         {bank.Outcome{State: bank.Accepted}, nil, "SENT 10.10 1"},
		"paid":          {bank.Outcome{State: bank.Paid}, nil, "PAID 10.10 1"},
		"rejected":      {bank.Outcome{State: bank.Rejected, Reason: "AC04"}, nil, "FAILED 10.10 1"},
		"no answer":     {bank.Outcome{}, faults.ErrNetwork, "SENT 10.10 1"},
		"not taken":     {bank.Outcome{}, bank.ErrNotTaken, "SENT 10.10 1"},
		"lost on error": {bank.Cancelled, faults.ErrNetwork, "SENT 10.10 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newFixture(t)
			id := h.notTakenPayout()
			asked := h.answerCancellations(c.outcome, c.err)
			h.Advance(day)
			h.want("cancelled", h.run(id), c.want)
			p, err := h.Store.Payout(t.Context(), tenant, id)
			if err != nil || p.Reason != c.outcome.Reason && p.Status == payout.Failed || *asked != 1 {
				t.Errorf("payout: got %+v, %v, asked %d times, want the reason %q if it FAILED, asked once", p, err, *asked,
					c.outcome.Reason)
			}
			if p.Status != payout.Sent {
				return
			}
			h.Advance(time.Hour)
			h.answerCancellations(bank.Cancelled, nil)
			h.want("asked again", h.run(id), "FAILED 10.10 1")
		})
	}
}

// TestRun_TransferUnanswered checks that a transfer without an answer is not cancelled, because the request may still
// be on its way.
func TestRun_TransferUnanswered(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	id := h.notTakenPayout()
	for name, deaf := range map[string]error{"silence": faults.ErrNetwork, "time is up": context.DeadlineExceeded} {
		h.bankErr = deaf
		h.Advance(2 * day)
		h.want(name, h.run(id), "SENT 10.10 1")
	}
	h.bankErr = nil
	h.outcome = bank.Outcome{State: bank.Accepted}
	h.Advance(2 * day)
	h.want("accepted", h.run(id), "SENT 10.10 1")
}

// TestRun_AccountUnreadable checks that no transfer is cancelled while the account for payouts cannot be read, because
// it is then unknown if the account was replaced.
func TestRun_AccountUnreadable(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	id := h.notTakenPayout()
	_, table := h.Store.Raw()
	if err := table.Delete("pk", "PAYOUTSCHEDULE#"+tenant.String()).Range("sk", "SCHEDULE").Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.Advance(day)
	h.want("unknown", h.run(id), "SENT 10.10 1")
	h.setTerms(func(*terms) {})
	h.answerCancellations(bank.Cancelled, nil)
	h.Advance(time.Hour)
	h.want("known", h.run(id), "FAILED 10.10 1")
}

// TestRun_TwoRunnersOfCancelledTransfer checks two runners of one payout. A runner that requests a transfer which the
// other runner has cancelled gets the outcome of the cancellation.
func TestRun_TwoRunnersOfCancelledTransfer(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	id := h.notTakenPayout()
	h.Advance(day)
	h.cancel = func(string) (bank.Outcome, error) {
		h.cancel, h.bankErr, h.outcome = nil, nil, bank.Cancelled
		h.want("the other", h.run(id), "FAILED 10.10 1")
		return bank.Cancelled, nil
	}
	h.want("both", h.run(id), "FAILED 10.10 1")
	h.outcome = bank.Outcome{State: bank.Paid}
	h.Advance(day)
	h.want("the next", h.run(h.plan()), "PAID 10.10 1")
}
