package sweep_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/world"
	"github.com/cashwrap/cashwrap/shared/metric"
)

// counts are those of one tick.
type counts struct{ OverdueCallbacks, ResolvedCheckouts, ResolvedRefunds, SweepFailures int }

// counted is what a tick counts.
func counted(w *world.World) (c counts) {
	w.Helper()
	before := len(w.Metrics.String())
	tick(w)
	line := w.Metrics.String()[before:]
	if err := json.Unmarshal([]byte(line), &c); err != nil || strings.Count(line, "\n") != 1 {
		w.Errorf("got metrics %q, error %v; want one line of JSON", line, err)
	}
	for _, name := range []string{metric.OverdueCallbacks, metric.ResolvedCheckouts, metric.ResolvedRefunds,
		metric.SweepFailures} {
		if want := `{"Name":"` + name + `","Unit":"Count"}`; !strings.Contains(line, want) {
			w.Errorf("got metrics %s, want %s in them", line, want)
		}
	}
	return c
}

func wantCounts(w *world.World, when string, want counts) {
	w.Helper()
	if got := counted(w); got != want {
		w.Errorf("%s: got %+v, want %+v", when, got, want)
	}
}

func TestWhatTheFastPathLostIsCounted(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	shop := w.Receive()
	wantCounts(w, "with nothing to do", counts{})
	create(w, "late", shop.URL)
	deactivate(w, create(w, "order", shop.URL))
	w.Clock.Advance(time.Minute)
	wantCounts(w, "a lost callback", counts{OverdueCallbacks: 1})
	wantCounts(w, "at once again", counts{})
	w.Clock.Advance(time.Hour - time.Minute) // the queue is not read
	wantCounts(w, "still lost, and a checkout at its end", counts{OverdueCallbacks: 1, ResolvedCheckouts: 1})
	corrupt(w, 2)
	wantCounts(w, "items that nobody can read", counts{SweepFailures: 2 * w.App.Store.DueShards()})
}

// TestALaterTryIsNotLost: only the first of the published tries can wait in a
// queue; sweep sends the others at their time.
func TestALaterTryIsNotLost(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	shop := w.Receive()
	shop.Answer(http.StatusInternalServerError)
	deactivate(w, create(w, "order", shop.URL))
	for _, wait := range []time.Duration{0, time.Minute, 4 * time.Minute, 15 * time.Minute,
		100 * time.Minute, 10 * time.Hour} {
		w.Clock.Advance(wait)
		wantCounts(w, wait.String()+" later", counts{})
		if _, err := w.Main().DrainStream(t.Context()); err != nil {
			t.Fatal(err)
		}
		drain(w)
	}
	if n := strings.Count(w.Logs.String(), "callback not delivered"); n != 6 {
		t.Errorf("got %d tries, want 6", n)
	}
}

func TestARefundWithoutAnOutcomeIsCounted(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	shop := w.Shop()
	const unanswered = "42.25" // by the sandbox acquirer
	shop.Refund(shop.Sell("100"), unanswered)
	w.Clock.Advance(time.Minute + 5*time.Second) // the fast path should have polled a minute ago
	wantCounts(w, "a refund without an outcome", counts{ResolvedRefunds: 1})
	wantCounts(w, "once it has one", counts{})
}
