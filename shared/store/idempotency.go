package store

import (
	"context"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
)

// A reply is kept for 31 days (contract §2.8). A request that ended without a reply blocks its key for 60 s, so no
// function may run longer than 60 s.
const (
	idempotencyKept = 31 * 24 * time.Hour
	idempotencyRuns = 60 * time.Second
)

// IdempotencyClaim is a request that asks to run under a client's key.
type IdempotencyClaim struct {
	Tenant      identity.Tenant
	Name        string // of the key's record, unique in the tenant
	Fingerprint string // keyed hash of the request
	Owner       string // unique to this request
}

// IdempotencyState is the result of a claim.
type IdempotencyState int

// The states.
const (
	Claimed IdempotencyState = iota // the caller runs the request, then settles or releases
	Running                         // another request with the key is running
	Settled                         // the stored reply is the answer
	Reused                          // the key belongs to a different request
)

// idempotencyItem is the record of one key. While its request runs, reply is absent and running_until (Unix ms) is in
// the future. The record is never deleted before it expires. After a failure that is not stored, the key therefore
// still belongs to its request, which may have done part of its work.
type idempotencyItem struct {
	key
	Fingerprint  string `dynamo:"fingerprint"`
	Owner        string `dynamo:"owner"`
	RunningUntil int64  `dynamo:"running_until"`
	Reply        []byte `dynamo:"reply,omitempty"`
	ExpiresAt    int64  `dynamo:"expires_at"`
}

// ClaimIdempotency claims the key for a request in one conditional write. In the state Settled, sealed is the stored
// reply. After an error the caller must assume that the claim was not made.
func (s *Store) ClaimIdempotency(ctx context.Context, c IdempotencyClaim) (state IdempotencyState,
	sealed []byte, err error) {
	now := s.now()
	item := idempotencyItem{
		key:          idempotencyKey(c.Tenant, c.Name),
		Fingerprint:  c.Fingerprint,
		Owner:        c.Owner,
		RunningUntil: now.Add(idempotencyRuns).UnixMilli(),
		ExpiresAt:    now.Add(idempotencyKept).Unix(),
	}
	var current idempotencyItem
	// The owner's clause recognises our own write when the SDK repeats it. A repeated write that arrives after the request
	// was answered must not remove the stored reply.
	wrote, err := s.table.Put(item).If(
		"attribute_not_exists(pk) OR expires_at <= ?"+
			" OR (attribute_not_exists(reply) AND ('owner' = ? OR (fingerprint = ? AND running_until <= ?)))",
		now.Unix(), c.Owner, c.Fingerprint, now.UnixMilli()).CurrentValue(ctx, &current)
	if err != nil {
		return s.resolveClaim(ctx, item, err)
	}
	switch {
	case wrote:
		return Claimed, nil, nil
	case current.Fingerprint != c.Fingerprint:
		return Reused, nil, nil
	case current.Reply == nil:
		return Running, nil, nil
	default:
		return Settled, current.Reply, nil
	}
}

// resolveClaim checks whether a claim that seemed to fail was made.
func (s *Store) resolveClaim(ctx context.Context, claim idempotencyItem, failed error) (IdempotencyState, []byte,
	error) {
	var current idempotencyItem
	err := s.get(claim.key).One(ctx, &current)
	if err != nil || current.Owner != claim.Owner {
		return Running, nil, failed
	}
	return Claimed, nil, nil
}

// SettleIdempotency stores the reply under the claimed key. owned is false when this request ran too long and another
// request has claimed the key.
func (s *Store) SettleIdempotency(ctx context.Context, c IdempotencyClaim, sealed []byte) (owned bool, err error) {
	return conditionsMet(s.update(idempotencyKey(c.Tenant, c.Name)).
		Set("reply", sealed).
		Set(expiresAt, s.now().Add(idempotencyKept).Unix()).
		If("'owner' = ?", c.Owner).Run(ctx))
}

// ReleaseIdempotency lets the same request run again under the claimed key at once. A different request is still
// refused. owned is as in SettleIdempotency.
func (s *Store) ReleaseIdempotency(ctx context.Context, c IdempotencyClaim) (owned bool, err error) {
	return conditionsMet(s.update(idempotencyKey(c.Tenant, c.Name)).
		Set("running_until", 0).
		If("'owner' = ? AND attribute_not_exists(reply)", c.Owner).Run(ctx))
}

// conditionsMet returns true if a write was made. It returns false without an error when a condition was not met.
func conditionsMet(err error) (bool, error) { return err == nil, ifRefused(err, nil) }
