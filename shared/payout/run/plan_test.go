package run_test

import (
	"slices"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/payout"
	"github.com/cashwrap/cashwrap/shared/payout/run"
)

// setClock moves the clock to the given time.
func (h *fixture) setClock(at string) {
	h.Helper()
	moment, err := time.Parse(time.RFC3339, at)
	if err != nil {
		h.Fatal(err)
	}
	h.Advance(moment.Sub(h.Now()))
}

// planAndRun opens and runs the due payout. It returns the payout's day, or "" if no payout is due.
func (h *fixture) planAndRun() string {
	h.Helper()
	id := h.plan()
	if id == "" {
		return ""
	}
	p, err := h.Store.Payout(h.Context(), tenant, id)
	if err != nil {
		h.Fatal(err)
	}
	h.run(id)
	return p.Day
}

// TestPlan_TimeZones checks that periods end in the merchant's time zone. Each case has a payment and planning times.
func TestPlan_TimeZones(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		zone   string
		period merchant.PayoutPeriod
		paid   string
		plans  [][2]string // time of planning, and day of the payout
	}{
		"daily": {"Europe/Berlin", merchant.Daily, "2026-11-21T10:00:00Z",
			[][2]string{{"2026-11-21T22:59:59Z", ""}, {"2026-11-21T23:00:00Z", "2026-11-22"}, {"2026-11-22T23:00:00Z", ""}}},
		"weekly": {"Europe/Berlin", merchant.Weekly, "2026-11-21T10:00:00Z",
			[][2]string{{"2026-11-22T22:59:59Z", ""}, {"2026-11-22T23:00:00Z", "2026-11-23"}, {"2026-11-29T23:00:00Z", ""}}},
		"monthly": {"America/Sao_Paulo", merchant.Monthly, "2026-11-21T10:00:00Z",
			[][2]string{{"2026-12-01T02:59:59Z", ""}, {"2026-12-01T03:00:00Z", "2026-12-01"}, {"2027-01-01T03:00:00Z", ""}}},
		"clocks put forward": {"Europe/Berlin", merchant.Daily, "2027-03-28T10:00:00Z",
			[][2]string{{"2027-03-28T21:59:59Z", ""}, {"2027-03-28T22:00:00Z", "2027-03-29"}}},
		"no midnight": {"America/Santiago", merchant.Daily, "2027-09-04T10:00:00Z",
			[][2]string{{"2027-09-05T03:59:59Z", ""}, {"2027-09-05T04:00:00Z", "2027-09-05"}}},
		"ticks that were late": {"UTC", merchant.Daily, "2026-11-21T10:00:00Z",
			[][2]string{{"2026-11-25T12:00:00Z", "2026-11-25"}, {"2026-11-25T12:00:01Z", ""}}},
	} {
		h := newFixture(t)
		h.setClock(test.paid)
		h.setTerms(func(s *terms) { s.TimeZone, s.Settings.Period = test.zone, test.period })
		h.pay(1)
		for _, plan := range test.plans {
			h.setClock(plan[0])
			h.want(name+" at "+plan[0], h.planAndRun(), plan[1])
			h.want(name+", doubled", h.planAndRun(), "")
		}
	}
}

// TestPlan_MerchantNotPayable checks that Plan opens no payout for a merchant that cannot be paid. A later payout then
// pays all payables.
func TestPlan_MerchantNotPayable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]func(*terms, bool){
		"unverified": func(s *terms, able bool) {
			s.To.Status = map[bool]merchant.BankAccountStatus{true: merchant.BankAccountVerified,
				false: merchant.BankAccountRejected}[able]
		},
		"no account": func(s *terms, able bool) {
			s.To.IBAN = map[bool]string{true: "DE17100100100000005678"}[able]
		},
		"held":      func(s *terms, able bool) { s.Held = !able },
		"on demand": func(s *terms, able bool) { s.Settings.OnDemand = !able },
	} {
		h := newFixture(t)
		h.setTerms(func(s *terms) { c(s, false) })
		for range 3 {
			h.pay(1)
			h.Advance(day)
			h.want(name, h.plan(), "")
		}
		h.setTerms(func(s *terms) { c(s, true) })
		h.Advance(day)
		h.want(name+", then not", h.run(h.plan()), "PAID 30.30 3")
	}
}

// TestOpenOnDemand_AllPayables checks that each operation's payout pays all payables of the moment, regardless of the
// settings. No payable is paid twice.
func TestOpenOnDemand_AllPayables(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.setTerms(func(s *terms) { s.Settings.OnDemand = true })
	demand := func(operation string) string {
		t.Helper()
		planned, waits, err := h.OpenOnDemand(t.Context(), tenant, operation)
		if err != nil {
			t.Fatal(err)
		}
		if !waits {
			return ""
		}
		return planned.ID
	}
	h.want("nothing", demand("a"), "")
	h.pay(1)
	h.Advance(time.Second)
	first := demand("a")
	h.want("the first", h.run(first), "PAID 10.10 1")
	h.pay(1)
	h.Advance(time.Second)
	h.want("repeated", demand("a"), first)
	h.want("repeated", h.run(first), "PAID 10.10 1")
	h.want("the second", h.run(demand("regular")), "PAID 10.10 1")
	h.setTerms(func(s *terms) { s.Settings.OnDemand = false })
	h.pay(1)
	h.Advance(day)
	h.want("the regular one", h.run(h.plan()), "PAID 10.10 1")
	other := identity.Tenant{Mode: identity.Test, Merchant: tenant.Merchant}
	if _, _, err := h.OpenOnDemand(t.Context(), other, "a"); !failure.Is(err, failure.KindNotFound) {
		t.Errorf("without an account: got %v, want it not found", err)
	}
}

// TestPlan_OnlyCarriedBalance checks that a carried balance alone opens no payout. Otherwise each payout would carry
// the same balance forward again.
func TestPlan_OnlyCarriedBalance(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	tx := h.pay(1)
	h.Advance(day)
	h.run(h.plan())
	h.chargeback(tx, "10.10")
	h.Advance(day)
	h.want("the debit", h.run(h.plan()), "PAID -10.10 1")
	h.Advance(day)
	h.want("carried", h.plan(), "")
	h.pay(1)
	h.Advance(day)
	h.want("covered", h.run(h.plan()), "PAID 0.00 2")
	if len(h.requests) != 1 {
		t.Errorf("requests: got %+v, want one", h.requests)
	}
}

// TestChangeMerchant_PeriodEnded checks that the old settings apply to a period that has ended before the change.
func TestChangeMerchant_PeriodEnded(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.pay(1)
	h.Advance(day)
	s := h.setTerms(func(s *terms) { s.Settings.Period = merchant.Monthly })
	if want := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC); !s.NextAt.Equal(want) {
		t.Errorf("next: got %s, want %s", s.NextAt, want)
	}
	h.want("planned again", h.plan(), "")
	id := payout.ID(tenant.String(), "EUR", "2026-11-21", payout.Regular)
	h.want("payout", h.payoutState(id), "COLLECTING 0.00 0")
	// No message was sent for the payout; a later tick sends one.
	h.Advance(payout.RunsBy)
	if ran := h.walkShards(run.Walk{}); !slices.Equal(ran, []string{id}) {
		t.Errorf("ran: got %q, want %q alone", ran, id)
	}
	h.want("payout", h.run(id), "PAID 10.10 1")
}

// TestPlan_SameDayTwice checks that a day is paid only once when the merchant moves west and the day begins there a
// second time.
func TestPlan_SameDayTwice(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.setTerms(func(s *terms) { s.TimeZone = "Pacific/Auckland" })
	h.pay(1)
	h.setClock("2026-11-21T11:00:00Z") // the 22nd begins in the old zone
	h.want("there", h.planAndRun(), "2026-11-22")
	h.setTerms(func(s *terms) { s.TimeZone = "Pacific/Honolulu" })
	h.pay(1)
	h.setClock("2026-11-22T10:00:00Z") // the 22nd begins in the new zone
	h.want("here", h.planAndRun(), "")
	h.setClock("2026-11-23T10:00:00Z")
	h.want("the next day", h.planAndRun(), "2026-11-23")
}

// TestChangeMerchant_OtherFields checks that a change of other fields leaves the cut-off unchanged, because planning
// may have moved it ahead.
func TestChangeMerchant_OtherFields(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	ahead := h.setTerms(func(s *terms) { s.Settings.Period = merchant.Monthly })
	ahead.NextAt = ahead.NextAt.AddDate(0, 1, 0)
	if err := h.Store.OpenPayout(t.Context(), tenant, ahead.PayoutSchedule, nil); err != nil {
		t.Fatal(err)
	}
	rename := func(s merchant.State) (merchant.State, error) {
		s.Merchant.Name = "Laden"
		return s, nil
	}
	for _, wait := range []time.Duration{0, 70 * day} { // a change at once, and a change after the period has ended
		h.Advance(wait)
		if _, err := h.ChangeMerchant(t.Context(), byTest, tenant.Merchant, rename); err != nil {
			t.Fatal(err)
		}
		now, err := h.Store.PayoutSchedule(t.Context(), tenant)
		if err != nil || !now.NextAt.Equal(ahead.NextAt) || now.Version != ahead.Version+1 {
			t.Errorf("after %s: got %+v, %v, want next at %s, and version %d", wait, now, err, ahead.NextAt, ahead.Version+1)
		}
	}
}
