package sweep_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/metric"
)

// counts are the metrics of one tick.
type counts struct{ OverdueCallbacks, ResolvedCheckouts, ResolvedRefunds, SweepFailures int64 }

// tickCounts runs a tick and returns its metrics.
func tickCounts(w *world.World) counts {
	w.Helper()
	w.Tick("sweep")
	last := func(m metric.Metric) int64 {
		all := w.Measured(m, "")
		if len(all) == 0 {
			w.Fatalf("got metrics %s, want %s in them", w.Metrics, m.Name)
		}
		return all[len(all)-1]
	}
	return counts{last(metric.OverdueCallbacks), last(metric.ResolvedCheckouts), last(metric.ResolvedRefunds),
		last(metric.SweepFailures)}
}

func wantCounts(w *world.World, when string, want counts) {
	w.Helper()
	if got := tickCounts(w); got != want {
		w.Errorf("%s: got %+v, want %+v", when, got, want)
	}
}

func TestMetrics_LostMessages(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	shop := w.Receive()
	wantCounts(w, "with nothing to do", counts{})
	createExpiring(w, "late", shop.URL)
	w.Shop().Deactivate(createExpiring(w, "order", shop.URL))
	w.Clock.Advance(time.Minute)
	wantCounts(w, "a lost callback", counts{OverdueCallbacks: 1})
	wantCounts(w, "at once again", counts{})
	w.Clock.Advance(time.Hour - time.Minute) // no function reads the queue
	wantCounts(w, "still lost, and a checkout at its end", counts{OverdueCallbacks: 1, ResolvedCheckouts: 1})
	corrupt(w, 2)
	wantCounts(w, "items that nobody can read", counts{SweepFailures: int64(2 * w.App.Store.DueShards())})
}

// TestMetrics_Retries checks that a retry does not count as lost when its time comes. A retry within 15 minutes waits
// in its queue until then. Later retries are sent at their time by the sweep itself.
func TestMetrics_Retries(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	shop := w.Receive()
	shop.Answer(http.StatusInternalServerError)
	w.Shop().Deactivate(createExpiring(w, "order", shop.URL))
	for _, wait := range []time.Duration{0, time.Minute, 4 * time.Minute, 15 * time.Minute,
		100 * time.Minute, 10 * time.Hour} {
		w.Clock.Advance(wait)
		wantCounts(w, wait.String()+" later", counts{})
		w.ReadStream()
		w.DrainQueues()
	}
	if n := strings.Count(w.Logs.String(), "callback not delivered"); n != 6 {
		t.Errorf("got %d tries, want 6", n)
	}
}

func TestMetrics_RefundWithoutOutcome(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	shop := w.Shop()
	shop.Refund(shop.Sell("100"), world.Unanswered)
	w.Clock.Advance(time.Minute + 5*time.Second) // the fast path's poll is a minute overdue
	wantCounts(w, "a refund without an outcome", counts{ResolvedRefunds: 1})
	wantCounts(w, "once it has one", counts{})
}

// TestMetrics_OldestDueAge checks that each tick measures the age of the oldest due item in each mode. The age grows
// while an item cannot be processed.
func TestMetrics_OldestDueAge(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	ages := func() (live, test int64) {
		w.Helper()
		w.Tick("sweep")
		of := func(mode identity.Mode) int64 {
			all := w.Measured(metric.OldestDueAge, mode)
			return all[len(all)-1]
		}
		return of(identity.Live), of(identity.Test)
	}
	want := func(when string, wantLive, wantTest time.Duration) {
		w.Helper()
		if live, test := ages(); live != int64(wantLive.Seconds()) || test != int64(wantTest.Seconds()) {
			w.Errorf("%s: got %d s in live mode, %d s in test mode, want %s and %s", when, live, test, wantLive, wantTest)
		}
	}
	open := func() { // valid for an hour; without a callback, because a callback's entry has no mode
		w.Helper()
		w.Shop().Create("10.10", map[string]any{"valid_until": w.Clock.Now().Add(time.Hour).Format(time.RFC3339)})
	}
	want("with nothing to do", 0, 0)
	open()
	w.Clock.Advance(30 * time.Minute)
	open()
	w.Clock.Advance(50 * time.Minute)
	want("20 minutes after the first expired", 0, 20*time.Minute)
	want("once it is processed", 0, 0)
	w.Clock.Advance(15 * time.Minute)
	want("5 minutes after the second expired", 0, 5*time.Minute)

	_, table := w.App.Store.Raw()
	since := w.Clock.Now().UnixMicro()
	pk := "CHECKOUT#L#MC1#gone"
	if err := table.Put(map[string]any{"pk": pk, "sk": "OTHER", "due_pk": "DUE#0",
		"due_sk": fmt.Sprintf("%016d#%s", since, pk)}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, age := range []time.Duration{time.Minute, 2 * time.Minute, time.Hour} {
		w.Clock.Advance(time.UnixMicro(since).Add(age).Sub(w.Clock.Now()))
		want("with an item that nobody can process", age, 0)
	}
}
