package store

import (
	"context"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// keepBreaker is the time for which a breaker is stored. It is longer than the gaps between the tries of one callback.
const keepBreaker = 24 * time.Hour

// Breaker reads the circuit breaker of a tenant's callbacks to a host. It is closed unless the host timed out recently.
func (s *View) Breaker(ctx context.Context, t identity.Tenant, host string) (payments.Breaker, error) {
	return readOne[payments.Breaker](ctx, s, breakerKey(t, host), nil)
}

// SaveBreaker replaces the breaker.
func (s *Store) SaveBreaker(ctx context.Context, t identity.Tenant, host string, b payments.Breaker) error {
	b.Version++
	item := storedItem{key: breakerKey(t, host), value: b, version: b.Version, TTL: s.now().Add(keepBreaker)}
	return ifRefused(s.replace(item).Run(ctx), ErrStale)
}
