package store

import (
	"cmp"
	"context"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

// codeKept is the time for which an expired code is kept, so that a second use is noticed.
const codeKept = 24 * time.Hour

// grantItem returns a grant as stored. The grant is stored until it is revoked, or expires unused. Grants have no
// versions. The item has version 1, so replace requires that the grant is not stored yet.
func grantItem(g oauth.Grant) storedItem {
	item := newItem(grantKey(g.Hash), g, 1)
	item.TTL = g.ExpiresAt
	return item
}

// Failures of codes and refresh tokens (RFC 6749 §5.2).
var (
	errUnknownCode     = oauth.Refused(oauth.InvalidGrant, "The code is unknown.")
	errUsedCode        = oauth.Refused(oauth.InvalidGrant, "The code was already used. Its tokens are revoked.")
	errBadRefreshToken = oauth.Refused(oauth.InvalidGrant, "The refresh token is unknown, revoked or expired.")
)

// PutCode stores a new code under its hash.
func (s *Store) PutCode(ctx context.Context, c oauth.Code) error {
	c.Version = 1
	item := codeItem(c)
	tx := s.db.WriteTx().Idempotent(true).Put(s.replace(item)).Put(s.table.Put(codeLead(c)))
	return s.resolve(ctx, item, nil, tx.Run(ctx))
}

func codeItem(c oauth.Code) storedItem {
	item := newItem(codeKey(c.Hash), c, c.Version)
	item.TTL = c.ExpiresAt.Add(codeKept)
	return item
}

// Redeem exchanges a code. One transaction marks the code as used, and stores the grant under refreshHash and the
// access token, both made by issue. issue returns an error for a code that may not be redeemed. A second use of the
// code, by any client, revokes its grant (RFC 6749 §4.1.2). Failure: invalid_grant.
func (s *Store) Redeem(ctx context.Context, codeHash, refreshHash string,
	issue func(oauth.Code) (oauth.Grant, identity.AccessToken, error)) error {
	return retryWrite(func(bool) error {
		code, err := readOne[oauth.Code](ctx, s.View, codeKey(codeHash), errUnknownCode)
		switch {
		case err != nil:
			return err
		case code.Grant == refreshHash: // by an earlier try of this request, whose reply was lost
			return nil
		case code.Grant != "":
			return cmp.Or(s.RevokeGrant(ctx, code.Grant), error(errUsedCode))
		}
		g, token, err := issue(code)
		if err != nil {
			return err
		}
		code.Grant, code.Version = g.Hash, code.Version+1
		used := codeItem(code)
		tx := s.db.WriteTx().Idempotent(true).Put(s.replace(used)).Put(s.replace(grantItem(g))).
			Put(s.table.Put(newAccessTokenItem(token)).If("attribute_not_exists(pk)")).
			Put(s.table.Put(grantLead(g))).Delete(s.remove(codeLead(code).key))
		return s.resolve(ctx, used, ErrStale, tx.Run(ctx))
	})
}

// Grant reads a grant by the hash of its refresh token, consistently. Failure: invalid_grant if the token is unknown,
// revoked or expired.
func (s *View) Grant(ctx context.Context, refreshHash string) (oauth.Grant, error) {
	item, err := readOne[storedGrant](ctx, s, grantKey(refreshHash), errBadRefreshToken)
	g := item.grant()
	if err == nil && !g.Valid(s.now()) {
		err = errBadRefreshToken
	}
	return g, err
}

// PutGrant stores a new grant with its first access token.
func (s *Store) PutGrant(ctx context.Context, g oauth.Grant, token identity.AccessToken) error {
	item := grantItem(g)
	tx := s.db.WriteTx().Idempotent(true).Put(s.replace(item)).Put(s.table.Put(grantLead(g))).
		Put(s.table.Put(newAccessTokenItem(token)).If("attribute_not_exists(pk)"))
	return s.resolve(ctx, item, nil, tx.Run(ctx))
}

// Refresh stores a new access token of a grant, and extends the grant to the lifetime of a new grant. Failure:
// invalid_grant if the grant was revoked meanwhile.
func (s *Store) Refresh(ctx context.Context, g oauth.Grant, token identity.AccessToken) error {
	g.ExpiresAt = s.now().Add(oauth.RefreshLasts)
	item := grantItem(g)
	tx := s.db.WriteTx().Idempotent(true).Put(s.table.Put(item).If("attribute_exists(pk)")).Put(s.table.Put(grantLead(g))).
		Put(s.table.Put(newAccessTokenItem(token)).If("attribute_not_exists(pk)"))
	return s.resolve(ctx, item, errBadRefreshToken, tx.Run(ctx))
}

// RevokeGrant deletes a grant, which ends its refresh token and all its access tokens. Repeating the call is safe.
func (s *Store) RevokeGrant(ctx context.Context, refreshHash string) error {
	g, err := readOne[oauth.Grant](ctx, s.View, grantKey(refreshHash), nil)
	if err != nil || g.Hash == "" {
		return err
	}
	return s.db.WriteTx().Idempotent(true).Delete(s.remove(grantKey(refreshHash))).Delete(s.remove(grantLead(g).key)).
		Run(ctx)
}
