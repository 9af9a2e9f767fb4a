package run_test

import (
	"testing"
	"time"
)

// TestOpenOnDemand_Repeated checks that a repeated operation returns the same payout, even on another day when nothing
// is payable.
func TestOpenOnDemand_Repeated(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.pay(1)
	h.Advance(time.Second)
	demand := func() string {
		t.Helper()
		planned, opened, err := h.OpenOnDemand(t.Context(), tenant, "operation")
		if err != nil || !opened {
			t.Fatalf("opened: got %t, %v, want true", opened, err)
		}
		return planned.ID
	}
	first := demand()
	h.want("the first", h.run(first), "PAID 10.10 1")
	h.want("repeated when nothing waits", demand(), first)
	h.pay(1)
	h.Advance(day)
	h.want("repeated on another day", demand(), first)
	h.want("the first", h.run(first), "PAID 10.10 1")
}

// TestChangeMerchant_AcrossCutoff checks a cut-off that comes during a change of the account. The cut-off is planned
// and not skipped.
func TestChangeMerchant_AcrossCutoff(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.pay(1)
	h.setClock("2026-11-20T23:59:59Z")
	h.setTerms(func(s *terms) {
		h.Advance(2 * time.Second)
		s.To.IBAN = "DE88100100100000003333"
	})
	h.want("the day's", h.planAndRun(), "2026-11-21")
}
