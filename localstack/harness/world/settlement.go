package world

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/store"
)

// LeaveOpen makes the closings say that yesterday's settlements have left amounts open, in minor units of the euro: the
// gross amount, and the fees that the acquirer may still withhold.
func (w *World) LeaveOpen(t identity.Tenant, gross, fee int64, settlements ...string) {
	w.Helper()
	c := store.Closing{Series: store.AcquirerSeries(t, "EUR"), Day: w.Clock.Now().AddDate(0, 0, -1).Format(time.DateOnly),
		Sums:    map[string]int64{"acquirer_available": gross, "acquirer_fees_available": fee},
		Tallies: map[string]store.Tally{}}
	for _, id := range settlements {
		c.Tallies["settlement "+id] = store.Tally{Count: 1}
	}
	_, err := w.App.Store.SaveNightStep(w.Context(), store.ProofRun{ID: "open " + t.String()}, store.ProofSegment{}, nil,
		store.NightStep{Closings: []store.Closing{c}})
	w.must(err)
	w.must(w.App.Store.Balance(w.Context(), c.Series, c.Day))
}
