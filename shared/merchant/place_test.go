package merchant_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/merchant"
)

func TestLocation(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 7, 1, 23, 30, 0, 0, time.UTC)
	for zone, want := range map[string]string{
		"": "2026-07-01T23:30:00Z", "UTC": "2026-07-01T23:30:00Z", "Europe/Berlin": "2026-07-02T01:30:00+02:00",
		"America/Sao_Paulo": "2026-07-01T20:30:00-03:00", "Mars/Olympus": "2026-07-01T23:30:00Z",
	} {
		m := merchant.Merchant{TimeZone: zone}
		first, again := m.Location(), m.Location()
		if got := at.In(first).Format(time.RFC3339); got != want || again != first {
			t.Errorf("%s: got %s in %v, then %v, want %s and the same place", zone, got, first, again, want)
		}
	}
}
