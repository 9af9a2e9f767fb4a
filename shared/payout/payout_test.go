package payout_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
)

const (
	payoutDay = "2026-11-03"
	tenantOf  = "T#MC0A1B2C3D"
)

// openPayout returns a payout that collects the payables of the first hour after start.
func openPayout() payout.Payout {
	return payout.New(payout.ID(tenantOf, "EUR", payoutDay, payout.Regular), "EUR", payoutDay,
		after(time.Hour), after(time.Hour))
}

// collectedPayout returns a payout that has collected all payables of one payment in parts, in one step.
func collectedPayout(t testing.TB, parts int) (payout.Payout, payments.Transaction, []payout.Record) {
	t.Helper()
	change := capture(t, parts)
	tx := *change.Transaction
	step, err := openPayout().Collect(change.Payables, map[string]payments.Transaction{tx.ID: tx}, after(2*time.Hour))
	if err != nil || len(step.Transactions) != 1 || tx.Payouts[0].Status != payments.EventScheduled {
		t.Fatalf("got %+v of %+v, error %v, want one transaction, and the one read still %s", step, tx, err,
			payments.EventScheduled)
	}
	return step.Payout, step.Transactions[0], step.Records
}

func TestID(t *testing.T) {
	t.Parallel()
	ids := map[string]string{}
	for name, id := range map[string]string{
		"this":             payout.ID(tenantOf, "EUR", payoutDay, payout.Regular),
		"another tenant":   payout.ID("L#MC0A1B2C3D", "EUR", payoutDay, payout.Regular),
		"another currency": payout.ID(tenantOf, "USD", payoutDay, payout.Regular),
		"another day":      payout.ID(tenantOf, "EUR", "2026-11-04", payout.Regular),
		"on demand":        payout.ID(tenantOf, "EUR", payoutDay, payout.OnDemand("regular")),
	} {
		if other, twice := ids[id]; twice || len(id) != 32 {
			t.Errorf("%s: got id %s, as of %q, want 32 characters and an id of its own", name, id, other)
		}
		ids[id] = name
	}
	want := payout.ID(tenantOf, "EUR", payoutDay, payout.Regular)
	if p := openPayout(); p.ID != want || len(p.Reference()) > 35 {
		t.Errorf("got payout %s, reference %q, want %s, at most 35 characters", p.ID, p.Reference(), want)
	}
}

func TestCollect_Parts(t *testing.T) {
	t.Parallel()
	p, tx, records := collectedPayout(t, 3)
	want := openPayout()
	want.Total, want.Records, want.UpdatedAt = eur("88.20"), 3, after(2*time.Hour)
	want.NextPoll = after(2*time.Hour + 15*time.Minute)
	if diff := diff(want, p); diff != "" {
		t.Errorf("payout (-want +got):\n%s", diff)
	}
	before := capture(t, 3)
	wantTx := *before.Transaction
	var wantRecords []payout.Record
	numbers := map[int64]bool{}
	for i, payable := range before.Payables {
		part := &wantTx.Payouts[i]
		part.Status, part.PayoutID, part.Day = payments.EventReconciled, p.ID, payoutDay
		wantRecords = append(wantRecords, payout.Record{PayoutID: p.ID, Day: payoutDay, Reference: p.Reference(),
			Status: payout.RecordOpen, TransactionAt: before.Transaction.CreatedAt, Payable: payable})
		n := records[i].NumericID()
		if n < 0 || n >= 1<<53 || numbers[n] {
			t.Errorf("record %d: got number %d, want one of its own of 53 bits", i, n)
		}
		numbers[n] = true
	}
	if diff := diff(wantTx, tx); diff != "" {
		t.Errorf("transaction (-want +got):\n%s", diff)
	}
	if diff := diff(wantRecords, records); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

// TestCollect_PayableMismatch checks payables that differ from their transaction. Both are written together, so they
// differ only if one of them changed between two reads.
func TestCollect_PayableMismatch(t *testing.T) {
	t.Parallel()
	change := capture(t, 1)
	for name, spoil := range map[string]func(*payments.Transaction, *payments.Payable){
		"another amount": func(_ *payments.Transaction, payable *payments.Payable) { payable.Amount = eur("88.19") },
		"another part":   func(_ *payments.Transaction, payable *payments.Payable) { payable.Seq = 2 },
		"taken": func(tx *payments.Transaction, _ *payments.Payable) {
			tx.Payouts[0].Status = payments.EventReconciled
		},
		"no transaction": func(tx *payments.Transaction, _ *payments.Payable) { tx.ID = "another" },
		"refunded between": func(tx *payments.Transaction, _ *payments.Payable) {
			cent := eur("0.01")
			*tx = chargeback(t, *tx, "cb", &cent).Transaction
		},
	} {
		tx, payable := *change.Transaction, change.Payables[0]
		tx.Payouts = append([]payments.PayoutPart(nil), tx.Payouts...)
		spoil(&tx, &payable)
		_, err := openPayout().Collect([]payments.Payable{payable}, map[string]payments.Transaction{tx.ID: tx},
			after(2*time.Hour))
		if !errors.Is(err, payments.ErrPayableMismatch) {
			t.Errorf("%s: got error %v, want %v", name, err, payments.ErrPayableMismatch)
		}
	}
	if got := change.Transaction.Payouts[0].Status; got != payments.EventScheduled {
		t.Errorf("the transaction read: got a part that is %s, want %s", got, payments.EventScheduled)
	}
}

// TestCollect_NegativeTotal checks that the step that makes a total negative also carries the total forward. So in
// every written state, a negative total is carried forward by exactly one payable.
func TestCollect_NegativeTotal(t *testing.T) {
	t.Parallel()
	p := openPayout()
	waiting := map[string]payments.Payable{} // amounts carried forward so far
	for i, step := range []struct{ taken, carried string }{
		{"1", ""}, {"-0.99", ""}, {"-0.01", ""}, {"-0.01", "-0.01"}, {"-5", "-5.01"}, {"4", "-1.01"}, {"1.01", ""},
		{"-2", "-2.00"}, {"3", ""},
	} {
		payable := payments.Payable{ID: fmt.Sprint("payable ", i), Kind: payments.PayableRefundDeduction,
			Amount: eur(step.taken), Fee: eur("0")}
		c, err := p.Collect([]payments.Payable{payable}, nil, after(2*time.Hour))
		if err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		collected := []payments.Payable{payable}
		for _, carried := range waiting { // the amounts that the previous step carried forward
			collected = append(collected, carried)
		}
		if diff := diff(collected, c.Payables); diff != "" {
			t.Errorf("step %d: collected payables (-want +got):\n%s", i, diff)
		}
		records := []payout.Record{{PayoutID: p.ID, Day: p.Day, Reference: p.Reference(), Status: payout.RecordOpen,
			Payable: payable}}
		if diff := diff(records, c.Records); diff != "" {
			t.Errorf("step %d: records (-want +got):\n%s", i, diff)
		}
		if c.Payout.Status != payout.Collecting || c.Payout.Records != i+1 {
			t.Errorf("step %d: got %s with %d records, want %s with %d", i, c.Payout.Status, c.Payout.Records,
				payout.Collecting, i+1)
		}
		var want *payments.Payable
		if step.carried != "" {
			want = &payments.Payable{Kind: payments.PayableBalanceDeduction, Amount: eur(step.carried), Fee: eur("0"),
				EligibleAt: p.Cutoff}
			if c.CarriedForward != nil {
				want.ID = c.CarriedForward.ID
			}
		}
		if diff := diff(want, c.CarriedForward); diff != "" {
			t.Errorf("step %d: carried forward (-want +got):\n%s", i, diff)
		}
		before := waiting
		if waiting = map[string]payments.Payable{}; c.CarriedForward != nil {
			if _, twice := before[c.CarriedForward.ID]; twice {
				t.Errorf("step %d: got %s carried forward again, want an id of its own", i, c.CarriedForward.ID)
			}
			waiting[c.CarriedForward.ID] = *c.CarriedForward
		}
		p = c.Payout
	}
}

func TestSeal(t *testing.T) {
	t.Parallel()
	for total, want := range map[string]payout.Status{"0.01": payout.Sealed, "0": payout.Paying, "-0.01": payout.Paying} {
		p := openPayout()
		p.Total = eur(total)
		step := p.Seal(after(2 * time.Hour))
		if step.Payout.Status != want || step.Entry != nil {
			t.Errorf("%s: got %s with the entry %+v, want %s with none", total, step.Payout.Status, step.Entry, want)
		}
	}
}

func TestStep_Entries(t *testing.T) {
	t.Parallel()
	p, _, _ := collectedPayout(t, 3)
	now := after(3 * time.Hour)
	sent := p.Seal(now).Payout.Send(account, now)
	for name, c := range map[string]struct {
		step   payout.Step
		status payout.Status
		reason string
		kind   ledger.Kind
		debit  ledger.Account
		credit ledger.Account
	}{
		"sent": {sent, payout.Sent, "", ledger.Payout, ledger.MerchantPayable, ledger.PayoutsInTransit},
		"paid": {sent.Payout.Paid(now), payout.Paying, "", ledger.PayoutPaid, ledger.PayoutsInTransit, ledger.Bank},
		"returned": {sent.Payout.Rejected("AC04", now), payout.Returning, "AC04", ledger.PayoutReturned,
			ledger.PayoutsInTransit, ledger.MerchantPayable},
	} {
		want := payout.Step{Payout: p, Entry: &ledger.Entry{ID: p.ID, Kind: c.kind, About: ledger.OfPayout(p.ID), At: now,
			Postings: []ledger.Posting{{Account: c.debit, Amount: eur("88.20")},
				{Account: c.credit, Amount: eur("-88.20")}}}}
		want.Payout.Status, want.Payout.Reason, want.Payout.To = c.status, c.reason, account
		want.Payout.UpdatedAt, want.Payout.NextPoll = now, now.Add(15*time.Minute)
		if diff := diff(want, c.step); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestScheduleNextPoll checks the polls of a payout that waits for an account or an answer. The gaps are a quarter of
// an hour, half an hour, and then an hour, until the payout's status changes.
func TestScheduleNextPoll(t *testing.T) {
	t.Parallel()
	p, now := openPayout(), start
	for i, want := range []time.Duration{15 * time.Minute, 30 * time.Minute, time.Hour, time.Hour, time.Hour} {
		var changed bool
		if p, changed = p.ScheduleNextPoll(now); !changed || p.DueAt().Sub(now) != want {
			t.Errorf("poll %d: got it after %s, changed %t, want %s, true", i, p.DueAt().Sub(now), changed, want)
		}
		early, changed := p.ScheduleNextPoll(p.NextPoll.Add(-1))
		if diff := diff(p, early); changed || diff != "" {
			t.Errorf("poll %d, early: got changed %t, want false; payout (-want +got):\n%s", i, changed, diff)
		}
		now = p.NextPoll
	}
	p.Total = eur("1")
	if p = p.Send(account, now).Payout; p.Polls != 0 {
		t.Errorf("after a step: got %d polls, want 0", p.Polls)
	}
	for status, final := range map[payout.Status]bool{payout.Collecting: false, payout.Sealed: false, payout.Sent: false,
		payout.Paying: false, payout.Returning: false, payout.Paid: true, payout.Failed: true} {
		p.Status = status
		if got := p.DueAt(); got.IsZero() != final {
			t.Errorf("%s: got wake at %s, want never: %t", status, got, final)
		}
	}
}
