package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/store"
)

// correction returns the entry of a correction of the settlement s1.
func correction(id, amount string) ledger.Entry {
	return *ledger.MustEntry(id, ledger.SettlementCorrected, ledger.OfSettlement("s1", "EUR"), start,
		ledger.Posting{Account: ledger.AcquirerDifferences, Amount: eur(amount)},
		ledger.Posting{Account: ledger.AcquirerReceivable, Amount: eur(amount).Neg()})
}

var storedCorrections = map[string]stored{
	"CorrectSettlement": {
		write: func(w fixture) []storedtest.Read {
			e := storedtest.Fill(w, w.Filler, func(e *ledger.Entry) {
				e.About = ledger.Reference{Subject: ledger.SubjectSettlement, ID: "s"}
			})
			w.must(w.CorrectSettlement(w.Context(), w.actor(), w.tenant, e, map[string]string{"amount": "1"}))
			type read struct {
				Entries []ledger.Entry
				Open    []store.ProvenSubject
				Listed  []store.ListedTenant
			}
			want := read{[]ledger.Entry{e}, []store.ProvenSubject{{Tenant: w.tenant, ID: "s", Open: true, Reopened: 1,
				ReopenedAt: w.clock.Now()}},
				[]store.ListedTenant{{Tenant: w.tenant}}}
			return []storedtest.Read{w.audited(w.tenant.Merchant), storedtest.Expect("the entry and its subject", want,
				func(ctx context.Context) (r read, err error) {
					var errs [3]error
					r.Entries, errs[0] = w.Entries(ctx, w.tenant, e.About)
					r.Open, errs[1] = collect(w.OpenSubjects(ctx, w.tenant, ""))
					r.Listed, errs[2] = w.listed(ctx)
					return r, errors.Join(errs[:]...)
				})}
		},
	},
}

// TestCorrectSettlement_Repeated checks that a correction is recorded and audited once, and that the same id with
// another amount is refused. A repeat reopens the settlement, because the first call may have ended without an answer.
func TestCorrectSettlement_Repeated(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	audited := func() int {
		t.Helper()
		all, err := collect(s.AuditEntries(t.Context(), tenant.Merchant, time.Time{}, forever, ""))
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	for range 2 {
		if err := s.CorrectSettlement(t.Context(), byTest, tenant, correction("c", "1"), nil); err != nil {
			t.Fatal(err)
		}
	}
	err := s.CorrectSettlement(t.Context(), byTest, tenant, correction("c", "2"), nil)
	if !failure.Is(err, failure.KindConflict) {
		t.Errorf("got error %v for another amount, want a conflict", err)
	}
	other := correction("c", "1")
	other.About = ledger.OfSettlement("s2", "EUR")
	err = s.CorrectSettlement(t.Context(), byTest, tenant, other, nil)
	if !failure.Is(err, failure.KindConflict) {
		t.Errorf("got error %v for another settlement, want a conflict", err)
	}
	if err = s.CorrectSettlement(t.Context(), byTest, tenant, correction("d", "2"), nil); err != nil {
		t.Fatal(err)
	}
	got, err := s.Entries(t.Context(), tenant, ledger.OfSettlement("s1", "EUR"))
	want := []ledger.Entry{correction("c", "1"), correction("d", "2")}
	open, openErr := collect(s.OpenSubjects(t.Context(), tenant, ""))
	if openErr != nil || len(open) != 1 || open[0].Reopened != 3 {
		t.Errorf("got %+v, error %v; want the settlement reopened 3 times", open, openErr)
	}
	if diff := cmp.Diff(want, got, storedtest.Options); err != nil || diff != "" || audited() != 2 {
		t.Errorf("got error %v, %d audit entries, want 2 (-want +got):\n%s", err, audited(), diff)
	}
}
