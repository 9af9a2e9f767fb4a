package file_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/bank/file"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// shopAccount returns an account that its merchant has added.
func shopAccount(id string) bank.Verification {
	return bank.Verification{Tenant: "L#MC1", Account: merchant.BankAccount{ID: id, Holder: "Corner Shop",
		IBAN: germanIBAN, Status: merchant.BankAccountPending}}
}

// mustVerify asks about the account and checks the verdict.
func (w *fixture) mustVerify(t *testing.T, id string, want merchant.BankAccountStatus) {
	t.Helper()
	if got, err := w.Verify(t.Context(), shopAccount(id)); err != nil || got != want {
		t.Fatalf("%s: got %s, %v, want %s", id, got, err, want)
	}
}

func (w *fixture) mustWait(t *testing.T, want ...string) {
	t.Helper()
	waiting, err := w.Asked(t.Context(), 1000)
	got := make([]string, len(waiting))
	for i, v := range waiting {
		got[i] = v.Account.ID
	}
	if diff := cmp.Diff(want, got); err != nil || len(want)+len(got) > 0 && diff != "" {
		t.Fatalf("waiting: %v (-want +got):\n%s", err, diff)
	}
}

func TestVerify_WaitsForAnswer(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for _, id := range []string{"b", "a"} {
		for range 2 {
			w.mustVerify(t, id, merchant.BankAccountPending)
		}
		w.Advance(time.Second)
	}
	w.mustWait(t, "b", "a")
	for id, verdict := range map[string]merchant.BankAccountStatus{"b": merchant.BankAccountVerified,
		"a": merchant.BankAccountRejected, "never asked about": merchant.BankAccountVerified} {
		for range 2 {
			if err := w.Decide(t.Context(), shopAccount(id), verdict); err != nil {
				t.Fatal(err)
			}
			w.mustVerify(t, id, verdict)
		}
	}
	w.mustWait(t)
	if err := w.Decide(t.Context(), shopAccount("a"), merchant.BankAccountVerified); !errors.Is(err, file.ErrDecided) {
		t.Errorf("another answer: got error %v, want ErrDecided", err)
	}
	w.mustVerify(t, "a", merchant.BankAccountRejected)
	if err := w.Decide(t.Context(), shopAccount("c"), merchant.BankAccountPending); failure.Of(err).Param != "outcome" {
		t.Errorf("no answer: got error %v, want one of the outcome", err)
	}
	for _, limit := range []int{0, 1001} {
		if _, err := w.Asked(t.Context(), limit); failure.Of(err).Param != "limit" {
			t.Errorf("limit %d: got error %v, want one of the limit", limit, err)
		}
	}
}

// TestDecide_ConcurrentAnswers checks that the first answer is final when two operators give different answers at the
// same moment.
func TestDecide_ConcurrentAnswers(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	verdicts := []merchant.BankAccountStatus{merchant.BankAccountVerified, merchant.BankAccountRejected}
	for i := range 20 {
		id := fmt.Sprint("a", i)
		errs := make([]error, 2)
		var both sync.WaitGroup
		for n, verdict := range verdicts {
			both.Go(func() { errs[n] = w.Decide(t.Context(), shopAccount(id), verdict) })
		}
		both.Wait()
		first := slices.Index(errs, nil)
		if first < 0 || !errors.Is(errs[1-first], file.ErrDecided) {
			t.Fatalf("%s: got %v, want one answer taken and ErrDecided", id, errs)
		}
		w.mustVerify(t, id, verdicts[first])
	}
	w.mustWait(t)
}

// TestDecide_Faults checks that an operator can repeat the same answer after any call failed or lost its reply.
func TestDecide_Faults(t *testing.T) {
	t.Parallel()
	for _, fault := range []faults.Fault{faults.FailBefore, faults.LoseReply} {
		for failing := range 5 {
			w := newFixture(t)
			calls := 0
			w.Wire.Inject(func(string) faults.Fault {
				if calls++; calls == failing+1 {
					return fault
				}
				return faults.None
			})
			err := w.Decide(t.Context(), shopAccount("a"), merchant.BankAccountVerified)
			w.Wire.Inject(faults.Times(0, "", fault))
			if again := w.Decide(t.Context(), shopAccount("a"), merchant.BankAccountVerified); again != nil {
				t.Errorf("%v of call %d: got error %v, then %v, want none", fault, failing, err, again)
			}
			w.mustVerify(t, "a", merchant.BankAccountVerified)
			w.mustWait(t)
		}
	}
}
