package store_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
	"github.com/cashwrap/cashwrap/shared/store"
)

// later is the cut-off of payouts in these tests. It is after all other times.
var later = start.AddDate(0, 6, 0)

// openPayout opens a payout of all waiting payables.
func openPayout(t *testing.T, s *store.Store, id string) payout.Payout {
	t.Helper()
	if err := s.CreatePayout(t.Context(), tenant, payout.New(id, "EUR", "2027-05-02", later, later)); err != nil {
		t.Fatal(err)
	}
	p, err := s.Payout(t.Context(), tenant, id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const (
	onePayout     = "0123456789abcdef0123456789abcdef"
	anotherPayout = "fedcba9876543210fedcba9876543210"
)

// collectionOf returns the step of the payout that takes the payables.
func collectionOf(t *testing.T, s *store.Store, p payout.Payout, payables []payments.Payable) payout.Collection {
	t.Helper()
	transactions, err := s.TransactionsOf(t.Context(), tenant, payables)
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.Collect(payables, transactions, later)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func readPayables(t *testing.T, s *store.Store) []payments.Payable {
	t.Helper()
	payables, err := s.Payables(t.Context(), tenant, 1, 0, "EUR", later, 100)
	if err != nil {
		t.Fatal(err)
	}
	return payables
}

// wantPayout checks the stored payout.
func wantPayout(t *testing.T, s *store.Store, id string, status payout.Status, total string, records int) {
	t.Helper()
	p, err := s.Payout(t.Context(), tenant, id)
	if err != nil || p.Status != status || p.Total != eur(total) || p.Records != records {
		t.Errorf("got %+v, %v; want %s %s, %d records", p, err, status, total, records)
	}
}

// TestCollectPayout_TakenPayable checks that a payable goes into one payout, also a debit, which no transaction guards.
func TestCollectPayout_TakenPayable(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	tx := pay(t, s, tenant, "order-1", "attempt-1")
	apply(t, s, beginRefund(t, tx, "operation", "10.10", false))
	apply(t, s, decide(t, readTx(t, s, tx.ID), tx.RefundID("operation"), payments.Approved, start.Add(2*time.Hour)))
	one, another := openPayout(t, s, onePayout), openPayout(t, s, anotherPayout)
	payables := readPayables(t, s)
	if len(payables) != 3 || payables[0].Kind != payments.PayablePart ||
		payables[2].Kind != payments.PayableRefundDeduction {
		t.Fatalf("got payables %+v, want three, a part first and a refund's deduction last", payables)
	}
	for _, some := range [][]payments.Payable{payables[:2], payables[2:]} {
		c, late := collectionOf(t, s, one, some), collectionOf(t, s, another, some)
		var err error
		if one, err = s.CollectPayout(t.Context(), tenant, c); err != nil {
			t.Fatal(err)
		}
		if _, err := s.CollectPayout(t.Context(), tenant, late); !errors.Is(err, store.ErrStale) {
			t.Errorf("%s, taken again: got error %v, want ErrStale", some[0].Kind, err)
		}
	}
	wantPayout(t, s, onePayout, payout.Collecting, "-0.20", 3)
	wantPayout(t, s, anotherPayout, payout.Collecting, "0", 0)
	// The negative balance is payable at once, so that refunds never count on it.
	left, err := s.Payables(t.Context(), tenant, 1, 0, "EUR", later.Add(time.Hour), 100)
	if err != nil || len(left) != 1 || left[0].Kind != payments.PayableBalanceDeduction ||
		left[0].Amount != eur("-0.20") || !left[0].EligibleAt.Equal(later) {
		t.Errorf("got %+v, %v left, want a balance deduction of -0.20 at %s", left, err, later)
	}
}

// TestPayoutSteps_Stale checks that a step changes nothing if its state was read before another step.
func TestPayoutSteps_Stale(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	pay(t, s, tenant, "order-1", "attempt-1")
	to := merchant.BankAccount{IBAN: "DE17100100100000005678"}
	p := openPayout(t, s, onePayout)
	payables := readPayables(t, s)
	empty := p.Seal(later)
	p, err := s.CollectPayout(t.Context(), tenant, collectionOf(t, s, p, payables[:1]))
	if err != nil {
		t.Fatal(err)
	}
	second := collectionOf(t, s, p, payables[1:])
	steps := []func() (payout.Payout, error){
		func() (payout.Payout, error) { return s.CollectPayout(t.Context(), tenant, second) },
		func() (payout.Payout, error) { return s.StepPayout(t.Context(), tenant, p.Seal(later)) },
		func() (payout.Payout, error) { return s.StepPayout(t.Context(), tenant, p.Send(to, later)) },
		func() (payout.Payout, error) { return s.StepPayout(t.Context(), tenant, p.Paid(later)) },
		func() (payout.Payout, error) { return s.ApplyPayoutOutcome(t.Context(), tenant, outcomeStep(t, s, p)) },
		func() (payout.Payout, error) { return s.ApplyPayoutOutcome(t.Context(), tenant, outcomeStep(t, s, p)) },
	}
	for i, step := range steps {
		if _, err = s.StepPayout(t.Context(), tenant, empty); !errors.Is(err, store.ErrStale) {
			t.Errorf("sealed before step %d: got error %v, want ErrStale", i, err)
		}
		before := p
		if p, err = step(); err != nil {
			t.Fatalf("step %d: got error %v, want none", i, err)
		}
		stored, readErr := s.Payout(t.Context(), tenant, p.ID)
		if diff := cmp.Diff(p, stored, storedtest.Options); readErr != nil || diff != "" {
			t.Errorf("after step %d: got error %v, want none; stored (-want +got):\n%s", i, readErr, diff)
		}
		now := p
		p = before
		if _, err = step(); !errors.Is(err, store.ErrStale) {
			t.Errorf("step %d, taken again: got error %v, want ErrStale", i, err)
		}
		p = now
	}
	wantPayout(t, s, onePayout, payout.Paid, "9.90", 2)
	entries, err := s.Entries(t.Context(), tenant, ledger.OfPayout(onePayout))
	if err != nil || len(entries) != 2 {
		t.Errorf("got %d entries, %v, want 2", len(entries), err)
	}
}

// TestPayoutSteps_Repeated checks that a step from the payout's current version does not repeat an earlier write. A
// payout is opened once. A record is written once, and gets its outcome once. A deduction is settled once. An entry is
// posted once, and a payable is added once.
func TestPayoutSteps_Repeated(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	tx := pay(t, s, tenant, "order-1", "attempt-1")
	apply(t, s, beginRefund(t, tx, "operation", "10.10", false))
	apply(t, s, decide(t, readTx(t, s, tx.ID), tx.RefundID("operation"), payments.Approved, start.Add(2*time.Hour)))
	p := openPayout(t, s, onePayout)
	taken := collectionOf(t, s, p, readPayables(t, s))
	p, err := s.CollectPayout(t.Context(), tenant, taken)
	if err != nil {
		t.Fatal(err)
	}
	openPayout(t, s, onePayout) // opened again
	wantPayout(t, s, onePayout, payout.Collecting, "-0.20", 3)
	refuse := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, store.ErrStale) {
			t.Errorf("%s: got error %v, want ErrStale", what, err)
		}
	}
	_, err = s.CollectPayout(t.Context(), tenant, payout.Collection{Payout: p, Records: taken.Records})
	refuse("a record taken again", err)
	_, err = s.CollectPayout(t.Context(), tenant, payout.Collection{Payout: p, CarriedForward: taken.CarriedForward})
	refuse("a payable that waits already", err)
	step := p.Seal(later)
	step.Entry = p.Send(merchant.BankAccount{}, later).Entry
	if p, err = s.StepPayout(t.Context(), tenant, step); err != nil {
		t.Fatal(err)
	}
	_, err = s.StepPayout(t.Context(), tenant, payout.Step{Payout: p, Entry: step.Entry})
	refuse("an entry posted again", err)
	r := readTx(t, s, tx.ID)
	deduction := r.Events[len(r.Events)-1]
	deduction.Status = payments.EventSuccessful
	first := payout.OutcomeStep{Payout: p, Records: markSuccessful(taken.Records[:1]), Events: []payments.Event{deduction}}
	if p, err = s.ApplyPayoutOutcome(t.Context(), tenant, first); err != nil {
		t.Fatal(err)
	}
	for what, again := range map[string]payout.OutcomeStep{
		"an outcome again":          {Records: markSuccessful(taken.Records[:1])},
		"a deduction settled again": {Records: markSuccessful(taken.Records[1:2]), Events: first.Events},
		"a payable that waits again": {Records: markSuccessful(taken.Records[1:2]),
			Payables: []payments.Payable{*taken.CarriedForward}},
	} {
		again.Payout = p
		_, err := s.ApplyPayoutOutcome(t.Context(), tenant, again)
		refuse(what, err)
	}
}

// markSuccessful returns the records of a paid payout.
func markSuccessful(records []payout.Record) []payout.Record {
	records = slices.Clone(records)
	for i := range records {
		records[i].Status = payout.RecordSuccessful
	}
	return records
}

// outcomeStep returns the step that applies the outcome to all remaining records.
func outcomeStep(t *testing.T, s *store.Store, p payout.Payout) payout.OutcomeStep {
	t.Helper()
	records, err := s.RecordsWithoutOutcome(t.Context(), tenant, p, 100)
	if err != nil {
		t.Fatal(err)
	}
	payables := make([]payments.Payable, len(records))
	for i, r := range records {
		payables[i] = r.Payable
	}
	transactions, err := s.TransactionsOf(t.Context(), tenant, payables)
	if err != nil {
		t.Fatal(err)
	}
	for id, tx := range transactions { // in the state before the outcome was applied, so that it can be applied again
		for i := range tx.Payouts {
			tx.Payouts[i].Status = payments.EventReconciled
		}
		transactions[id] = tx
	}
	step, err := p.ApplyOutcome(records, transactions, nil, later)
	if err != nil {
		t.Fatal(err)
	}
	return step
}

// TestRecordsWithoutOutcome_Order checks the order of records. The tenth part comes before the second.
func TestRecordsWithoutOutcome_Order(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	p := openPayout(t, s, onePayout)
	var payables []payments.Payable
	for _, id := range []string{"a#1", "a#10", "a#11", "a#2", "a", "b", "carried#a"} {
		payables = append(payables, payments.Payable{ID: id, Kind: payments.PayableBalanceDeduction, Amount: eur("-1"),
			Fee: eur("0"), EligibleAt: start})
	}
	for _, payable := range payables {
		c := payout.Collection{Payout: p, CarriedForward: &payable}
		var err error
		if p, err = s.CollectPayout(t.Context(), tenant, c); err != nil {
			t.Fatal(err)
		}
	}
	p, err := s.CollectPayout(t.Context(), tenant, collectionOf(t, s, p, readPayables(t, s)))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for range len(payables) {
		next, err := s.RecordsWithoutOutcome(t.Context(), tenant, p, 1)
		if err != nil || len(next) != 1 || seen[next[0].ID] {
			t.Fatalf("after %s: got %+v, %v, want one that did not come before", p.OutcomeAppliedTo, next, err)
		}
		seen[next[0].ID], p.OutcomeAppliedTo = true, next[0].ID
	}
	if next, err := s.RecordsWithoutOutcome(t.Context(), tenant, p, 1); err != nil || len(next) != 0 {
		t.Errorf("after all: got %+v, %v, want none", next, err)
	}
}

// TestOpenPayout_TwiceFromOneSchedule checks that a period is opened once, together with its schedule, or not at all.
func TestOpenPayout_TwiceFromOneSchedule(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	if _, err := s.PayoutSchedule(t.Context(), tenant); !failure.Is(err, failure.KindNotFound) {
		t.Errorf("before there is one: got error %v, want KindNotFound", err)
	}
	if err := s.OpenPayout(t.Context(), tenant, merchant.PayoutSchedule{NextAt: later}, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.OpenPayout(t.Context(), tenant, merchant.PayoutSchedule{NextAt: later}, nil); !errors.Is(err,
		store.ErrStale) {
		t.Errorf("a second first one: got error %v, want ErrStale", err)
	}
	schedule, err := s.PayoutSchedule(t.Context(), tenant)
	if err != nil || schedule.Version != 1 || !schedule.NextAt.Equal(later) {
		t.Fatalf("got %+v, %v, want version 1 at %s", schedule, err, later)
	}
	one, another := payout.New(onePayout, "EUR", "2027-05-02", later, later),
		payout.New(anotherPayout, "EUR", "2027-05-03", later, later)
	if err = s.OpenPayout(t.Context(), tenant, schedule, &one); err != nil {
		t.Fatal(err)
	}
	if err = s.OpenPayout(t.Context(), tenant, schedule, &another); !errors.Is(err, store.ErrStale) {
		t.Errorf("by a schedule that has moved on: got error %v, want ErrStale", err)
	}
	if schedule, err = s.PayoutSchedule(t.Context(), tenant); err != nil || schedule.Version != 2 {
		t.Fatalf("got %+v, %v, want version 2", schedule, err)
	}
	if err := s.OpenPayout(t.Context(), tenant, schedule, &one); !failure.Is(err, failure.KindConflict) {
		t.Errorf("the same period again: got error %v, want KindConflict", err)
	}
	if after, err := s.PayoutSchedule(t.Context(), tenant); err != nil || after.Version != 2 {
		t.Errorf("then got %+v, %v, want version 2", after, err)
	}
	if _, err := s.Payout(t.Context(), tenant, anotherPayout); !failure.Is(err, failure.KindNotFound) {
		t.Errorf("the other period: got error %v, want KindNotFound", err)
	}
}
