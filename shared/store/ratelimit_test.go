package store_test

import (
	"sync"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/store"
)

var tenASecond = store.Bucket{Rate: 10, Burst: 30}

func TestBucketTokens(t *testing.T) {
	t.Parallel()
	now := clock.New().Now()
	for _, test := range []struct {
		remaining time.Duration
		want      int
	}{
		{-time.Hour, 30}, {0, 30}, {time.Nanosecond, 29}, {100 * time.Millisecond, 29},
		{101 * time.Millisecond, 28}, {3 * time.Second, 0}, {time.Hour, 0},
	} {
		if got := tenASecond.Tokens(now, now.Add(test.remaining)); got != test.want {
			t.Errorf("full in %v: got %d tokens, want %d", test.remaining, got, test.want)
		}
	}
}

// process leases as one warm process does: it knows the result of its last lease.
type process struct {
	s     *store.Store
	known time.Time
}

func (p *process) lease(t *testing.T, want, granted int) {
	t.Helper()
	got, full, err := p.s.LeaseTokens(t.Context(), "someone", tenASecond, want, p.known)
	if err != nil || got != granted {
		t.Errorf("lease of %d: got %d, %v; want %d", want, got, err, granted)
	}
	p.known = full
}

func TestLeaseTokens_SharedBucket(t *testing.T) {
	t.Parallel()
	clock := clock.New()
	s := openTable(t, clock, nil)
	a, b := &process{s: s}, &process{s: s}
	a.lease(t, 10, 10)
	b.lease(t, 15, 15) // b does not know a's lease yet
	a.lease(t, 10, 5)  // a reads b's lease: only five are left
	a.lease(t, 1, 0)
	b.lease(t, 1, 0)

	clock.Advance(500 * time.Millisecond)
	b.lease(t, 3, 3)
	a.lease(t, 10, 2)
	b.lease(t, 10, 0)

	clock.Advance(time.Hour)
	a.lease(t, 100, 30) // never above the burst
	b.lease(t, 1, 0)
}

func TestLeaseTokens_Concurrently(t *testing.T) {
	t.Parallel()
	s := openTable(t, clock.New(), nil)
	var mu sync.Mutex
	var all sync.WaitGroup
	total := 0
	for range 20 {
		all.Go(func() {
			p := &process{s: s}
			for range 3 {
				// Under contention a lease may fail. It must never be granted twice.
				n, full, _ := p.s.LeaseTokens(t.Context(), "someone", tenASecond, 2, p.known)
				p.known = full
				mu.Lock()
				total += n
				mu.Unlock()
			}
		})
	}
	all.Wait()
	left, _, err := s.LeaseTokens(t.Context(), "someone", tenASecond, 100, time.Time{})
	if err != nil || total+left != tenASecond.Burst {
		t.Errorf("got %d, then %d (%v); want %d in all", total, left, err, tenASecond.Burst)
	}
}
