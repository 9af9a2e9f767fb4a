package file_test

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/counterpartytest"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/bank/file"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/money"
)

func TestTransfer_Repeated(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	other := transfer("p")
	other.Amount, other.To.IBAN = money.MustParse("99", "EUR"), "nonsense"
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() {
			if o, err := w.Transfer(t.Context(), transfer("p")); err != nil || o != accepted {
				t.Errorf("got %+v, %v, want %+v", o, err, accepted)
			}
		})
	}
	group.Wait()
	w.mustTransfer(t, other, accepted)
	found, err := w.Waiting(t.Context(), "EUR", 1000)
	if err != nil || !slices.Equal(found, []bank.Transfer{transfer("p")}) {
		t.Errorf("got %+v, %v, want only %+v", found, err, transfer("p"))
	}
}

func TestWaiting(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for i := 5; i > 0; i-- {
		w.Advance(time.Second)
		w.accept(t, fmt.Sprint("p", i))
	}
	w.mustTransfer(t, transferTo("reais", "BRL"), accepted)
	if ids := w.waitingIDs(t, "EUR"); !slices.Equal(ids, []string{"p5", "p4", "p3", "p2", "p1"}) {
		t.Errorf("got %v waiting, want p5, p4, p3, p2, p1", ids)
	}
	if ids := w.waitingIDs(t, "BRL"); !slices.Equal(ids, []string{"reais"}) {
		t.Errorf("got %v waiting, want reais", ids)
	}
	if ids := w.waitingIDs(t, "USD"); len(ids) != 0 {
		t.Errorf("got %v waiting, want none", ids)
	}
	if found, err := w.Waiting(t.Context(), "EUR", 2); err != nil || len(found) != 2 || found[1].ID != "p4" {
		t.Errorf("got %+v, %v, want two, the second p4", found, err)
	}
	for _, limit := range []int{-1, 0, 1001} {
		if _, err := w.Waiting(t.Context(), "EUR", limit); !failure.Is(err, failure.KindInvalid) {
			t.Errorf("limit %d: got error %v, want KindInvalid", limit, err)
		}
	}
}

func TestTransfer_InvalidRequest(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for _, id := range []string{"", "-p", "p p", "p/1", "pé", "p123456789012345678901234567890123456"} {
		if _, err := w.Transfer(t.Context(), transfer(id)); !errors.Is(err, bank.ErrNotTaken) {
			t.Errorf("id %q: got error %v, want ErrNotTaken", id, err)
		}
	}
	for _, amount := range []string{"0", "-1"} {
		o := transfer("p")
		o.Amount = money.MustParse(amount, "EUR")
		if _, err := w.Transfer(t.Context(), o); !errors.Is(err, bank.ErrNotTaken) {
			t.Errorf("amount %s: got error %v, want ErrNotTaken", amount, err)
		}
	}
	w.accept(t, "p", "p1234567890123456789012345678901234")
}

func TestTransfer_InvalidAccount(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for i, c := range []struct{ iban, number, bank, bic, reason string }{
		{iban: "DE00100100100000005678", reason: "AC01"},
		{iban: "de17100100100000005678", reason: "AC01"},
		{reason: "AC01"},
		{bank: "001", reason: "AC01"},
		{number: "1<2", bank: "001", reason: "AC01"},
		{number: "12345678901234567890123456789012345", bank: "001", reason: "AC01"},
		{number: "12", reason: "RC01"},
		{number: "12", bic: "BANK", reason: "RC01"},
		{number: "12", bank: " 1", reason: "RC01"},
		{number: "12", bank: "001"},
		{number: "12", bic: "BANKDEFF"},
		{iban: brazilianIBAN, bic: "not needed"},
	} {
		o := transfer(fmt.Sprint("p", i))
		o.To.IBAN, o.To.AccountNumber, o.To.BankCode, o.To.BIC = c.iban, c.number, c.bank, c.bic
		want := accepted
		if c.reason != "" {
			want = rejected(c.reason)
		}
		w.mustTransfer(t, o, want)
		o.To = transfer("p").To
		w.mustTransfer(t, o, want)
		if listed := slices.Contains(w.waitingIDs(t, "EUR"), o.ID); listed != (c.reason == "") {
			t.Errorf("%+v: got waiting %t, want %t", c, listed, c.reason == "")
		}
	}
}

func TestSettle_Final(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.accept(t, "good", "bad")
	w.export(t, request("f", "good", "bad"), "good", "bad")
	w.mustTransfer(t, transfer("good"), accepted)
	for range 2 {
		w.mustSettle(t, "good", paid)
		w.mustSettle(t, "bad", rejected("AC04"))
	}
	for id, others := range map[string][]bank.Outcome{
		"good": {rejected("AC04")}, "bad": {paid, rejected("AC01")},
	} {
		for _, other := range others {
			if err := w.Settle(t.Context(), id, other); !errors.Is(err, file.ErrSettled) {
				t.Errorf("%s, then %+v: got error %v, want ErrSettled", id, other, err)
			}
		}
	}
	w.Bank = w.restart()
	w.mustTransfer(t, transfer("good"), paid)
	w.mustTransfer(t, transfer("bad"), rejected("AC04"))
}

func TestSettle_NotExported(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.accept(t, "p", "cancelled")
	if err := w.Settle(t.Context(), "p", paid); !errors.Is(err, file.ErrNotExported) {
		t.Errorf("got error %v, want ErrNotExported", err)
	}
	w.mustSettle(t, "cancelled", rejected("NARR"))
	if ids := w.waitingIDs(t, "EUR"); !slices.Equal(ids, []string{"p"}) {
		t.Errorf("got %v waiting, want p", ids)
	}
	w.mustTransfer(t, transfer("cancelled"), rejected("NARR"))
	w.export(t, request("f", "cancelled", "p"), "p")
}

func TestSettle_InvalidOutcome(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.accept(t, "p")
	w.export(t, request("f", "p"), "p")
	for _, outcome := range []bank.Outcome{{}, accepted, {State: "lost"}, {State: bank.Paid, Reason: "AC01"}, rejected(""),
		rejected("closed"), rejected("AC012")} {
		if err := w.Settle(t.Context(), "p", outcome); !failure.Is(err, failure.KindInvalid) {
			t.Errorf("%+v: got error %v, want KindInvalid", outcome, err)
		}
	}
	if err := w.Settle(t.Context(), "never requested", paid); !errors.Is(err, bank.ErrUnknownTransfer) {
		t.Errorf("got error %v, want ErrUnknownTransfer", err)
	}
	w.mustTransfer(t, transfer("p"), accepted)
}

func TestSettle_TwoOutcomesConcurrently(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for i := range 8 {
		id := fmt.Sprint("p", i)
		w.accept(t, id)
		w.export(t, request("f"+id, id), id)
		outcomes, errs := []bank.Outcome{paid, rejected("AC04")}, make([]error, 2)
		var group sync.WaitGroup
		for i, outcome := range outcomes {
			group.Go(func() { errs[i] = w.Settle(t.Context(), id, outcome) })
		}
		group.Wait()
		if (errs[0] == nil) == (errs[1] == nil) {
			t.Fatalf("%s: got errors %v, want one", id, errs)
		}
		winner := slices.Index(errs, nil)
		if !errors.Is(errs[1-winner], file.ErrSettled) {
			t.Errorf("got errors %v, want one, ErrSettled", errs)
		}
		w.mustTransfer(t, transfer(id), outcomes[winner])
	}
}

// readStatement returns the statement's lines since the time, in order.
func (w *fixture) readStatement(t *testing.T, since time.Time) []bank.StatementLine {
	t.Helper()
	var lines []bank.StatementLine
	for b, err := range w.Statement(t.Context(), since) {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, b)
	}
	return lines
}

func TestStatement(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	if lines := w.readStatement(t, time.Time{}); len(lines) != 0 {
		t.Errorf("got lines %v, want none", lines)
	}
	w.accept(t, "a", "b", "c", "waits")
	w.export(t, request("f", "a", "b", "c"), "a", "b", "c")
	var want []bank.StatementLine
	for _, id := range []string{"c", "a"} {
		w.Advance(time.Minute)
		w.mustSettle(t, id, paid)
		want = append(want, bank.StatementLine{LineID: w.Now().Format("2006-01-02T15:04:05.000000Z") + "#" + id, ID: id,
			Tenant: "L#MC1", Amount: money.MustParse("10", "EUR"), At: w.Now()})
		w.Advance(time.Minute)
		w.mustSettle(t, id, paid)
	}
	w.mustSettle(t, "b", rejected("AC04"))
	if got := w.readStatement(t, time.Time{}); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for i, line := range want {
		if got := w.readStatement(t, line.At); !slices.Equal(got, want[i:]) {
			t.Errorf("since %s: got %+v, want %+v", line.At, got, want[i:])
		}
	}
	for _, err := range w.Statement(t.Context(), time.Time{}) { // a caller may end a walk early
		if err != nil {
			t.Errorf("got error %v, want none", err)
		}
		break
	}
}

func TestStatement_SeveralPages(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	const settled = 14
	for i := range settled { // transfers of 200 KB, so that a page has six
		o := transfer(fmt.Sprintf("p%02d", i))
		o.Tenant = string(slices.Repeat([]byte("x"), 200_000))
		w.mustTransfer(t, o, accepted)
		w.export(t, request(o.ID, o.ID), o.ID)
		w.mustSettle(t, o.ID, paid)
	}
	counterpartytest.WalkPages(t, w.Wire, "Query", settled, func() iter.Seq2[bank.StatementLine, error] {
		return w.Statement(t.Context(), time.Time{})
	})
}
