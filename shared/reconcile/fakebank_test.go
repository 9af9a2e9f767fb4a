package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/payout"
)

// fakeBank is a bank that treats a transfer in one of six ways. It pays with an answer or without one, rejects before
// or after the money has left, does not take the transfer, or leaves it pending.
type fakeBank struct{ h *history }

func (b fakeBank) Transfer(_ context.Context, t bank.Transfer) (bank.Outcome, error) {
	switch before, known := b.h.outcomes[t.ID]; {
	case known && before == notTaken:
		return bank.Outcome{}, bank.ErrNotTaken
	case known:
		return before, nil
	}
	what := b.h.IntN(8)
	outcome := bank.Outcome{State: bank.Paid}
	if what < 2 {
		outcome = bank.Outcome{State: bank.Rejected, Reason: "AC04"}
	}
	switch {
	case what == 7:
		b.h.outcomes[t.ID] = notTaken
		return bank.Outcome{}, bank.ErrNotTaken
	case what == 6:
		return bank.Outcome{State: bank.Accepted}, nil
	case what > 0:
		b.h.addBankLine(t, false)
	}
	if b.h.outcomes[t.ID] = outcome; what == 1 {
		b.h.addBankLine(t, true)
	}
	if what == 5 {
		return bank.Outcome{}, errNoAnswer
	}
	return outcome, nil
}

// Verify does nothing: payouts do not call it.
func (fakeBank) Verify(context.Context, bank.Verification) (merchant.BankAccountStatus, error) {
	return merchant.BankAccountVerified, nil
}

// Cancel cancels a transfer that the bank has neither paid nor rejected.
func (b fakeBank) Cancel(_ context.Context, id string) (bank.Outcome, error) {
	if before, known := b.h.outcomes[id]; known && before != notTaken {
		return before, nil
	}
	b.h.outcomes[id] = bank.Cancelled
	return bank.Cancelled, nil
}

// notTaken is the outcome of a transfer that the bank never takes, at any try.
var notTaken bank.Outcome

var errNoAnswer = errors.New("no answer in time")

func (b fakeBank) Statement(_ context.Context, since time.Time) iter.Seq2[bank.StatementLine, error] {
	return func(yield func(bank.StatementLine, error) bool) {
		for _, line := range b.h.lines {
			if !line.At.Before(since) && !yield(line, nil) {
				return
			}
		}
	}
}

// forgetLines deletes the lines of statements that reconcile has stored, so that the next run stores those that the
// statements still have.
func (h *history) forgetLines() {
	h.Helper()
	_, table := h.store.Raw()
	var all []map[string]types.AttributeValue
	h.must(table.Scan().Filter("begins_with(pk, ?)", "STATEMENT#").All(h.Context(), &all))
	for _, line := range all {
		h.must(table.Delete("pk", text(line["pk"])).Range("sk", text(line["sk"])).Run(h.Context()))
	}
}

func (h *history) addBankLine(t bank.Transfer, returned bool) {
	h.lines = append(h.lines, bank.StatementLine{LineID: fmt.Sprint(len(h.lines)), ID: t.ID, Tenant: t.Tenant,
		Amount: t.Amount,
		Return: returned, At: h.clock.Now()})
}

// banks returns the banks of both modes.
func (h *history) banks() map[identity.Mode]bank.Bank {
	return map[identity.Mode]bank.Bank{identity.Live: fakeBank{h}, identity.Test: fakeBank{h}}
}

// loseBankLines drops the lines of the bank's statement one by one. Each loss must be a break, unless the bank did not
// answer about the payment.
func (h *history) loseBankLines() {
	h.Helper()
	all, lost := h.lines, 0
	for i, line := range all {
		t, _ := identity.ParseTenant(line.Tenant)
		p, err := h.store.Payout(h.Context(), t, line.ID)
		h.must(err)
		if p.Status == payout.Sent {
			continue
		}
		lost++
		h.lines = slices.Delete(slices.Clone(all), i, i+1)
		h.forgetLines()
		if r := h.reconcile(); r.Found == 0 {
			h.Errorf("got no breaks without the bank line %+v, want some", line)
		}
	}
	h.lines = all
	if r := h.reconcile(); r.Found != 0 || lost == 0 || r.BankLines != len(all) {
		h.Errorf("after %d losses: got %+v, want losses, no breaks and %d bank lines", lost, r, len(all))
	}
}
