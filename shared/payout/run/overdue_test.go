package run_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/payout"
	"github.com/cashwrap/cashwrap/shared/payout/run"
)

// walkShards walks all shards and returns the payouts that the walks ran. Unless w sets By, the walks take the entries
// that are due now.
func (h *fixture) walkShards(w run.Walk) []string {
	h.Helper()
	if w.By.IsZero() {
		w.By = h.Now()
	}
	var ran ids
	for w.Shard = range h.Store.DueShards() {
		rest, err := h.WalkDue(h.Context(), h.Context(), w, ran.add)
		if err != nil || rest != nil {
			h.Fatalf("shard %d: got the rest %+v, error %v; want all of it", w.Shard, rest, err)
		}
	}
	return ran.all
}

// ids collects the ids of payouts that several goroutines run.
type ids struct {
	mu  sync.Mutex
	all []string
}

func (i *ids) add(p run.Planned) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.all = append(i.all, p.ID)
	return nil
}

// openWaiting opens payouts until at least n payouts of one shard are waiting. It returns that shard and its waiting
// payouts.
func (h *fixture) openWaiting(n int) (shard int, waiting []string) {
	h.Helper()
	for i := 0; len(waiting) < n; i++ {
		id := payout.ID(tenant.String(), "EUR", fmt.Sprint(i), payout.Regular)
		p := payout.New(id, "EUR", "2026-11-20", h.Now(), h.Now())
		if err := h.Store.CreatePayout(h.Context(), tenant, p); err != nil {
			h.Fatal(err)
		}
		waiting = waiting[:0]
		for due, err := range h.Store.DuePayouts(h.Context(), shard, "", p.NextPoll) {
			if err != nil {
				h.Fatal(err)
			}
			if due.PayoutID != "" {
				waiting = append(waiting, due.PayoutID)
			}
		}
	}
	h.Advance(payout.RunsBy)
	return shard, waiting
}

// TestWalkDue_OneFails checks that the walk returns the failure of one payout, still runs the others, and walks only
// the tenants that Of accepts.
func TestWalkDue_OneFails(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	shard, waiting := h.openWaiting(5)
	if ran := h.walkShards(run.Walk{Of: func(identity.Tenant) bool { return false }}); len(ran) > 0 {
		t.Errorf("of no tenant: got %q, want none", ran)
	}
	lost := errors.New("the queue is away")
	var ran ids
	rest, err := h.WalkDue(t.Context(), t.Context(), run.Walk{Shard: shard, By: h.Now()},
		func(p run.Planned) error {
			if p.ID == waiting[1] {
				return lost
			}
			return ran.add(p)
		})
	if rest != nil || !errors.Is(err, lost) {
		t.Errorf("got the rest %+v, error %v; want no rest, and %v", rest, err, lost)
	}
	want := slices.Concat(waiting[:1], waiting[2:])
	if got := slices.Sorted(slices.Values(ran.all)); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		t.Errorf("ran: got %q, want all but one of %q", got, waiting)
	}
}

// TestWalkDue_OnePanics checks that a panic in one payout does not stop the others. Otherwise the panic would end the
// process, and the same payout would come first in each later walk of the shard.
func TestWalkDue_OnePanics(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	shard, waiting := h.openWaiting(5)
	var ran ids
	rest, err := h.WalkDue(t.Context(), t.Context(), run.Walk{Shard: shard, By: h.Now()},
		func(p run.Planned) error {
			if p.ID == waiting[1] {
				panic("index out of range")
			}
			return ran.add(p)
		})
	if rest != nil || err == nil || !strings.Contains(err.Error(), "panic: index out of range") {
		t.Errorf("got the rest %+v, error %v; want no rest, and the panic", rest, err)
	}
	if len(ran.all) != len(waiting)-1 {
		t.Errorf("ran: got %q, want all but one of %q", ran.all, waiting)
	}
}

// TestWalkDue_SlowMerchant checks that opening a slow merchant's payout is given up while there is still time for
// others. The payout stays due.
func TestWalkDue_SlowMerchant(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.pay(1)
	h.Advance(day)
	calls := 0
	h.wire.Send = func(r *http.Request) (*http.Response, error) {
		if !strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".TransactWriteItems") {
			return enginetest.Do(r)
		}
		calls++
		end, bounded := r.Context().Deadline()
		if latest := time.Now().Add(run.PlanTime); !bounded || end.After(latest) {
			t.Errorf("got a call that ends at %s, %t, want it by %s", end, bounded, latest)
		}
		return faults.AccessDenied(r), nil // an error that is not tried again
	}
	var ran ids
	failed := 0
	for shard := range h.Store.DueShards() {
		if _, err := h.WalkDue(t.Context(), t.Context(), run.Walk{Shard: shard, By: h.Now()}, ran.add); err != nil {
			failed++
		}
	}
	if calls == 0 || failed != 1 || len(ran.all) > 0 {
		t.Errorf("got %d calls, %d failures, and %q run; want a call that fails, and none run", calls, failed, ran.all)
	}
	h.wire.Send = enginetest.Do
	if ran := h.walkShards(run.Walk{}); len(ran) != 1 {
		t.Errorf("then: got %q run, want the payout", ran)
	}
}

// TestWalkDue_Rest checks that the rest has the entries for which the first walk had no time. No entry comes twice, and
// no entry that became due after the first walk comes at all.
func TestWalkDue_Rest(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	shard, waiting := h.openWaiting(20)
	walk, ran, links := &run.Walk{Shard: shard, By: h.Now()}, ids{}, 0
	h.Advance(time.Hour)
	h.pay(1)
	h.Advance(day) // the schedule is due now
	for ; walk != nil; links++ {
		starting, end := context.WithCancel(t.Context())
		rest, err := h.WalkDue(t.Context(), starting, *walk, func(p run.Planned) error {
			end()
			return ran.add(p)
		})
		end()
		if walk = rest; err != nil {
			t.Fatal(err)
		}
	}
	if links < 2 {
		t.Errorf("got %d walks, want several", links)
	}
	if got, want := slices.Sorted(slices.Values(ran.all)), slices.Sorted(slices.Values(waiting)); !slices.Equal(got,
		want) {
		t.Errorf("ran: got %q, want each of %q once", got, want)
	}
}

// TestWalkDue_NoTime checks that a walk without time starts nothing and returns no error. All entries are then in its
// rest.
func TestWalkDue_NoTime(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	shard, waiting := h.openWaiting(1)
	over, end := context.WithCancel(t.Context())
	end()
	walk := run.Walk{Shard: shard, By: h.Now()}
	rest, err := h.WalkDue(t.Context(), over, walk, func(p run.Planned) error {
		t.Errorf("got %+v begun, want nothing", p)
		return nil
	})
	if err != nil || rest == nil {
		t.Fatalf("got the rest %+v, error %v; want all of %+v", rest, err, walk)
	}
	if rest.Shard != shard || rest.After != "" || !rest.By.Equal(walk.By) {
		t.Errorf("got the rest %+v, want all of %+v", rest, walk)
	}
	if ran := h.walkShards(*rest); !slices.Contains(ran, waiting[0]) {
		t.Errorf("ran in the rest: got %q, want %q in it", ran, waiting)
	}
}

// TestWalkDue_ConcurrentWalk checks that a second walk of a shard ends when it needs the lease. Once the first walk has
// ended, a further walk gets the lease.
func TestWalkDue_ConcurrentWalk(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	shard, waiting := h.openWaiting(20)
	walk := run.Walk{Shard: shard, By: h.Now(), Lease: time.Minute}
	var first, second ids
	meanwhile := func() {
		if _, err := h.WalkDue(t.Context(), t.Context(), walk, second.add); err != nil {
			t.Error(err)
		}
	}
	var once sync.Once
	if _, err := h.WalkDue(t.Context(), t.Context(), walk, func(p run.Planned) error {
		if p.ID == waiting[15] { // the first walk has the lease by then
			once.Do(meanwhile)
		}
		return first.add(p)
	}); err != nil {
		t.Fatal(err)
	}
	if len(first.all) != len(waiting) || len(second.all) == 0 || len(second.all) > 10 {
		t.Errorf("got %d entries walked, and %d at the same time; want all %d, and a few", len(first.all),
			len(second.all), len(waiting))
	}
	if meanwhile(); len(second.all) < len(waiting) {
		t.Errorf("after it: got %d entries walked, want all %d", len(second.all), len(waiting))
	}
}

// TestWalkDue_LeaseExpires checks that a lease ends with the time of its call, because the call's process may have
// died. A released lease is free, even for a clock that is behind.
func TestWalkDue_LeaseExpires(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	has := func(what, holder string, want bool) {
		t.Helper()
		got, err := h.Store.LeasePayouts(t.Context(), 1, holder, time.Minute)
		if err != nil || got != want {
			t.Errorf("%s: got the lease %t, error %v; want %t", what, got, err, want)
		}
	}
	has("free", "a", true)
	has("its own, since the reply was lost", "a", true)
	has("another's", "b", false)
	h.Advance(time.Minute + time.Second)
	has("when it is over", "b", true)
	if err := h.Store.ReleasePayouts(t.Context(), 1, "a"); err != nil {
		t.Error(err)
	}
	has("released by whom it was taken from", "c", false)
	if err := h.Store.ReleasePayouts(t.Context(), 1, "b"); err != nil {
		t.Error(err)
	}
	h.Advance(-3 * time.Second)
	has("released, by a clock that is behind", "c", true)
}

// TestWalkDue_ShardUnreadable checks that the walk fails without a rest. A message for the rest would fail, too.
func TestWalkDue_ShardUnreadable(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	shard, _ := h.openWaiting(1)
	h.wire.Inject(faults.Always("Query", faults.Throttle))
	rest, err := h.WalkDue(t.Context(), t.Context(), run.Walk{Shard: shard, By: h.Now()}, (&ids{}).add)
	if rest != nil || err == nil || !strings.Contains(err.Error(), "Throttling") {
		t.Errorf("got the rest %+v, error %v; want none, and that it was throttled", rest, err)
	}
}

// TestCutoffs_AtQuarterHours checks that midnight in every merchant's zone is at a quarter hour of UTC, because the
// schedule ticks at the quarter hours.
func TestCutoffs_AtQuarterHours(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"Europe/Berlin", "America/Santiago", "America/Sao_Paulo", "Asia/Kathmandu",
		"Pacific/Chatham", "Australia/Lord_Howe"} {
		m := merchant.Merchant{TimeZone: zone}
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		for range 800 {
			at = m.Calendar(tenant.Mode).NextCutoff(at).At
			if !at.Equal(at.Truncate(15 * time.Minute)) {
				t.Errorf("%s: got the cut-off %s, want it at a quarter hour", zone, at)
			}
		}
	}
}
