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

// itemVersion names an item and the version that a transaction requires of the item.
type itemVersion struct {
	key
	version int // as read
}

// ErrCallerChanged reports that the caller's rights changed after the caller was admitted, and that nothing was
// written. The request is admitted again, with the caller's present rights. As a failure it is a transient Conflict.
var ErrCallerChanged = failure.Conflict("The rights of the caller are being changed. Try again.").AsTransient()

// requireCaller adds conditions to a transaction that gives, takes or restricts rights: the principal's credential,
// member and roles must be unchanged since the principal was admitted, so that a caller cannot use a right that was
// lost meanwhile. The platform gets no conditions. Call requireCaller within retryAs.
//
// DynamoDB takes only one condition for each item. The transaction already has a condition for each item in the list
// named "has", so requireCaller adds none for these items. If the list has one of the caller's own items, and the
// item's version differs from the version at admission, the transaction fails with ErrStale.
func (tx *auditedTx) requireCaller(has ...itemVersion) {
	for _, admitted := range tx.store.admissionItems(tx.by.Principal) {
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

// admissionItem is an item that admitted a principal, and the condition that the item is unchanged.
type admissionItem struct {
	itemVersion
	check *dynamo.ConditionCheck
}

func (s *Store) admissionItems(p identity.Principal) []admissionItem {
	switch {
	case p.IsPlatform():
		return nil
	case p.IsPerson():
		all := append(s.tokenItems(p), s.unchangedItem(memberKey(p.Tenant, member.NumberOf(p.Actor.ID)), p.Admitted.Version))
		if p.Admitted.Roles > 0 {
			all = append(all, s.unchangedItem(rolesKey(p.Tenant), p.Admitted.Roles))
		}
		if p.Admitted.Chosen != "" {
			all = append(all, s.unchangedItem(chosenKey(p), p.Admitted.ChosenVersion))
		}
		return all
	case p.Actor.Kind == identity.SecretKey || p.Actor.Kind == identity.PublicKey:
		k := keyForAPIKey(p.Tenant, p.Admitted.Hash)
		condition, values := unchangedAPIKey(p.Admitted.Version)
		return []admissionItem{{itemVersion{k, p.Admitted.Version}, s.check(k).If(condition, values...)}}
	default:
		return s.tokenItems(p)
	}
}

// tokenItems returns the principal's access token, its client and its grant.
func (s *Store) tokenItems(p identity.Principal) []admissionItem {
	all := []admissionItem{s.existingItem(accessTokenKey(p.Admitted.Hash)),
		s.unchangedItem(oauthClientKey(p.Client), p.Admitted.Client)}
	if p.Admitted.Grant != "" {
		all = append(all, s.existingItem(grantKey(p.Admitted.Grant)))
	}
	return all
}

func (s *Store) unchangedItem(k key, version int) admissionItem {
	return admissionItem{itemVersion{k, version}, s.check(k).If("version = ?", version)}
}

func (s *Store) existingItem(k key) admissionItem {
	return admissionItem{itemVersion{key: k}, s.check(k).If("attribute_exists(pk)")}
}

// retryAs is Retry for writes with the conditions of requireCaller. Errors: audit.ErrNobody, ErrContended,
// ErrCallerChanged, and those of try. Failure: Unauthorized when the caller's credential is gone.
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

// checkCaller returns ErrCallerChanged when the caller's rights differ from those at admission. Failure: Unauthorized
// when the caller's credential is gone.
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
