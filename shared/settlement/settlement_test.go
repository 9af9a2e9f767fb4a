package settlement_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/settlement"
	"github.com/cashwrap/cashwrap/shared/store"
)

// day is what a day of November 2026 adds to the sums, and the ids of the settlements that cover the movements until
// it.
type day struct {
	date                string
	gross, fee, reserve int64
	settlements         []string
}

// closingsOf returns the closings of days, with their balances.
func closingsOf(days []day) (closings []store.Closing) {
	var balance store.Closing
	for _, d := range days {
		c := store.Closing{Series: store.AcquirerSeries(identity.Tenant{Mode: identity.Live, Merchant: "MC1"}, "EUR"),
			Day: "2026-11-" + d.date, Tallies: map[string]store.Tally{}, Sums: map[string]int64{settlement.GrossSum: d.gross,
				settlement.FeeSum: d.fee, settlement.ReserveSum: d.reserve}}
		balance = balance.Add(store.Closing{Sums: c.Sums})
		c.Balances = balance.Sums
		for _, id := range d.settlements {
			c.Tallies[settlement.GrossTally+id] = store.Tally{Count: 1, Amount: 1000}
			c.Tallies[settlement.FeeTally+id] = store.Tally{Count: 1, Amount: 10}
		}
		closings = append(closings, c)
	}
	return closings
}

func TestFind(t *testing.T) {
	t.Parallel()
	s := func(ids ...string) []string { return ids }
	for name, c := range map[string]struct {
		days []day
		want []settlement.Unsettled
	}{
		"nothing":          {},
		"settled":          {days: []day{{"01", 0, 0, 5, s("S1")}, {"02", 1000, 10, 0, nil}, {"03", -1000, -10, 0, s("S3")}}},
		"not yet settled":  {days: []day{{"16", 1000, 10, 0, nil}}},
		"settled too late": {days: []day{{"01", 1000, 10, 0, nil}, {"20", -1000, -10, 0, s("S20")}}},
		"short": {[]day{{"01", 5, 0, 0, s("S1")}, {"02", 0, 0, 0, s("S2")}}, []settlement.Unsettled{
			{IDs: s("S1"), Text: "gross amount: expected 10.05 EUR, actual 10.00 EUR; covers movements until 2026-11-01; " +
				"0.05 EUR left open until 2026-11-02"}}},
		"two differences": {[]day{{"01", 5, 0, 0, s("S1")}, {"02", 7, 0, 0, s("S2", "T2")}}, []settlement.Unsettled{
			{IDs: s("S1"), Text: "gross amount: expected 10.05 EUR, actual 10.00 EUR; covers movements until 2026-11-01; " +
				"0.12 EUR left open until 2026-11-02"}}},
		"too much fee": {[]day{{"01", 0, -1, 0, s("S1")}}, []settlement.Unsettled{
			{IDs: s("S1"), Text: "fee: expected 0.09 EUR, actual 0.10 EUR; covers movements until 2026-11-01"}}},
		"mended": {days: []day{{"01", 5, -1, 0, s("S1")}, {"02", 7, 3, 0, nil}, {"03", -12, -2, 0, s("S3")}}},
		"missing": {[]day{{"15", 1000, 10, 0, nil}, {"20", 500, 5, 0, nil}}, []settlement.Unsettled{
			{Missing: true, IDs: s("2026-11-15 EUR"),
				Text: "gross amount of 10.00 EUR with a fee of 0.10 EUR, available since 2026-11-15"}}},
		"missing after a difference": {[]day{{"01", 5, 0, 0, s("S1")}, {"15", 1000, 10, 0, nil}}, []settlement.Unsettled{
			{IDs: s("S1"), Text: "gross amount: expected 10.05 EUR, actual 10.00 EUR; covers movements until 2026-11-01"},
			{Missing: true, IDs: s("2026-11-15 EUR"),
				Text: "gross amount of 10.00 EUR with a fee of 0.10 EUR, available since 2026-11-15"}}},
		"a debt of ours":          {days: []day{{"01", 0, 30, 0, nil}, {"02", -500, 0, 0, nil}}},
		"owed again after a debt": {days: []day{{"01", -500, 0, 0, nil}, {"16", 1000, 0, 0, nil}}},
		"more reserve paid out than kept": {[]day{{"01", 0, 0, 5, s("S1")}, {"02", 0, 0, -6, s("S2")}},
			[]settlement.Unsettled{{IDs: s("S2"),
				Text: "reserve: -0.01 EUR left, less than nothing; covers movements until 2026-11-02"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := settlement.Find(closingsOf(c.days), time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
			if diff := cmp.Diff(c.want, got, cmpopts.IgnoreUnexported(settlement.Unsettled{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
