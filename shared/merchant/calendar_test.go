package merchant_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// TestPayoutDay checks contract §6.7 in the merchant's time zone: amounts that become payable within a period are paid
// out when it has ended.
func TestPayoutDay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, zone string
		settings   merchant.Settings
		eligible   string
		want       string
	}{
		{"nothing is set", "Europe/Berlin", merchant.Settings{}, "2026-11-20T12:00:00Z", "2026-11-21"},
		{"daily", "Europe/Berlin", merchant.Settings{Period: merchant.Daily}, "2026-11-20T22:59:59Z", "2026-11-21"},
		{"daily, at midnight", "Europe/Berlin", merchant.Settings{Period: merchant.Daily},
			"2026-11-20T23:00:00Z", "2026-11-22"},
		{"weekly", "Europe/Berlin", merchant.Settings{Period: merchant.Weekly}, "2026-11-20T12:00:00Z", "2026-11-23"},
		{"weekly, already Monday there", "Asia/Tokyo", merchant.Settings{Period: merchant.Weekly},
			"2026-11-22T15:00:00Z", "2026-11-30"},
		{"monthly", "UTC", merchant.Settings{Period: merchant.Monthly}, "2026-11-20T12:00:00Z", "2026-12-01"},
		{"monthly, still November there", "America/Sao_Paulo", merchant.Settings{Period: merchant.Monthly},
			"2026-12-01T02:59:59Z", "2026-12-01"},
		{"monthly, over New Year", "UTC", merchant.Settings{Period: merchant.Monthly},
			"2026-12-31T23:59:59Z", "2027-01-01"},
		{"on demand", "UTC", merchant.Settings{Period: merchant.Daily, OnDemand: true}, "2026-11-20T12:00:00Z", ""},
		// Chile puts its clocks forward at midnight. 2026-09-06 is a Sunday, and begins at 01:00, which is 04:00 UTC.
		{"the day before one without a midnight", "America/Santiago", merchant.Settings{Period: merchant.Daily},
			"2026-09-06T03:59:59Z", "2026-09-06"},
		{"a day before the moment that is none", "America/Santiago", merchant.Settings{Period: merchant.Daily},
			"2026-09-05T04:30:00Z", "2026-09-06"},
		{"the first moment of that", "America/Santiago", merchant.Settings{Period: merchant.Daily},
			"2026-09-06T04:00:00Z", "2026-09-07"},
		{"weekly, within that", "America/Santiago", merchant.Settings{Period: merchant.Weekly},
			"2026-09-06T04:00:00Z", "2026-09-07"},
	} {
		eligible, err := time.Parse(time.RFC3339, c.eligible)
		if err != nil {
			t.Fatal(err)
		}
		for _, mode := range []identity.Mode{identity.Live, identity.Test} {
			other := merchant.Settings{Period: merchant.Monthly, OnDemand: !c.settings.OnDemand}
			m := merchant.Merchant{TimeZone: c.zone, Settings: merchant.ByMode[merchant.Settings]{Live: other,
				Test: other}.With(mode, c.settings)}
			if got := m.Calendar(mode).PayoutDay(eligible); got != c.want {
				t.Errorf("%s, mode %s: got %q, want %q", c.name, mode, got, c.want)
			}
		}
	}
}

// TestPayoutDay_AnyTime checks, in every zone and at any time, that the payout on the PayoutDay includes the eligible
// amount. The previous payout must not include the amount.
func TestPayoutDay_AnyTime(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		where, err := time.LoadLocation(rapid.SampledFrom([]string{"UTC", "Europe/Berlin", "America/Santiago",
			"Asia/Beirut"}).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		s := merchant.Settings{Period: rapid.SampledFrom([]merchant.PayoutPeriod{"", merchant.Daily, merchant.Weekly,
			merchant.Monthly}).Draw(t, "period")}
		eligible := time.Unix(rapid.Int64Range(1_700_000_000, 1_900_000_000).Draw(t, "eligible"), 0)
		calendar := merchant.Calendar{Settings: s, Where: where}
		paid := calendar.NextCutoff(eligible)
		if day := calendar.PayoutDay(eligible); day != paid.Day || !eligible.Before(paid.At) {
			t.Fatalf("eligible %s: got payout day %s, want %s; its cutoff is %s, want it later", eligible, day, paid.Day,
				paid.At)
		}
		if before := calendar.LastCutoff(paid.At.Add(-time.Second)); eligible.Before(before.At) {
			t.Fatalf("eligible %s: got the cutoff before, of %s, at %s, want it no later", eligible, before.Day, before.At)
		}
	})
}
