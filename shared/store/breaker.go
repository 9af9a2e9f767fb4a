package store

import (
	"context"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// breakerItem exists for hosts that timed out recently.
type breakerItem struct {
	key
	payments.Breaker
	TTL time.Time `dynamo:"expires_at,unixtime"`
}

// keepBreaker is longer than the gaps between the tries of one callback.
const keepBreaker = 24 * time.Hour

// Breaker reads the circuit breaker of a tenant's callbacks to a host. It is
// closed unless the host timed out recently.
func (s *View) Breaker(ctx context.Context, t identity.Tenant, host string) (payments.Breaker, error) {
	return readOne[payments.Breaker](ctx, s, breakerKey(t, host), nil)
}

// SaveBreaker replaces the breaker that was read. Error: ErrStale when it
// changed meanwhile.
func (s *Store) SaveBreaker(ctx context.Context, t identity.Tenant, host string, b payments.Breaker) error {
	before := b.Version
	b.Version++
	put := s.table.Put(breakerItem{key: breakerKey(t, host), Breaker: b, TTL: s.now().Add(keepBreaker)})
	return ifRefused(s.overVersion(put, before).Run(ctx), ErrStale)
}
