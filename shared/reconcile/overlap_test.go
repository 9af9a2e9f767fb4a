package reconcile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/reconcile"
	"github.com/cashwrap/cashwrap/shared/store"
)

// wantAvailable checks what the closings say that the acquirer is to settle with each shop: all its lines so far.
func (h *history) wantAvailable() {
	h.Helper()
	want, got := map[string]int64{}, map[string]int64{}
	for _, m := range h.movements {
		amount := m.Amount.Minor()
		if m.Kind == acquirer.SettlementMovement {
			amount = gross(m)
		}
		want[m.Tenant] += m.Kind.Sign() * amount
	}
	for _, t := range shops {
		of := store.AcquirerSeries(t, "EUR")
		for c, err := range h.store.ClosingsBefore(h.Context(), of, "2100") {
			h.must(err)
			got[t.String()] = c.Balances["acquirer_available"]
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		h.Errorf("what the acquirer is to settle (-want +got):\n%s", diff)
	}
}

// calledFor returns true if the call has the name, and its body the text. The body stays readable.
func calledFor(r *http.Request, name, text string) bool {
	if !strings.HasSuffix(r.Header.Get("X-Amz-Target"), "."+name) {
		return false
	}
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return err == nil && strings.Contains(string(body), text)
}

// interrupt calls do before the first call of run to the table that calledFor finds.
func (h *history) interrupt(name, text string, do, run func()) {
	h.Helper()
	var came atomic.Bool
	h.before = func(r *http.Request) {
		if calledFor(r, name, text) && came.CompareAndSwap(false, true) {
			do()
		}
	}
	run()
	h.before = nil
	if !came.Load() {
		h.Fatalf("got no %s with %s, want one", name, text)
	}
}

// lagging is an engine whose queries of some kinds of items show nothing yet, unless they are consistent.
type lagging struct {
	http.RoundTripper
	hidden []string // beginnings of the partitions
}

// laggingReads has what lags behind: a line is stored after the entry of its payment, and with the entry that it posts.
var laggingReads = map[string][]string{"lines and entries": {`"STATEMENT#`, `"JOURNAL#`}, "lines": {`"STATEMENT#`}}

// RoundTrip answers such a query with no items.
func (l lagging) RoundTrip(r *http.Request) (*http.Response, error) {
	if calledFor(r, "Query", `"ConsistentRead":true`) ||
		!slices.ContainsFunc(l.hidden, func(partition string) bool { return calledFor(r, "Query", partition) }) {
		return l.RoundTripper.RoundTrip(r)
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Request: r,
		Body: io.NopCloser(strings.NewReader(`{"Items":[],"Count":0,"ScannedCount":0}`))}, nil
}

// TestTick_LaggingReads checks that nights add new payments and settlements even if reads that are not consistent do
// not show all of their lines and entries yet.
func TestTick_LaggingReads(t *testing.T) {
	t.Parallel()
	for name, hidden := range laggingReads {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newSettledHistory(t)
			h.settleDay(firstDay)
			h.engine = lagging{h.engine, hidden}
			for range 2 {
				if r, _ := h.tick(); r.Found != 0 {
					t.Errorf("got %+v, want no breaks", r.Breaks)
				}
				h.clock.Advance(time.Hour)
			}
			h.wantAvailable()
		})
	}
}

// TestTick_LaggingCapture checks that nights add the capture of a payment that was pending until or shortly before a
// night, if this night imports the capture, and its first reading of the payment does not show the line yet.
func TestTick_LaggingCapture(t *testing.T) {
	t.Parallel()
	for name, hidden := range laggingReads {
		for when, wait := range map[string]time.Duration{"before the night": 0, "after the night": time.Hour} {
			t.Run(name+", approved "+when, func(t *testing.T) {
				t.Parallel()
				h := newSettledHistory(t)
				h.tick()
				h.records = false
				for len(h.late) == 0 {
					h.pay()
				}
				h.record(h.late[0], payments.OutcomeUnknown)
				pending := h.transactions[len(h.transactions)-1]
				h.clock.Advance(time.Hour)
				h.engine = lagging{h.engine, hidden}
				if wait > 0 {
					h.tick()
					h.clock.Advance(wait)
				}
				h.record(pending, payments.Approved)
				for range 2 {
					h.tick()
					h.clock.Advance(time.Hour)
				}
				h.wantAvailable()
				h.wantEntries("approved")
			})
		}
	}
}

// TestTick_LineDuringNight checks that a night leaves a line that another run imports meanwhile to the next night, even
// if the line mends the break of its payment.
func TestTick_LineDuringNight(t *testing.T) {
	t.Parallel()
	h := newSettledHistory(t)
	i := h.lastCapture()
	late := h.movements[i]
	h.movements = slices.Delete(h.movements, i, i+1)
	h.clock.Advance(time.Hour)
	if r, _ := h.tick(); !slices.Contains(sortedKinds(r), "movement_missing") {
		t.Fatalf("got %+v, want a missing movement", r.Breaks)
	}
	h.clock.Advance(time.Hour)
	h.n++
	run, open, err := reconcile.Tick(t.Context(), h.config(), fmt.Sprint("tick ", h.n))
	h.must(err)
	h.movements = append(h.movements, late)
	for name, r := range map[string]reconcile.Report{"whole": h.reconcile(), "night": h.finish(run, open)} {
		if r.Found != 0 {
			t.Errorf("%s: got %+v, want no breaks", name, r.Breaks)
		}
	}
	h.clock.Advance(time.Hour)
	h.wantSame("the next night")
	h.wantAvailable()
}

// TestTick_ReopenedWhileProven checks that a line that comes between the reading of its settlement and the step that
// closes the settlement is added by the next night.
func TestTick_ReopenedWhileProven(t *testing.T) {
	t.Parallel()
	h := newSettledHistory(t)
	h.settleDay(firstDay)
	h.tick()
	h.clock.Advance(time.Hour)
	h.interrupt("TransactWriteItems", `"PROVEN#`+tested.String()+`"`, func() {
		on, err := time.Parse(time.DateOnly, firstDay)
		h.must(err)
		h.settlement(tested.String(), "S "+firstDay, 5-100, 0, on)
		h.reconcile()
	}, func() {
		h.n++
		run, open, err := reconcile.Tick(t.Context(), h.config(), fmt.Sprint("tick ", h.n))
		h.must(err)
		for _, segment := range open { // each only once at a time, so that this step closes the settlement
			for whole := false; !whole; {
				whole, err = reconcile.Segment(t.Context(), h.config(), run.ID, segment)
				h.must(err)
			}
		}
	})
	h.clock.Advance(time.Hour)
	h.tick()
	h.wantAvailable()
}

// TestTick_OverlappingRun checks that nights add the settlements that a proof of the whole table imports after a night,
// although the proof began before that night.
func TestTick_OverlappingRun(t *testing.T) {
	t.Parallel()
	h := newSettledHistory(t)
	h.settleDay(firstDay)
	all := h.movements
	h.interrupt("GetItem", `"NIGHTS"`, func() { // before the proof stores its lines
		h.clock.Advance(time.Hour)
		h.movements = slices.DeleteFunc(slices.Clone(all), func(m acquirer.Movement) bool { return !m.Kind.OfCharge() })
		h.tick()
		h.movements = all
		h.clock.Advance(time.Hour)
	}, func() { h.reconcile() })
	for range 2 {
		h.clock.Advance(time.Hour)
		h.tick()
	}
	h.wantAvailable()
}

// TestTick_ClockBehind checks that a run counts the lines that another run has stored, although the other run's clock
// is ahead. Without these lines, its captures would lack their settlements.
func TestTick_ClockBehind(t *testing.T) {
	t.Parallel()
	h := newSettledHistory(t)
	h.charge()
	h.tick()
	h.clock.Advance(15 * 24 * time.Hour) // a settlement that does not come now is missing
	h.settleDay(firstDay)
	h.n++
	_, err := reconcile.Begin(t.Context(), h.config(), fmt.Sprint("whole ", h.n), 1)
	h.must(err)
	h.clock.Advance(-3 * time.Second)
	h.wantSame("behind")
	h.wantAvailable()
}

// TestTick_RestoredLine checks that a line that is lost and imported again counts once.
func TestTick_RestoredLine(t *testing.T) {
	t.Parallel()
	h := newSettledHistory(t)
	h.settleDay(firstDay)
	for range 2 { // then the closings have the line
		h.tick()
		h.clock.Advance(time.Hour)
	}
	_, table := h.store.Raw()
	pk := "STATEMENT#" + tested.String() + "#settlement#EUR#S " + firstDay
	h.must(table.Delete("pk", pk).Range("sk", "settlement#"+h.settlementOf(tested).LineID).Run(t.Context()))
	for range 2 {
		h.tick()
		h.clock.Advance(time.Hour)
		h.wantAvailable()
	}
	h.wantSame("restored")
}

// testedSegment returns the segment of a night that proves the tested tenant.
func (h *history) testedSegment() int {
	h.Helper()
	for segment := range store.TenantShards {
		for listed, err := range h.store.Tenants(h.Context(), segment, "") {
			if h.must(err); listed.Tenant == tested {
				return segment
			}
		}
	}
	h.Fatal("got no segment of the tested tenant, want one")
	return 0
}

// unpaid moves money for a payment that is never recorded, and returns its id.
func (h *history) unpaid() string {
	h.Helper()
	p := paid{tenant: tested, id: h.nextUUID()}
	h.move(p, acquirer.CaptureMovement, p.id, money.MustParse("5", "EUR"))
	return p.id
}

// TestSegment_UnbalancedClosings checks that a call reports no break of closings that a faster call about the same
// segment has changed and not balanced yet.
func TestSegment_UnbalancedClosings(t *testing.T) {
	t.Parallel()
	h := newSettledHistory(t)
	h.charge()
	h.tick()
	h.clock.Advance(time.Hour)
	run, open, err := reconcile.Tick(t.Context(), h.config(), "night")
	h.must(err)
	of := store.AcquirerSeries(tested, "EUR")
	settle := store.Closing{Tallies: map[string]store.Tally{"settlement S": {Count: 1}}}
	for c, readErr := range h.store.Closings(t.Context(), of, firstDay) {
		h.must(readErr)
		settle = settle.Add(store.Closing{Sums: c.Balances}.Neg())
	}
	settle.Series, settle.Day = of, firstDay
	h.interrupt("Query", `"CLOSING#`+tested.String()+"#EUR", func() {
		p, callErr := h.store.ProofSegment(t.Context(), run.ID, h.testedSegment())
		h.must(callErr)
		p.Night = store.NightPlace{Tenant: tested.String(), Stage: 5, Touched: map[string]string{"ACQUIRER#EUR": firstDay}}
		_, callErr = h.store.SaveNightStep(t.Context(), run, p, nil, store.NightStep{Closings: []store.Closing{settle}})
		h.must(callErr)
	}, func() {
		if _, err = reconcile.Segment(t.Context(), h.config(), run.ID, h.testedSegment()); !errors.Is(err, store.ErrStale) {
			t.Errorf("got error %v, want %v", err, store.ErrStale)
		}
	})
	if r := h.finish(run, open); r.Found != 0 {
		t.Errorf("got %+v, want no breaks", r.Breaks)
	}
}

// TestTick_LineStoredLate checks that nights add a line of another run that stamped the line before a night's lines
// end, but stored it after that night had proven the subject.
func TestTick_LineStoredLate(t *testing.T) {
	t.Parallel()
	for name, late := range map[string]func(h *history) int{ // the index of the line
		"of an unknown payment": func(h *history) int { h.unpaid(); return len(h.movements) - 1 },
		"that mends a break":    func(h *history) int { return h.lastCapture() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newSettledHistory(t)
			i := late(h)
			all, m := h.movements, h.movements[i]
			h.interrupt("PutItem", `"STATEMENT#`+m.Tenant+"#"+m.ChargeID+`"`, func() {
				h.clock.Advance(time.Second)
				h.movements = slices.Delete(slices.Clone(all), i, i+1)
				h.tick()
				h.movements = all
			}, func() { h.reconcile() })
			for range 2 {
				h.clock.Advance(time.Hour)
				h.tick()
				h.wantAvailable()
			}
		})
	}
}

// TestTick_LineAfterReopening checks that nights add a line of another run that reopened the line's subject before a
// night, but stored the line after that night had proven the subject.
func TestTick_LineAfterReopening(t *testing.T) {
	t.Parallel()
	h := newSettledHistory(t)
	before := h.movements
	_, second := h.unpaid(), h.unpaid()
	all := h.movements
	// The first subject is reopened then, and no line is stored.
	h.interrupt("UpdateItem", `"SUBJECT#`+second+`"`, func() {
		h.movements = before
		h.tick()
		h.movements = all
		h.clock.Advance(time.Second)
	}, func() { h.reconcile() })
	h.clock.Advance(time.Hour)
	h.tick()
	h.wantAvailable()
}
