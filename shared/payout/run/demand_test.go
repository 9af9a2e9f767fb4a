package run_test

import (
	"testing"
	"time"
)

// TestAnOperationOnDemandIsOnePayout: repeated, it returns the same one, also when nothing is payable any more and on
// another day.
func TestAnOperationOnDemandIsOnePayout(t *testing.T) {
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

// TestSettingsChangedAcrossACutoff: a cut-off during a change of the account is planned, not skipped.
func TestSettingsChangedAcrossACutoff(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.pay(1)
	h.to("2026-11-20T23:59:59Z")
	h.set(func(s *terms) {
		h.Advance(2 * time.Second)
		s.To.IBAN = "DE88100100100000003333"
	})
	h.want("the day's", h.planned(), "2026-11-21")
}
