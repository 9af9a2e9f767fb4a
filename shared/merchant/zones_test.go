package merchant_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/merchant"
)

// zones has zones whose clocks change at or about midnight, in either half of the year, and zones far from UTC.
var zones = []string{"UTC", "Europe/Berlin", "Europe/London", "Atlantic/Azores", "America/Santiago",
	"America/Sao_Paulo", "America/Bogota",
	"America/New_York", "America/Havana", "America/Asuncion", "America/Nuuk", "America/Scoresbysund",
	"America/St_Johns", "Africa/Cairo",
	"Africa/Casablanca", "Asia/Amman", "Asia/Beirut", "Asia/Damascus", "Asia/Gaza", "Asia/Tehran", "Asia/Kathmandu",
	"Australia/Lord_Howe",
	"Pacific/Auckland", "Pacific/Chatham", "Pacific/Kiritimati", "Pacific/Niue"}

// TestCutoffs_EveryDayOfManyYears checks the cut-offs of each zone and period from 2015 to 2040. Each cut-off is the
// first moment of its day, and no day is missing or occurs twice.
func TestCutoffs_EveryDayOfManyYears(t *testing.T) {
	t.Parallel()
	first, last := time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, zone := range zones {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			where, err := time.LoadLocation(zone)
			if err != nil {
				t.Fatal(err)
			}
			daily := merchant.Calendar{Settings: merchant.Settings{Period: merchant.Daily}, Where: where}
			day := first
			for cutoff := daily.NextCutoff(first.Add(-36 * time.Hour)); day.Before(last); cutoff = daily.NextCutoff(cutoff.At) {
				if cutoff.Day < first.Format(time.DateOnly) {
					continue
				}
				if want := day.Format(time.DateOnly); cutoff.Day != want {
					t.Fatalf("the cutoff after %s: got %s, want %s", day.AddDate(0, 0, -1).Format(time.DateOnly), cutoff.Day, want)
				}
				checkFirstMoment(t, cutoff, where)
				checkPeriods(t, cutoff, day, where)
				day = day.AddDate(0, 0, 1)
			}
		})
	}
}

// checkFirstMoment checks that the cut-off is on its day in the zone, and that the moment before it is on another day.
func checkFirstMoment(t *testing.T, c merchant.Cutoff, where *time.Location) {
	t.Helper()
	now, before := c.At.In(where).Format(time.DateOnly), c.At.Add(-time.Microsecond).In(where).Format(time.DateOnly)
	if now != c.Day || before >= c.Day {
		t.Fatalf("cutoff at %s: got %s then and %s just before, want %s and an earlier day", c.At, now, before, c.Day)
	}
}

// checkPeriods checks that a day's cut-off is also the cut-off of a week or month if the week or month begins on that
// day, and otherwise is not.
func checkPeriods(t *testing.T, c merchant.Cutoff, day time.Time, where *time.Location) {
	t.Helper()
	for period, begins := range map[merchant.PayoutPeriod]bool{merchant.Weekly: day.Weekday() == time.Monday,
		merchant.Monthly: day.Day() == 1} {
		calendar := merchant.Calendar{Settings: merchant.Settings{Period: period}, Where: where}
		next, last := calendar.NextCutoff(c.At.Add(-time.Microsecond)), calendar.LastCutoff(c.At)
		if (next == c) != begins || (last == c) != begins {
			t.Fatalf("%s at %s: got next %v and last %v, want both to be %v: %t", period, c.Day, next, last, c, begins)
		}
	}
}
