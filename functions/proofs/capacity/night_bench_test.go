package capacity_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// newPayments is the number of payments since the last night.
const newPayments = 10_000

// BenchmarkReconcile_Night proves a day with 10,000 payments of a merchant with 100,000 older ones, or as many as
// CASHWRAP_BENCH_PAYMENTS says. It reports the calls and units of a new payment. The older payments have only the
// attributes of the index of the history.
func BenchmarkReconcile_Night(b *testing.B) {
	w := world.New(b)
	night := func() {
		w.Clock.Advance(time.Hour)
		if _, err := w.Main().Invoke(b.Context(), "reconcile", json.RawMessage("{}")); err != nil {
			b.Fatal(err)
		}
		w.DrainQueues()
	}
	night() // proves the whole table
	night() // proves all of the merchant
	sale := storeSale(b, w)
	sample := attributesOf(b, takeItem(b, w, sale), "history", "created_at")
	storeCopiesOf(b, w, sale, paymentCount(b), func(int) dynamo.Item { return sample })
	night()
	calls, reads, writes, nights := 0, 0.0, 0.0, 0
	for b.Loop() {
		b.StopTimer()
		for range newPayments {
			w.Shop().Sell("10.10")
		}
		w.DrainQueues()
		w.Main().Meter.Reset()
		b.StartTimer()
		night()
		use := w.Main().Meter.Reset()
		calls, reads, writes, nights = calls+len(use.Calls), reads+use.Read, writes+use.Write, nights+1
	}
	all := float64(nights * newPayments)
	b.ReportMetric(float64(calls)/all, "calls/payment")
	b.ReportMetric(reads/all, "RCU/payment")
	b.ReportMetric(writes/all, "WCU/payment")
}
