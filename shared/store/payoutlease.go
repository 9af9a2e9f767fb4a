package store

import (
	"context"
	"time"
)

// payoutLease is held by the one call that walks a shard's due payouts.
type payoutLease struct {
	key
	Holder string    `dynamo:"holder"`
	TTL    time.Time `dynamo:"expires_at,unixtime"`
}

// LeasePayouts gives a shard's due payouts to one holder for some whole seconds. It returns false if another holder has
// them. A lease only saves work: working without a lease does no harm.
func (s *Store) LeasePayouts(ctx context.Context, shard int, holder string, lasts time.Duration) (bool, error) {
	now := s.now()
	lease := payoutLease{key: payoutLeaseKey(shard), Holder: holder, TTL: now.Add(lasts)}
	return conditionsMet(s.table.Put(lease).
		If("attribute_not_exists(pk) OR expires_at <= ? OR holder = ?", now.Unix(), holder).Run(ctx))
}

// maxClockSkew is greater than the difference between the clocks of any two processes.
const maxClockSkew = time.Minute

// ReleasePayouts ends the holder's lease, if still held. Another call can then lease at once, even with a slow clock.
func (s *Store) ReleasePayouts(ctx context.Context, shard int, holder string) error {
	ended := payoutLease{key: payoutLeaseKey(shard), Holder: holder, TTL: s.now().Add(-maxClockSkew)}
	return ifRefused(s.table.Put(ended).If("holder = ?", holder).Run(ctx), nil)
}
