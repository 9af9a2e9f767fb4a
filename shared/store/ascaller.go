package store

import (
	"context"
	"errors"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
)

// readVersion is an item on whose version a transaction has a condition.
type readVersion struct {
	key
	version int // that it was read with
}

// ErrCallerChanged reports that the caller's rights changed since it was admitted, and that nothing was written. The
// request is admitted again, with its present rights. As a failure it is a transient Conflict.
var ErrCallerChanged = failure.Conflict("The rights of the caller are being changed. Try again.").AsTransient()

// asCaller adds conditions to a transaction that gives, takes or restricts rights: the principal's credential, member
// and roles are as they were when it was admitted, so that a caller that has lost a right meanwhile cannot use it. The
// platform gets no conditions. asCaller is called within retryAs.
//
// has are the items on which the transaction has a condition already, since DynamoDB takes no second one, with the
// versions that were read. If the caller's own has changed since it was admitted, the transaction fails with ErrStale.
func (tx *auditedTx) asCaller(has ...readVersion) {
	for _, admitted := range tx.store.admittedBy(tx.by.Principal) {
		own := false
		for _, w := range has {
			if w.key == admitted.key {
				own = true
				if w.version != admitted.version {
					tx.fail(ErrStale)
				}
			}
		}
		if !own {
			tx.Check(admitted.check)
		}
	}
}

// admitted is an item by which a principal was admitted, and the condition that the item is unchanged.
type admitted struct {
	readVersion
	check *dynamo.ConditionCheck
}

func (s *Store) admittedBy(p identity.Principal) []admitted {
	switch {
	case p.IsPlatform():
		return nil
	case p.IsPerson():
		all := append(s.permitted(p), s.unchanged(memberKey(p.Tenant, member.NumberOf(p.Actor.ID)), p.Admitted.Version))
		if p.Admitted.Roles > 0 {
			all = append(all, s.unchanged(rolesKey(p.Tenant), p.Admitted.Roles))
		}
		if p.Admitted.Chosen != "" {
			all = append(all, s.unchanged(chosenKey(p), p.Admitted.ChosenVersion))
		}
		return all
	case p.Actor.Kind == identity.SecretKey || p.Actor.Kind == identity.PublicKey:
		k := apiKeyKey(p.Tenant, p.Admitted.Hash)
		condition, values := unchangedAPIKey(p.Admitted.Version)
		return []admitted{{readVersion{k, p.Admitted.Version}, s.check(k).If(condition, values...)}}
	default:
		return s.permitted(p)
	}
}

// permitted are the principal's access token, its client and its grant.
func (s *Store) permitted(p identity.Principal) []admitted {
	all := []admitted{s.stillThere(accessTokenKey(p.Admitted.Hash)),
		s.unchanged(oauthClientKey(p.Client), p.Admitted.Client)}
	if p.Admitted.Grant != "" {
		all = append(all, s.stillThere(grantKey(p.Admitted.Grant)))
	}
	return all
}

func (s *Store) unchanged(k key, version int) admitted {
	return admitted{readVersion{k, version}, s.check(k).If("version = ?", version)}
}

func (s *Store) stillThere(k key) admitted {
	return admitted{readVersion{key: k}, s.check(k).If("attribute_exists(pk)")}
}

// retryAs is Retry for writes with the conditions of asCaller. Errors: audit.ErrNobody, ErrContended,
// ErrCallerChanged, and try's. Failure: Unauthorized when the caller's credential is gone.
func retryAs[T any](ctx context.Context, by audit.By, s *View, try func() (T, error)) (T, error) {
	return Retry(func(bool) (result T, err error) {
		if err = by.Check(); err != nil {
			return result, err
		}
		result, err = try()
		if errors.Is(err, ErrStale) {
			if changed := s.checkCaller(ctx, by.Principal); changed != nil {
				err = changed
			}
		}
		return result, err
	})
}

// retryWriteAs is retryAs for a try that returns only an error.
func retryWriteAs(ctx context.Context, by audit.By, s *View, try func() error) error {
	_, err := retryAs(ctx, by, s, func() (struct{}, error) { return struct{}{}, try() })
	return err
}

// checkCaller errors with ErrCallerChanged when the caller has other rights than
// when it was admitted. Failure: Unauthorized when its credential is gone.
func (s *View) checkCaller(ctx context.Context, p identity.Principal) error {
	if p.IsPlatform() {
		return nil
	}
	now, _, err := s.Authenticate(ctx, p.Token(), p.Tenant.Merchant)
	if err == nil && (now.Admitted != p.Admitted || now.Tenant != p.Tenant) {
		err = ErrCallerChanged
	}
	return err
}
