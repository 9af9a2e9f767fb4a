package merchant_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/merchant"
)

// TestCutoffs checks contract §6.7 in the merchant's time zone: cut-offs of daily payouts are on the next day, of
// weekly payouts on Monday, and of monthly payouts on the 1st.
func TestCutoffs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, zone string
		period     merchant.PayoutPeriod
		now        string
		last, next string // day and UTC time
	}{
		{"daily", "Europe/Berlin", merchant.Daily, "2026-11-21T10:00:00Z", "2026-11-21 2026-11-20T23:00:00Z",
			"2026-11-22 2026-11-21T23:00:00Z"},
		{"daily, already tomorrow there", "Europe/Berlin", merchant.Daily, "2026-11-21T23:00:00Z",
			"2026-11-22 2026-11-21T23:00:00Z", "2026-11-23 2026-11-22T23:00:00Z"},
		{"daily, still yesterday there", "America/Sao_Paulo", merchant.Daily, "2026-11-21T02:59:59Z",
			"2026-11-20 2026-11-20T03:00:00Z", "2026-11-21 2026-11-21T03:00:00Z"},
		{"weekly, on a Saturday", "Europe/Berlin", merchant.Weekly, "2026-11-21T10:00:00Z", "2026-11-16 2026-11-15T23:00:00Z",
			"2026-11-23 2026-11-22T23:00:00Z"},
		{"weekly, on a Sunday", "UTC", merchant.Weekly, "2026-11-22T23:59:59Z", "2026-11-16 2026-11-16T00:00:00Z",
			"2026-11-23 2026-11-23T00:00:00Z"},
		{"weekly, on a Monday", "UTC", merchant.Weekly, "2026-11-23T00:00:00Z", "2026-11-23 2026-11-23T00:00:00Z",
			"2026-11-30 2026-11-30T00:00:00Z"},
		{"monthly", "Europe/Warsaw", merchant.Monthly, "2026-12-31T22:59:59Z", "2026-12-01 2026-11-30T23:00:00Z",
			"2027-01-01 2026-12-31T23:00:00Z"},
		{"monthly, the first moment", "Europe/Warsaw", merchant.Monthly, "2026-12-31T23:00:00Z",
			"2027-01-01 2026-12-31T23:00:00Z", "2027-02-01 2027-01-31T23:00:00Z"},
		{"clocks put back in the night before", "Europe/Berlin", merchant.Daily, "2026-10-25T12:00:00Z",
			"2026-10-25 2026-10-24T22:00:00Z", "2026-10-26 2026-10-25T23:00:00Z"},
		// Chile puts its clocks forward at midnight, so 2026-09-06 begins at 01:00.
		{"no midnight", "America/Santiago", merchant.Daily, "2026-09-05T12:00:00Z", "2026-09-05 2026-09-05T04:00:00Z",
			"2026-09-06 2026-09-06T04:00:00Z"},
	} {
		where, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		calendar := merchant.Calendar{Settings: merchant.Settings{Period: c.period}, Where: where}
		if got := show(calendar.LastCutoff(now)); got != c.last {
			t.Errorf("%s: got last cutoff %s, want %s", c.name, got, c.last)
		}
		if got := show(calendar.NextCutoff(now)); got != c.next {
			t.Errorf("%s: got next cutoff %s, want %s", c.name, got, c.next)
		}
	}
}

func show(c merchant.Cutoff) string { return c.Day + " " + c.At.Format(time.RFC3339) }

// TestCutoffs_AnyTime checks, at any time and in any zone, that the last cut-off is not after now and that the next
// cut-off is after now. No third cut-off lies between them, and a day has only one cut-off.
func TestCutoffs_AnyTime(t *testing.T) {
	t.Parallel()
	zones := []string{"UTC", "Europe/Berlin", "Europe/London", "America/Santiago", "America/Sao_Paulo", "America/New_York",
		"Pacific/Apia", "Asia/Kathmandu", "Africa/Cairo", "Asia/Beirut", "America/Havana"}
	rapid.Check(t, func(t *rapid.T) {
		zone := rapid.SampledFrom(zones).Draw(t, "zone")
		where, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		calendar := merchant.Calendar{Where: where, Settings: merchant.Settings{
			Period: rapid.SampledFrom([]merchant.PayoutPeriod{merchant.Daily, merchant.Weekly, merchant.Monthly}).Draw(t,
				"period")}}
		now := time.Unix(rapid.Int64Range(1_500_000_000, 2_000_000_000).Draw(t, "now"), 0).UTC()
		last, next := calendar.LastCutoff(now), calendar.NextCutoff(now)
		if last.At.After(now) || !next.At.After(now) || last.Day >= next.Day {
			t.Fatalf("at %s: got last cutoff %v and next %v, want now between them and a later day", now, last, next)
		}
		if again := calendar.NextCutoff(last.At); again != next {
			t.Fatalf("the cutoff after %v: got %v, want %v", last, again, next)
		}
		if again := calendar.LastCutoff(next.At.Add(-time.Second)); again != last {
			t.Fatalf("the cutoff before %v: got %v, want %v", next, again, last)
		}
		if got := next.At.In(where).Format(time.DateOnly); got != next.Day {
			t.Fatalf("cutoff at %s: got day %s, want %s", next.At, next.Day, got)
		}
	})
}
