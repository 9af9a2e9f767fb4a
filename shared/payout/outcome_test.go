package payout_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
)

// applyOutcome applies the payout's outcome to the records.
func applyOutcome(t testing.TB, p payout.Payout, tx payments.Transaction, records []payout.Record,
	events map[string]payments.Event) payout.OutcomeStep {
	t.Helper()
	before := slices.Clone(tx.Payouts)
	step, err := p.ApplyOutcome(records, map[string]payments.Transaction{tx.ID: tx}, events, after(4*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if diff := diff(before, tx.Payouts); diff != "" {
		t.Fatalf("the transaction read was altered (-want +got):\n%s", diff)
	}
	return step
}

// withOutcomeUpTo returns the payout as if its outcome had been applied to all records up to the given record, which is
// included.
func withOutcomeUpTo(p payout.Payout, to string) payout.Payout {
	p.OutcomeAppliedTo, p.UpdatedAt, p.NextPoll = to, after(4*time.Hour), after(4*time.Hour+15*time.Minute)
	p.ChangedAt = after(4 * time.Hour)
	return p
}

func TestApplyOutcome_Paid(t *testing.T) {
	t.Parallel()
	p, tx, records := collectedPayout(t, 3)
	p.Status = payout.Paying
	wantTx, wantRecords := tx, slices.Clone(records)
	wantTx.Payouts, wantTx.UpdatedAt = slices.Clone(tx.Payouts), after(4*time.Hour)
	for i := range records {
		wantRecords[i].Status = payout.RecordSuccessful
	}

	first := applyOutcome(t, p, tx, records[:2], nil)
	wantTx.Payouts[0].Status, wantTx.Payouts[1].Status = payments.EventPaidOut, payments.EventPaidOut
	want := payout.OutcomeStep{Payout: withOutcomeUpTo(p, records[1].ID), Records: wantRecords[:2],
		Transactions: []payments.Transaction{wantTx}}
	if diff := diff(want, first); diff != "" {
		t.Errorf("first step (-want +got):\n%s", diff)
	}
	if got := first.Transactions[0].SimpleStatus(); got != payments.SimpleSuccessful {
		t.Errorf("after the first step: got simple status %s, want %s", got, payments.SimpleSuccessful)
	}

	second := applyOutcome(t, first.Payout, first.Transactions[0], records[2:], nil)
	wantTx.Payouts = slices.Clone(wantTx.Payouts)
	wantTx.Payouts[2].Status = payments.EventPaidOut
	want = payout.OutcomeStep{Payout: withOutcomeUpTo(p, records[2].ID), Records: wantRecords[2:],
		Transactions: []payments.Transaction{wantTx}}
	if diff := diff(want, second); diff != "" {
		t.Errorf("second step (-want +got):\n%s", diff)
	}
	if got := second.Transactions[0].SimpleStatus(); got != payments.SimplePaidOut {
		t.Errorf("after the second step: got simple status %s, want %s", got, payments.SimplePaidOut)
	}
	last := applyOutcome(t, second.Payout, second.Transactions[0], nil, nil)
	want = payout.OutcomeStep{Payout: second.Payout}
	want.Payout.Status = payout.Paid
	if diff := diff(want, last); diff != "" {
		t.Errorf("last step (-want +got):\n%s", diff)
	}
}

// TestApplyOutcome_ChangedAt checks that ChangedAt is the latest time at which the payout changed a transaction,
// although the clock of the next step's process may be behind.
func TestApplyOutcome_ChangedAt(t *testing.T) {
	t.Parallel()
	p, tx, records := collectedPayout(t, 2)
	for before, want := range map[time.Time]time.Time{after(5 * time.Hour): after(5 * time.Hour),
		after(3 * time.Hour): after(4 * time.Hour)} {
		p.Status, p.ChangedAt = payout.Paying, before
		step := applyOutcome(t, p, tx, records, nil)
		if got := step.Payout.ChangedAt; !got.Equal(want) {
			t.Errorf("changed at %s: got %s after a step at %s, want %s", before, got, step.Payout.UpdatedAt, want)
		}
	}
}

// TestApplyOutcome_Returned checks that a returned payout makes a part's event FAILED and adds a new SCHEDULED event
// for the next cycle (contract §6.5).
func TestApplyOutcome_Returned(t *testing.T) {
	t.Parallel()
	p, tx, records := collectedPayout(t, 3)
	p.Status = payout.Returning
	step := applyOutcome(t, p, tx, records, nil)

	want := payout.OutcomeStep{Payout: withOutcomeUpTo(p, records[2].ID), Transactions: []payments.Transaction{tx}}
	wantTx := &want.Transactions[0]
	wantTx.Payouts, wantTx.UpdatedAt = slices.Clone(tx.Payouts), after(4*time.Hour)
	for i, record := range records {
		record.Status = payout.RecordFailed
		want.Records = append(want.Records, record)
		again := tx.Payouts[i]
		again.Seq, again.Status, again.EligibleAt = 4+i, payments.EventScheduled, after(4*time.Hour)
		again.PayoutID, again.Day = "", ""
		wantTx.Payouts[i].Status = payments.EventFailed
		wantTx.Payouts = append(wantTx.Payouts, again)
		payable := record.Payable
		payable.ID, payable.Seq, payable.EligibleAt = fmt.Sprintf("%s#%d", tx.ID, 4+i), 4+i, after(4*time.Hour)
		want.Payables = append(want.Payables, payable)
	}
	if diff := diff(want, step); diff != "" {
		t.Fatalf("step (-want +got):\n%s", diff)
	}
	tx = step.Transactions[0]
	if total, received := tx.PayoutsTotal(), tx.PayoutsReceived(); total != 3 || received != 0 {
		t.Errorf("got %d of %d payouts received, want 0 of 3", received, total)
	}
	if last := applyOutcome(t, step.Payout, tx, nil, nil); last.Payout.Status != payout.Failed {
		t.Errorf("the payout at the end: got %s, want %s", last.Payout.Status, payout.Failed)
	}

	// The next payout collects the parts again, because a transaction whose payout failed once can still be paid out.
	next := payout.New(payout.ID(tenantOf, "EUR", "2026-11-04", payout.Regular), "EUR", "2026-11-04",
		after(24*time.Hour), after(24*time.Hour))
	collection, err := next.Collect(step.Payables, map[string]payments.Transaction{tx.ID: tx}, after(25*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if got := collection.Payout.Total; got != eur("88.20") {
		t.Fatalf("the next payout: got %s, want 88.20", got)
	}
	collection.Payout.Status = payout.Paying
	tx = applyOutcome(t, collection.Payout, collection.Transactions[0], collection.Records, nil).Transactions[0]
	if tx.SimpleStatus() != payments.SimplePaidOut || tx.PayoutsReceived() != 3 {
		t.Errorf("got %s, %d payouts received, want %s, 3", tx.SimpleStatus(), tx.PayoutsReceived(), payments.SimplePaidOut)
	}
}

func TestApplyOutcome_Deduction(t *testing.T) {
	t.Parallel()
	tx := *capture(t, 1).Transaction
	tx.Payouts[0].Status = payments.EventPaidOut
	amount := eur("30")
	change := chargeback(t, tx, "cb", &amount)
	payable, event := change.Payables[0], change.Events[1]
	carried := payments.Payable{ID: "carried#x", Kind: payments.PayableBalanceDeduction, Amount: eur("-5"),
		Fee: eur("0"), EligibleAt: start}
	collection, err := openPayout().Collect([]payments.Payable{payable, carried}, nil, after(2*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if collection.Payout.Total != eur("-35") || len(collection.Transactions) != 0 {
		t.Fatalf("got total %s, transactions %+v, want -35.00 and none", collection.Payout.Total, collection.Transactions)
	}
	events := map[string]payments.Event{event.ID: event}
	records := func(status payout.RecordStatus) (all []payout.Record) {
		for _, r := range collection.Records {
			r.Status = status
			all = append(all, r)
		}
		return all
	}
	paid, returned := collection.Payout, collection.Payout
	paid.Status, returned.Status = payout.Paying, payout.Returning
	settled := event
	settled.Status, settled.UpdatedAt = payments.EventSuccessful, after(4*time.Hour)
	want := payout.OutcomeStep{Payout: withOutcomeUpTo(paid, carried.ID), Records: records(payout.RecordSuccessful),
		Events: []payments.Event{settled}}
	want.Payout.ChangedAt = time.Time{} // no transaction has changed
	if diff := diff(want, applyOutcome(t, paid, tx, collection.Records, events)); diff != "" {
		t.Errorf("paid (-want +got):\n%s", diff)
	}
	payable.EligibleAt, carried.EligibleAt = after(4*time.Hour), after(4*time.Hour)
	want = payout.OutcomeStep{Payout: withOutcomeUpTo(returned, carried.ID), Records: records(payout.RecordFailed),
		Payables: []payments.Payable{payable, carried}}
	want.Payout.ChangedAt = time.Time{}
	if diff := diff(want, applyOutcome(t, returned, tx, collection.Records, events)); diff != "" {
		t.Errorf("returned (-want +got):\n%s", diff)
	}
}

func TestApplyOutcome_PayableMismatch(t *testing.T) {
	t.Parallel()
	p, tx, records := collectedPayout(t, 1)
	p.Status = payout.Paying
	for name, part := range map[string]payments.PayoutPart{
		"another payout's": {Seq: 1, Status: payments.EventReconciled, PayoutID: "another"},
		"already applied":  {Seq: 1, Status: payments.EventPaidOut, PayoutID: p.ID},
		"another part":     {Seq: 2, Status: payments.EventReconciled, PayoutID: p.ID},
	} {
		tx.Payouts = []payments.PayoutPart{part}
		_, err := p.ApplyOutcome(records, map[string]payments.Transaction{tx.ID: tx}, nil, after(4*time.Hour))
		if !errors.Is(err, payments.ErrPayableMismatch) {
			t.Errorf("%s: got error %v, want %v", name, err, payments.ErrPayableMismatch)
		}
	}
}
