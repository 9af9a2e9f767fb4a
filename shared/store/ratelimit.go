package store

import (
	"context"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// Bucket is the size of a token bucket and the speed of its refill.
type Bucket struct {
	Rate  int           // tokens a second
	Every time.Duration // instead of Rate: the time for one token to come back, if longer than a second
	Burst int           // tokens when full
}

// interval returns the time for one token to come back.
func (b Bucket) interval() time.Duration {
	if b.Every > 0 {
		return b.Every
	}
	return time.Second / time.Duration(b.Rate)
}

// Tokens returns the number of tokens in a bucket at now. full is the time when the bucket will be full.
func (b Bucket) Tokens(now, full time.Time) int {
	remaining := full.Sub(now)
	if remaining <= 0 {
		return b.Burst
	}
	// Rounded up: a token counts once it is back in full.
	return max(0, b.Burst-int((remaining+b.interval()-1)/b.interval()))
}

// wait returns how long a bucket that will be full at full stays empty.
func (b Bucket) wait(now, full time.Time) time.Duration {
	return max(0, full.Sub(now)-time.Duration(b.Burst-1)*b.interval())
}

// rateItem stores a bucket as the time when it will be full again (the generic cell rate algorithm), in Unix µs, so
// that no process has to refill it.
type rateItem struct {
	key
	FullAt    int64 `dynamo:"full_at"`
	ExpiresAt int64 `dynamo:"expires_at"`
}

// LeaseTokens takes up to want tokens out of the subject's bucket. known is the time when the bucket will be full,
// according to the caller's last lease, or zero before the first lease. full is the time when the bucket will be full
// after this lease. If granted is 0, the bucket is empty.
func (s *Store) LeaseTokens(ctx context.Context, subject string, b Bucket, want int, known time.Time) (granted int,
	full time.Time, err error) {
	full = known
	// Usually one write suffices. If the bucket holds fewer tokens, or has another time, than the caller knew, another
	// write follows.
	granted, err = Retry(func(bool) (int, error) {
		now := s.now()
		n := min(want, b.Tokens(now, full))
		if n < 1 {
			// Other callers only take tokens, so the bucket holds at most as many as the caller knows.
			return 0, nil
		}
		wrote, current, leaseErr := s.leaseFrom(ctx, subject, b, n, now, full)
		if leaseErr != nil {
			return 0, leaseErr
		}
		if full = current; !wrote {
			return 0, ErrStale
		}
		return n, nil
	})
	return granted, full, err
}

// TakeToken takes one token out of the subject's bucket. Failure: TooMany for an empty bucket. Errors: as LeaseTokens.
func (s *Store) TakeToken(ctx context.Context, subject string, b Bucket) error {
	granted, full, err := s.LeaseTokens(ctx, subject, b, 1, time.Time{})
	if err == nil && granted == 0 {
		return failure.TooMany(b.wait(s.now(), full))
	}
	return err
}

// leaseFrom writes one lease, in spite of other leases while enough tokens are left. It adds the cost to the stored
// time, or to now if the bucket is full.
func (s *Store) leaseFrom(ctx context.Context, subject string, b Bucket, n int, now,
	full time.Time) (bool, time.Time, error) {
	cost := time.Duration(n) * b.interval()
	limit := now.Add(time.Duration(b.Burst)*b.interval() - cost)
	u := s.update(rateKey(subject)).
		Set(expiresAt, now.Add(time.Duration(b.Burst)*b.interval()+time.Hour).Unix())
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
