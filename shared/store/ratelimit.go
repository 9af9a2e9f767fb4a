package store

import (
	"context"
	"time"
)

// Bucket is the rule of a token bucket.
type Bucket struct {
	Rate  int // tokens a second
	Burst int // tokens when full
}

// interval is the time one token takes to come back.
func (b Bucket) interval() time.Duration { return time.Second / time.Duration(b.Rate) }

// Tokens is how many a bucket holds at now, when it will be full at full.
func (b Bucket) Tokens(now, full time.Time) int {
	owed := full.Sub(now)
	if owed <= 0 {
		return b.Burst
	}
	// Each token begun counts as owed: ceil.
	return max(0, b.Burst-int((owed+b.interval()-1)/b.interval()))
}

// rateItem holds a bucket as the one time at which it will be full again
// (the generic cell rate algorithm), in Unix µs, so that no process has to
// refill it.
type rateItem struct {
	key
	FullAt    int64 `dynamo:"full_at"`
	ExpiresAt int64 `dynamo:"expires_at"`
}

// LeaseTokens takes up to want tokens out of the subject's bucket. known is
// when the bucket would be full as the caller last heard, zero if it never
// did; full is the same after the lease. granted 0 means there are none.
// Errors: ErrContended or the table's.
func (s *Store) LeaseTokens(ctx context.Context, subject string, b Bucket, want int, known time.Time) (granted int,
	full time.Time, err error) {
	full = known
	// One write is the rule; another follows when the bucket turns out to hold
	// less, or something else, than the caller remembered.
	granted, err = Retry(func(bool) (int, error) {
		now := s.now()
		n := min(want, b.Tokens(now, full))
		if n < 1 {
			// What the caller remembers may be old, but buckets only fill:
			// nobody gives tokens back.
			return 0, nil
		}
		wrote, current, err := s.leaseFrom(ctx, subject, b, n, now, full)
		if err != nil {
			return 0, err
		}
		if full = current; !wrote {
			return 0, ErrStale
		}
		return n, nil
	})
	return granted, full, err
}

// leaseFrom writes one lease. Other leases since the caller last looked do
// not make it fail, as long as enough tokens are left: a bucket in debt is
// moved on from where it is, a full one starts at now.
func (s *Store) leaseFrom(ctx context.Context, subject string, b Bucket, n int, now,
	full time.Time) (bool, time.Time, error) {
	k := rateKey(subject)
	cost := time.Duration(n) * b.interval()
	limit := now.Add(time.Duration(b.Burst)*b.interval() - cost)
	u := s.table.Update(partitionKey, k.PK).Range(sortKey, k.SK).
		Set(expiresAt, now.Add(time.Hour).Unix())
	if full.After(now) {
		u = u.Add("full_at", cost.Microseconds()).
			If("full_at > ? AND full_at <= ?", now.UnixMicro(), limit.UnixMicro())
	} else {
		u = u.Set("full_at", now.Add(cost).UnixMicro()).
			If("attribute_not_exists(full_at) OR full_at <= ?", now.UnixMicro())
	}
	var item rateItem
	wrote, err := u.CurrentValue(ctx, &item)
	return wrote, time.UnixMicro(item.FullAt).UTC(), err
}
