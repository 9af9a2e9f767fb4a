package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
	"github.com/cashwrap/cashwrap/shared/store"
)

// large is a long text. Six items with this text fill a page of a query (1 MB).
var large = strings.Repeat("x", 150_000)

// storePayout stores a payout of the day with n large records of an amount. If applied is true, the outcome is applied
// to the records.
func storePayout(t *testing.T, s *store.Store, day string, n int, amount string, applied bool) {
	t.Helper()
	id := payout.ID(tenant.String(), "EUR", day, "test")
	if err := s.CreatePayout(t.Context(), tenant, payout.New(id, "EUR", day, later, later)); err != nil {
		t.Fatal(err)
	}
	p, err := s.Payout(t.Context(), tenant, id)
	for i := range n {
		payable := payments.Payable{ID: fmt.Sprintf("%s-%02d", day, i), Kind: payments.PayableBalanceDeduction, Code: large,
			Amount: eur(amount), Fee: eur("0"), EligibleAt: start}
		if err == nil {
			p, err = s.CollectPayout(t.Context(), tenant, payout.Collection{Payout: p, CarriedForward: &payable})
		}
		if err == nil {
			p, err = s.CollectPayout(t.Context(), tenant, collectionOf(t, s, p, []payments.Payable{payable}))
		}
	}
	if err == nil {
		p, err = s.StepPayout(t.Context(), tenant, p.Seal(later))
	}
	for range n {
		if applied && err == nil {
			p, err = s.ApplyPayoutOutcome(t.Context(), tenant, nextOutcomeStep(t, s, p))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// nextOutcomeStep returns the step that applies the outcome to the next record alone.
func nextOutcomeStep(t *testing.T, s *store.Store, p payout.Payout) payout.OutcomeStep {
	t.Helper()
	next, err := s.RecordsWithoutOutcome(t.Context(), tenant, p, 1)
	if err != nil {
		t.Fatal(err)
	}
	step, err := p.ApplyOutcome(next, nil, nil, later)
	if err != nil {
		t.Fatal(err)
	}
	return step
}

// TestPayoutRecords_OverPages checks lists that take several pages of a query. Some pages have no record to list: all
// their records belong to a payout without an outcome, or have the amount 0.
func TestPayoutRecords_OverPages(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	storePayout(t, s, "2027-05-01", 3, "-1", true)
	storePayout(t, s, "2027-05-02", 14, "-1", false)
	storePayout(t, s, "2027-05-03", 8, "-0.01", true)
	storePayout(t, s, "2027-05-04", 7, "0", true)
	var all []string
	for day, n := range map[string]int{"2027-05-01": 3, "2027-05-03": 8} {
		for i := range n {
			all = append(all, fmt.Sprintf("%s-%02d", day, i))
		}
	}
	slices.Sort(all)
	for _, c := range []struct {
		first, last string
		newestFirst bool
		limit       int
		want        []string
	}{
		{"2027-05-01", "2027-05-03", false, 9999, all},
		{"2027-05-01", "2027-05-03", false, 4, all[:4]},
		{"2027-05-01", "2027-05-03", false, 11, all},
		{"2027-05-01", "2027-05-02", true, 9999, all[:3]},
		{"2027-05-02", "2027-05-02", false, 1, nil},
		{"2027-05-02", "2027-05-03", false, 1, all[3:4]},
		{"2027-05-02", "2027-05-31", false, 9999, all[3:]},
		{"2026-05-02", "2027-04-30", false, 9999, nil},
		{"2027-05-04", "2028-01-01", true, 9999, nil},
		{"2027-05-03", "2027-05-04", true, 1, all[10:]},
	} {
		records, err := s.PayoutRecords(t.Context(), tenant, c.first, c.last, c.newestFirst, c.limit)
		var got []string
		for _, r := range records {
			got = append(got, r.ID)
		}
		if c.newestFirst {
			slices.Reverse(got)
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s to %s, newest first %t, %d: got %q, %v; want %q",
				c.first, c.last, c.newestFirst, c.limit, got, err, c.want)
		}
	}
	newest, err := s.PayoutRecords(t.Context(), tenant, "2027-05-01", "2027-05-03", true, 9)
	if err != nil || len(newest) != 9 || newest[0].ID != "2027-05-03-07" || newest[8].ID != "2027-05-01-02" {
		t.Errorf("got %+v, %v, want nine, from 2027-05-03-07 to 2027-05-01-02", newest, err)
	}
}
