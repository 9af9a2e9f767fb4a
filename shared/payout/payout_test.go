package payout_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
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

// opened is a payout of what became payable by an hour after the start.
func opened() payout.Payout {
	return payout.New(payout.ID(tenantOf, "EUR", payoutDay, payout.Regular), "EUR", payoutDay,
		after(time.Hour), after(time.Hour))
}

// collected is a payout with the payables of a payment in parts, all taken at once.
func collected(t testing.TB, parts int) (payout.Payout, payments.Transaction, []payout.Record) {
	t.Helper()
	change := captured(t, parts)
	tx := *change.Transaction
	step, err := opened().Collect(change.Payables, map[string]payments.Transaction{tx.ID: tx}, after(2*time.Hour))
	if err != nil || len(step.Transactions) != 1 || tx.Payouts[0].Status != payments.EventScheduled {
		t.Fatalf("%+v of %+v, %v", step, tx, err)
	}
	return step.Payout, step.Transactions[0], step.Records
}

func TestAPayoutsIDFollowsFromItsPeriod(t *testing.T) {
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
			t.Errorf("%s and %s: %s", name, other, id)
		}
		ids[id] = name
	}
	if p := opened(); p.ID != payout.ID(tenantOf, "EUR", payoutDay, payout.Regular) || len(p.Reference()) > 35 {
		t.Errorf("%s, %q", p.ID, p.Reference())
	}
}

func TestCollectingMovesRowsIntoThePayout(t *testing.T) {
	t.Parallel()
	p, tx, records := collected(t, 3)
	if p.Total != eur("88.20") || p.Records != 3 || p.Status != payout.Collecting ||
		!p.NextPoll.After(after(2*time.Hour)) {
		t.Errorf("%+v", p)
	}
	numbers := map[int64]bool{}
	for i, r := range records {
		part := tx.Payouts[i]
		if part.Status != payments.EventReconciled || part.PayoutID != p.ID || part.Day != payoutDay {
			t.Errorf("part %+v", part)
		}
		if r.PayoutID != p.ID || r.Day != payoutDay || r.Reference != p.Reference() || r.Status != payout.RecordOpen ||
			r.Amount != eur("29.40") || r.Fee != eur("0.60") || r.Code != tx.Code || r.Kind != payments.PayablePart {
			t.Errorf("record %+v", r)
		}
		if n := r.NumericID(); n < 0 || n >= 1<<53 || numbers[n] {
			t.Errorf("record number %d", n)
		}
		numbers[r.NumericID()] = true
	}
}

// A payable and its transaction are written together, so they can only differ when others changed them between two reads.
func TestARowThatDoesNotFitItsTransactionIsNotCollected(t *testing.T) {
	t.Parallel()
	change := captured(t, 1)
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
		_, err := opened().Collect([]payments.Payable{payable}, map[string]payments.Transaction{tx.ID: tx}, after(2*time.Hour))
		if !errors.Is(err, payments.ErrPayableMismatch) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if change.Transaction.Payouts[0].Status != payments.EventScheduled {
		t.Error("the transaction read was altered")
	}
}

// TestALackIsCarriedForwardAsItIsTaken: nothing that is written shows a payout that lacks something which waits nowhere, or
// twice.
func TestALackIsCarriedForwardAsItIsTaken(t *testing.T) {
	t.Parallel()
	p := opened()
	waiting := map[string]payments.Payable{} // what was carried forward
	for i, step := range []struct{ taken, carried string }{
		{"1", ""}, {"-0.99", ""}, {"-0.01", ""}, {"-0.01", "-0.01"}, {"-5", "-5.01"}, {"4", "-1.01"}, {"1.01", ""},
		{"-2", "-2.00"}, {"3", ""},
	} {
		payable := payments.Payable{ID: fmt.Sprint("payable ", i), Kind: payments.PayableRefundDeduction, Amount: eur(step.taken), Fee: eur("0")}
		c, err := p.Collect([]payments.Payable{payable}, nil, after(2*time.Hour))
		if err != nil || c.Payout.Status != payout.Collecting || c.Payout.Records != i+1 || c.Payables[0] != payable ||
			len(c.Records) != 1 {
			t.Fatalf("step %d: %+v, %v", i, c, err)
		}
		for _, gone := range c.Payables[1:] {
			if waiting[gone.ID] != gone {
				t.Errorf("step %d takes %+v, which does not wait", i, gone)
			}
			delete(waiting, gone.ID)
		}
		if u := c.CarriedForward; u != nil {
			if _, twice := waiting[u.ID]; twice || u.Kind != payments.PayableBalanceDeduction || !u.Fee.IsZero() ||
				!u.EligibleAt.Equal(p.Cutoff) || u.Code != "" {
				t.Errorf("step %d carries %+v", i, u)
			}
			waiting[u.ID] = *u
		}
		var carried []string
		for _, u := range waiting {
			carried = append(carried, u.Amount.String())
		}
		if got := strings.Join(carried, " and "); got != step.carried {
			t.Errorf("step %d: %q waits, want %q", i, got, step.carried)
		}
		p = c.Payout
	}
}

func TestSealing(t *testing.T) {
	t.Parallel()
	for total, want := range map[string]payout.Status{"0.01": payout.Sealed, "0": payout.Paying, "-0.01": payout.Paying} {
		p := opened()
		p.Total = eur(total)
		step := p.Seal(after(2 * time.Hour))
		if step.Payout.Status != want || step.Entry != nil {
			t.Errorf("%s: %+v", total, step)
		}
	}
}

func TestTheBooksOfAPayout(t *testing.T) {
	t.Parallel()
	p, _, _ := collected(t, 3)
	now := after(3 * time.Hour)
	sent := p.Seal(now).Payout.Send(account, now)
	for name, c := range map[string]struct {
		step   payout.Step
		status payout.Status
		kind   ledger.Kind
		debit  ledger.Account
		credit ledger.Account
	}{
		"sent": {sent, payout.Sent, ledger.Payout, ledger.MerchantPayable, ledger.PayoutsInTransit},
		"paid": {sent.Payout.Paid(now), payout.Paying, ledger.PayoutPaid, ledger.PayoutsInTransit, ledger.Bank},
		"returned": {sent.Payout.Rejected("AC04", now), payout.Returning, ledger.PayoutReturned, ledger.PayoutsInTransit,
			ledger.MerchantPayable},
	} {
		e := c.step.Entry
		if c.step.Payout.Status != c.status || e == nil || e.Kind != c.kind || e.ID != p.ID ||
			e.About != ledger.OfPayout(p.ID) || e.Check() != nil || len(e.Postings) != 2 {
			t.Errorf("%s: %+v, %+v", name, c.step.Payout, e)
			continue
		}
		if e.Postings[0] != (ledger.Posting{Account: c.debit, Amount: eur("88.20")}) ||
			e.Postings[1] != (ledger.Posting{Account: c.credit, Amount: eur("-88.20")}) {
			t.Errorf("%s: %+v", name, e.Postings)
		}
	}
	if got := sent.Payout.Rejected("AC04", now).Payout.Reason; got != "AC04" {
		t.Errorf("reason %q", got)
	}
}

// A payout without an account or an answer is looked at after a quarter of an hour, half an hour, then every hour, until it
// moves on.
func TestAWaitingPayoutIsLookedAtLessAndLessOften(t *testing.T) {
	t.Parallel()
	p, now := opened(), start
	for i, want := range []time.Duration{15 * time.Minute, 30 * time.Minute, time.Hour, time.Hour, time.Hour} {
		var changed bool
		if p, changed = p.ScheduleNextPoll(now); !changed || p.WakeAt().Sub(now) != want {
			t.Errorf("look %d after %s (%t), want %s", i, p.WakeAt().Sub(now), changed, want)
		}
		if early, changed := p.ScheduleNextPoll(p.NextPoll.Add(-1)); changed || early != p {
			t.Errorf("look %d, early: %+v", i, early)
		}
		now = p.NextPoll
	}
	p.Total = eur("1")
	if p = p.Send(account, now).Payout; p.Polls != 0 {
		t.Errorf("%d looks after a step", p.Polls)
	}
	for status, final := range map[payout.Status]bool{payout.Collecting: false, payout.Sealed: false, payout.Sent: false,
		payout.Paying: false, payout.Returning: false, payout.Paid: true, payout.Failed: true} {
		p.Status = status
		if p.WakeAt().IsZero() != final {
			t.Errorf("%s is woken at %s", status, p.WakeAt())
		}
	}
}

// told plays an outcome to the records, and answers the step.
func told(t testing.TB, p payout.Payout, tx payments.Transaction, records []payout.Record,
	events map[string]payments.Event) payout.OutcomeStep {
	t.Helper()
	before := slices.Clone(tx.Payouts)
	telling, err := p.ApplyOutcome(records, map[string]payments.Transaction{tx.ID: tx}, events, after(4*time.Hour))
	if err != nil || !slices.Equal(tx.Payouts, before) {
		t.Fatalf("%v, the transaction read is now %+v", err, tx)
	}
	return telling
}

func TestAPaidPayoutTellsItsTransactions(t *testing.T) {
	t.Parallel()
	p, tx, records := collected(t, 3)
	p.Status = payout.Paying
	first := told(t, p, tx, records[:2], nil)
	if first.Payout.Status != payout.Paying || first.Payout.OutcomeAppliedTo != records[1].ID || len(first.Payables) != 0 {
		t.Errorf("%+v", first)
	}
	tx = first.Transactions[0]
	if tx.PayoutsReceived() != 2 || tx.SimpleStatus() != payments.SimpleSuccessful ||
		!tx.UpdatedAt.Equal(after(4*time.Hour)) {
		t.Errorf("%+v", tx)
	}
	second := told(t, first.Payout, tx, records[2:], nil)
	if tx = second.Transactions[0]; tx.PayoutsReceived() != 3 || tx.SimpleStatus() != payments.SimplePaidOut {
		t.Errorf("%+v", tx)
	}
	for _, r := range append(first.Records, second.Records...) {
		if r.Status != payout.RecordSuccessful {
			t.Errorf("%+v", r)
		}
	}
	if last := told(t, second.Payout, tx, nil, nil); last.Payout.Status != payout.Paid {
		t.Errorf("%+v", last.Payout)
	}
}

// Contract §6.5: FAILED, and a new SCHEDULED one for the next cycle.
func TestAReturnedPayoutMakesItsPartsWaitAnew(t *testing.T) {
	t.Parallel()
	p, tx, records := collected(t, 3)
	p.Status = payout.Returning
	telling := told(t, p, tx, records, nil)
	tx = telling.Transactions[0]
	if len(tx.Payouts) != 6 || tx.PayoutsTotal() != 3 || tx.PayoutsReceived() != 0 || len(telling.Payables) != 3 {
		t.Fatalf("%+v, %+v", tx.Payouts, telling.Payables)
	}
	for i, payable := range telling.Payables {
		failed, again := tx.Payouts[i], tx.Payouts[3+i]
		if failed.Status != payments.EventFailed || failed.PayoutID != p.ID || telling.Records[i].Status != payout.RecordFailed {
			t.Errorf("%+v, %+v", failed, telling.Records[i])
		}
		if again.Status != payments.EventScheduled || again.Number != i+1 || again.Seq != 4+i ||
			again.PayoutID != "" || again.Day != "" ||
			!again.EligibleAt.Equal(after(4*time.Hour)) || again.Amount != failed.Amount || again.Fee != failed.Fee {
			t.Errorf("%+v", again)
		}
		if payable.Seq != again.Seq || payable.ID == records[i].ID || payable.Amount != records[i].Amount ||
			!payable.EligibleAt.Equal(again.EligibleAt) {
			t.Errorf("%+v", payable)
		}
	}
	if last := told(t, telling.Payout, tx, nil, nil); last.Payout.Status != payout.Failed {
		t.Errorf("%+v", last.Payout)
	}
	// The next payout takes them; a transaction whose payout failed once is paid out all the same.
	next := payout.New(payout.ID(tenantOf, "EUR", "2026-11-04", payout.Regular), "EUR", "2026-11-04",
		after(24*time.Hour), after(24*time.Hour))
	step, err := next.Collect(telling.Payables, map[string]payments.Transaction{tx.ID: tx}, after(25*time.Hour))
	if err != nil || step.Payout.Total != eur("88.20") {
		t.Fatalf("%+v, %v", step, err)
	}
	step.Payout.Status = payout.Paying
	if tx = told(t, step.Payout, step.Transactions[0], step.Records,
		nil).Transactions[0]; tx.SimpleStatus() != payments.SimplePaidOut || tx.PayoutsReceived() != 3 {
		t.Errorf("%s, %+v", tx.SimpleStatus(), tx.Payouts)
	}
}

func TestADeductionIsSettledOrWaitsAnew(t *testing.T) {
	t.Parallel()
	tx := *captured(t, 1).Transaction
	tx.Payouts[0].Status = payments.EventPaidOut
	amount := eur("30")
	change := chargeback(t, tx, "cb", &amount)
	payable, event := change.Payables[0], change.Events[1]
	carried := payments.Payable{ID: "carried#x", Kind: payments.PayableBalanceDeduction, Amount: eur("-5"),
		Fee: eur("0"), EligibleAt: start}
	step, err := opened().Collect([]payments.Payable{payable, carried}, nil, after(2*time.Hour))
	if err != nil || step.Payout.Total != eur("-35") || len(step.Transactions) != 0 {
		t.Fatalf("%+v, %v", step, err)
	}
	events := map[string]payments.Event{event.ID: event}
	paid, returned := step.Payout, step.Payout
	paid.Status, returned.Status = payout.Paying, payout.Returning
	telling := told(t, paid, tx, step.Records, events)
	if len(telling.Events) != 1 || telling.Events[0].Status != payments.EventSuccessful ||
		telling.Events[0].ID != event.ID ||
		!telling.Events[0].UpdatedAt.Equal(after(4*time.Hour)) || len(telling.Payables) != 0 {
		t.Errorf("paid: %+v", telling)
	}
	telling = told(t, returned, tx, step.Records, events)
	if len(telling.Events) != 0 || len(telling.Payables) != 2 {
		t.Fatalf("returned: %+v", telling)
	}
	for i, want := range []payments.Payable{payable, carried} {
		want.EligibleAt = after(4 * time.Hour)
		if telling.Payables[i] != want {
			t.Errorf("returned: %+v, want %+v", telling.Payables[i], want)
		}
	}
}

func TestARecordThatIsNotItsTransactionsIsNotTold(t *testing.T) {
	t.Parallel()
	p, tx, records := collected(t, 1)
	p.Status = payout.Paying
	for name, part := range map[string]payments.PayoutPart{
		"another payout's": {Seq: 1, Status: payments.EventReconciled, PayoutID: "another"},
		"told":             {Seq: 1, Status: payments.EventPaidOut, PayoutID: p.ID},
		"another part":     {Seq: 2, Status: payments.EventReconciled, PayoutID: p.ID},
	} {
		tx.Payouts = []payments.PayoutPart{part}
		_, err := p.ApplyOutcome(records, map[string]payments.Transaction{tx.ID: tx}, nil, after(4*time.Hour))
		if !errors.Is(err, payments.ErrPayableMismatch) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
