package world

import (
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/settlement"
	"github.com/cashwrap/cashwrap/shared/store"
)

// LeaveOpen makes the closings say that the settlements of a day in the past have left amounts open, in minor units of
// the euro: the gross amount, and the fees that the acquirer may still withhold. Without settlements none has come.
func (w *World) LeaveOpen(t identity.Tenant, daysAgo int, gross, fee int64, settlements ...string) {
	w.Helper()
	c := store.Closing{Series: store.AcquirerSeries(t, "EUR"),
		Day:     settlement.Day(w.Clock.Now().AddDate(0, 0, -daysAgo)),
		Sums:    map[string]int64{settlement.GrossSum: gross, settlement.FeeSum: fee},
		Tallies: map[string]store.Tally{}}
	for _, id := range settlements {
		c.Tallies[settlement.GrossTally+id] = store.Tally{Count: 1}
	}
	_, err := w.App.Store.SaveNightStep(w.Context(), store.ProofRun{ID: "open " + t.String() + c.Day},
		store.ProofSegment{}, nil, store.NightStep{Closings: []store.Closing{c}})
	w.must(err)
	w.must(w.App.Store.Balance(w.Context(), c.Series, c.Day))
}
