package rest

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/store"
)

// maxSubjects bounds the buckets that a process remembers.
const maxSubjects = 4096

// limiter spends tokens of the buckets in the table. Each process leases them in batches that double from a fiftieth of
// the burst to one second's worth. A busy caller costs at most 0.02 writes a request, and a single request leaves few
// tokens unused. Leased tokens do not expire, so an idle process may later spend up to one batch beyond the bucket.
type limiter struct {
	store *store.Store
	log   *slog.Logger
	limit Limit // for subjects without another limit

	mu     sync.Mutex
	leases map[string]*lease
}

// lease holds the tokens that a process has leased from one subject's bucket.
type lease struct {
	lock    chan struct{} // has one element; only the goroutine that received it uses the other fields
	left    int
	next    int       // size of the next lease; 0 before the first lease
	fullAt  time.Time // when the bucket will be full, as of the last lease
	retryAt time.Time // the bucket has nothing to lease before then
	used    time.Time
}

// quota is the state of a limit that a response shows (contract §2.9).
type quota struct {
	limit Limit
	left  int
	reset time.Duration // until the bucket is full; if it is empty, until it has tokens again
}

func newLimiter(s *store.Store, log *slog.Logger, l Limit) *limiter {
	return &limiter{store: s, log: log, limit: l, leases: map[string]*lease{}}
}

func (l Limit) bucket() store.Bucket { return store.Bucket{Rate: l.Rate, Burst: l.Burst} }

// firstLease returns the size of a first lease.
func (l Limit) firstLease() int { return max(1, l.Burst/50) }

// largestLease returns the size of the largest lease.
func (l Limit) largestLease() int { return max(1, min(l.Rate, l.Burst)) }

// fullQuota returns the quota of a caller whose requests have not been counted.
func (l Limit) fullQuota() quota { return quota{limit: l, left: l.Burst} }

// take spends one of the subject's tokens. A non-zero limit replaces the limiter's. Failures: TooMany, the error of
// ctx.
func (l *limiter) take(ctx context.Context, subject string, limit Limit) (quota, error) {
	limit = cmp.Or(limit, l.limit)
	if err := ctx.Err(); err != nil {
		return limit.fullQuota(), err
	}
	s := l.getLease(subject)
	select {
	case <-s.lock:
	case <-ctx.Done():
		return limit.fullQuota(), ctx.Err()
	}
	defer func() { s.lock <- struct{}{} }()
	now := l.store.Now()
	if s.left == 0 && !now.Before(s.retryAt) {
		if err := l.renew(ctx, subject, s, limit, now); err != nil {
			return limit.fullQuota(), err
		}
	}
	if s.left == 0 {
		wait := s.retryAt.Sub(now)
		return quota{limit: limit, reset: wait}, failure.TooMany(wait)
	}
	s.left--
	return s.quota(limit, now), nil
}

// renew leases the next batch. If the bucket is empty, the next try waits until the bucket has half of the largest
// batch, because leases of single tokens would cost a write for each request. If the table fails, renew grants a batch,
// because the limits of contract §2.9 only protect the platform.
//
// The only failure is the error of ctx, so a caller that disconnects gains no tokens.
func (l *limiter) renew(ctx context.Context, subject string, s *lease, limit Limit, now time.Time) error {
	s.next = max(s.next, limit.firstLease())
	granted, full, err := l.store.LeaseTokens(ctx, subject, limit.bucket(), s.next, s.fullAt)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		l.log.LogAttrs(ctx, slog.LevelWarn, "rate limit not enforced", slog.String("cause", err.Error()))
		s.left = s.next
		return nil
	}
	s.fullAt = full
	if granted == 0 {
		batch := max(1, limit.largestLease()/2)
		s.retryAt = full.Add(-time.Duration(limit.Burst-batch) * time.Second / time.Duration(limit.Rate))
		if !s.retryAt.After(now) {
			s.retryAt = now.Add(time.Second / time.Duration(limit.Rate))
		}
		return nil
	}
	s.left = granted
	s.next = min(2*s.next, limit.largestLease())
	return nil
}

// quota returns the quota of the subject's bucket, as far as this process knows it.
func (s *lease) quota(limit Limit, now time.Time) quota {
	left := min(limit.Burst, s.left+limit.bucket().Tokens(now, s.fullAt))
	missing := time.Duration(limit.Burst - left)
	return quota{limit: limit, left: left, reset: missing * time.Second / time.Duration(limit.Rate)}
}

// getLease returns the process's lease for the subject. It makes one if there is none.
func (l *limiter) getLease(subject string) *lease {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.leases[subject]
	if s == nil {
		if len(l.leases) >= maxSubjects {
			l.forgetOldest()
		}
		s = &lease{lock: make(chan struct{}, 1)}
		s.lock <- struct{}{}
		l.leases[subject] = s
	}
	s.used = l.store.Now()
	return s
}

// forgetOldest drops the least recently used lease, with its tokens.
func (l *limiter) forgetOldest() {
	var oldest string
	for subject, s := range l.leases {
		if o := l.leases[oldest]; o == nil || s.used.Before(o.used) {
			oldest = subject
		}
	}
	delete(l.leases, oldest)
}

// setHeaders sets the fields of draft-ietf-httpapi-ratelimit-headers that contract §2.9 puts on every response.
func (q quota) setHeaders(h http.Header) {
	window := (q.limit.Burst + q.limit.Rate - 1) / q.limit.Rate
	h.Set("RateLimit-Policy", fmt.Sprintf(`"default";q=%d;w=%d`, q.limit.Burst, window))
	h.Set("RateLimit", fmt.Sprintf(`"default";r=%d;t=%d`, q.left, int(math.Ceil(q.reset.Seconds()))))
}
