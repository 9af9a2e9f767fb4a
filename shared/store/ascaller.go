package store

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
)

// readVersion is an item that a transaction writes itself, on condition of its version.
type readVersion struct {
	key
	version int // that it was read with
}

// asCaller adds conditions to a transaction that gives, takes or restricts rights: that
// the caller's credential, and what its rights follow from, are as they were when it was
// admitted. So rights that were taken away meanwhile give nothing. The zero principal is
// the platform itself, which needs none. Write such a change in RetryAs, which reads the
// caller again after ErrStale.
//
// Items that the transaction writes itself are given with the versions which they were
// read with: DynamoDB takes no second condition on them. Error: ErrStale when one of
// them is the caller's own, and has changed since it was admitted.
func (s *Store) asCaller(tx *dynamo.WriteTx, p identity.Principal, writes ...readVersion) error {
	for _, admitted := range s.admittedBy(p) {
		own := false
		for _, w := range writes {
			if w.key == admitted.key {
				own = true
				if w.version != admitted.version {
					return ErrStale
				}
			}
		}
		if !own {
			tx.Check(admitted.check)
		}
	}
	return nil
}

// admitted is an item by which a principal was admitted, and the condition that it still
// is as it was.
type admitted struct {
	readVersion
	check *dynamo.ConditionCheck
}

func (s *Store) admittedBy(p identity.Principal) []admitted {
	unchanged := func(k key, version int) admitted {
		check := s.table.Check(partitionKey, k.PK).Range(sortKey, k.SK)
		return admitted{readVersion{k, version}, check.If("version = ?", version)}
	}
	switch {
	case p.Actor.Kind == "":
		return nil
	case p.IsPerson():
		all := []admitted{s.stillThere(accessTokenKey(p.Admitted.Hash)),
			unchanged(memberKey(p.Tenant, member.NumberOf(p.Actor.ID)), p.Admitted.Version)}
		if p.Admitted.Roles > 0 {
			all = append(all, unchanged(rolesKey(p.Tenant), p.Admitted.Roles))
		}
		return all
	case p.Actor.Kind == identity.SecretKey || p.Actor.Kind == identity.PublicKey:
		k := apiKeyKey(p.Tenant, p.Admitted.Hash)
		a := unchanged(k, p.Admitted.Version)
		if p.Admitted.Version == 0 { // it is older than versions of keys
			a.check = s.table.Check(partitionKey, k.PK).Range(sortKey, k.SK).
				If("attribute_exists(pk) AND (attribute_not_exists(version) OR version = ?) AND revoked = ?", 0, false)
		}
		return []admitted{a}
	default:
		return []admitted{s.stillThere(accessTokenKey(p.Admitted.Hash))}
	}
}

func (s *Store) stillThere(k key) admitted {
	return admitted{readVersion{key: k},
		s.table.Check(partitionKey, k.PK).Range(sortKey, k.SK).If("attribute_exists(pk)")}
}

// RetryAs is Retry for what a caller may do only as long as it has its rights: after
// ErrStale they are read again, and try decides by those. Errors: ErrContended, and
// try's. Failure: Unauthorized when the caller's credential is gone.
func RetryAs[T any](ctx context.Context, s *Reader, p identity.Principal,
	try func(p identity.Principal) (T, error)) (T, error) {
	return Retry(func(again bool) (T, error) {
		if again && p.Actor.Kind != "" {
			now, err := s.Readmit(ctx, p)
			if err != nil {
				var none T
				return none, err
			}
			p = now
		}
		return try(p)
	})
}
