package prove_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/functions/prove"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/metric"
	"github.com/cashwrap/cashwrap/shared/reconcile"
	"github.com/cashwrap/cashwrap/shared/store"
)

// proof is the answer of reconcile to a request about a proof.
type proof struct {
	Proof  string           `json:"proof"`
	Proven bool             `json:"proven"`
	Report reconcile.Report `json:"report"`
}

// invoke sends a request to reconcile.
func invoke(w *world.World, request string) proof {
	w.Helper()
	var answer proof
	said, err := w.Main().Invoke(w.Context(), "reconcile", json.RawMessage(request))
	if err == nil {
		err = json.Unmarshal(said, &answer)
	}
	if err != nil {
		w.Fatalf("%s: %v", request, err)
	}
	return answer
}

// TestConsume_WholeTable checks a proof of the whole table over the queue: its report, its log and its metric.
func TestConsume_WholeTable(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Shop().Sell("10.10")
	w.Clock.Advance(time.Minute)
	begun := invoke(w, `{"segments":3}`)
	if begun.Proof == "" || begun.Proven {
		t.Fatalf("got %+v, want a proof that has begun", begun)
	}
	if open := invoke(w, `{"proof":"`+begun.Proof+`"}`); open.Proven {
		t.Errorf("before the messages: got %+v, want it open", open)
	}
	if n := w.DrainQueues(); n < 3 {
		t.Errorf("got %d messages, want one for each of 3 segments, or more", n)
	}
	got := invoke(w, `{"proof":"`+begun.Proof+`"}`)
	if !got.Proven || got.Report.Found != 0 || got.Report.Transactions != 1 || got.Report.Movements != 1 {
		t.Errorf("got %+v, want it proven, 1 transaction and movement, and no breaks", got)
	}
	if n := strings.Count(w.Logs.String(), `"msg":"reconciled","breaks":0`); n != 1 {
		t.Errorf("got %d summaries in the log, want 1:\n%s", n, w.Logs.String())
	}
	if measured := w.Measured(metric.ReconciliationBreaks, identity.Test); len(measured) != 1 || measured[0] != 0 {
		t.Errorf("got breaks measured %v, want 0 once", measured)
	}
}

// TestConsume_Nights checks the runs of the schedule: the first proves the whole table, and the others what has
// changed. A run that is not finished is carried on.
func TestConsume_Nights(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	seen := map[string]bool{}
	night := func(repeated bool) reconcile.Report {
		t.Helper()
		w.Clock.Advance(time.Hour)
		begun := invoke(w, "{}")
		if seen[begun.Proof] || begun.Proof == "" {
			t.Errorf("got run %q, want a new one", begun.Proof)
		}
		seen[begun.Proof] = true
		if repeated {
			if again := invoke(w, "{}"); again.Proof != begun.Proof {
				t.Errorf("got run %q, want %q carried on", again.Proof, begun.Proof)
			}
		}
		w.DrainQueues()
		done := invoke(w, `{"proof":"`+begun.Proof+`"}`)
		if !done.Proven || done.Report.Found != 0 {
			t.Errorf("got %+v, want it proven, without breaks", done)
		}
		return done.Report
	}
	w.Shop().Sell("10.10")
	for i, want := range []int{1, 1, 0, 2} { // the second run proves all of each merchant
		if i == 3 {
			w.Shop().Sell("20")
			w.Shop().Sell("30")
		}
		if got := night(i%2 == 0); got.Transactions != want {
			t.Errorf("run %d: got %d transactions, want %d", i, got.Transactions, want)
		}
	}
	var counted int64
	for c, err := range w.App.Store.Closings(t.Context(),
		store.Series{Tenant: w.Shop().Tenant(), Currency: "EUR"}, store.OpeningDay) {
		if err != nil {
			t.Fatal(err)
		}
		counted += c.Tallies["ECOM SUCCESSFUL"].Count
	}
	if counted != 3 {
		t.Errorf("got %d payments in closings, want 3", counted)
	}
}

// TestConsume_RepeatedMessages checks that messages of a segment that is proven, and of no proof, do nothing.
func TestConsume_RepeatedMessages(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Shop().Sell("10.10")
	w.Clock.Advance(time.Minute)
	begun := invoke(w, `{"segments":1}`)
	w.DrainQueues()
	want := invoke(w, `{"proof":"`+begun.Proof+`"}`)
	for _, body := range []string{`{"run":"` + begun.Proof + `","segment":0}`, `{"run":"unknown","segment":0}`, `{}`,
		`{"run":"r","segment":-1}`, `{"run":"r"}`, `{"segment":1}`} {
		if err := prove.Consume(w.App)(t.Context(), body); err != nil {
			t.Errorf("%s: got error %v, want none", body, err)
		}
	}
	if got := invoke(w, `{"proof":"`+begun.Proof+`"}`); got.Report.Entries != want.Report.Entries || w.DrainQueues() != 0 {
		t.Errorf("got %+v, want the report of before, %+v, and no messages", got.Report, want.Report)
	}
}
