package store

import (
	"cmp"
	"context"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

// codeItem is kept for a day after the code expires, so that a second use is noticed.
type codeItem struct {
	key
	WriteID string `dynamo:"write_id"`
	oauth.Code
	TTL time.Time `dynamo:"expires_at,unixtime"`
}

const codeKept = 24 * time.Hour // after it expires

// grantItem is kept until the grant is revoked, or expires without a use.
type grantItem struct {
	key
	WriteID string `dynamo:"write_id"`
	oauth.Grant
	TTL time.Time `dynamo:"expires_at,unixtime"`
}

func newGrantItem(g oauth.Grant) grantItem {
	return grantItem{key: grantKey(g.Hash), WriteID: newWriteID(), Grant: g, TTL: g.ExpiresAt}
}

// Failures of codes and refresh tokens (RFC 6749 §5.2).
var (
	errCode    = oauth.Refused(oauth.InvalidGrant, "The code is unknown.")
	errUsed    = oauth.Refused(oauth.InvalidGrant, "The code was already used. Its tokens are revoked.")
	errRefresh = oauth.Refused(oauth.InvalidGrant, "The refresh token is unknown, revoked or expired.")
)

// PutCode stores a new code under its hash.
func (s *Store) PutCode(ctx context.Context, c oauth.Code) error {
	c.Version = 1
	item := newCodeItem(c)
	err := s.table.Put(item).If("attribute_not_exists(pk)").Run(ctx)
	return s.resolveWrite(ctx, item.key, written{item.WriteID, c.Version}, nil, err)
}

func newCodeItem(c oauth.Code) codeItem {
	return codeItem{key: codeKey(c.Hash), WriteID: newWriteID(), Code: c, TTL: c.ExpiresAt.Add(codeKept)}
}

// Redeem exchanges a code: one transaction marks it as used, and stores the grant and the access
// token that issue makes. refreshHash is the grant's. issue errors for a code that may not be
// redeemed. A second use of the code, by any client, revokes the grant that it gave (RFC 6749
// §4.1.2). Failures: invalid_grant; ErrContended; those of issue.
func (s *Store) Redeem(ctx context.Context, codeHash, refreshHash string,
	issue func(oauth.Code) (oauth.Grant, identity.AccessToken, error)) error {
	return retryWrite(func(bool) error {
		item, err := readOne[codeItem](ctx, s.View, codeKey(codeHash), errCode)
		switch {
		case err != nil:
			return err
		case item.Grant == refreshHash: // by an earlier try of this request, whose reply was lost
			return nil
		case item.Grant != "":
			return cmp.Or(s.RevokeGrant(ctx, item.Grant), error(errUsed))
		}
		g, token, err := issue(item.Code)
		if err != nil {
			return err
		}
		used := item.Code
		used.Grant, used.Version = g.Hash, used.Version+1
		after := newCodeItem(used)
		tx := s.db.WriteTx().Idempotent(true).
			Put(s.table.Put(after).If("version = ?", item.Version)).
			Put(s.table.Put(newGrantItem(g)).If("attribute_not_exists(pk)")).
			Put(s.table.Put(newAccessTokenItem(token)).If("attribute_not_exists(pk)"))
		return s.resolveWrite(ctx, after.key, written{after.WriteID, used.Version}, ErrStale, tx.Run(ctx))
	})
}

// Grant reads a grant by the hash of its refresh token, consistently. Failure: invalid_grant
// for one that is unknown, revoked or expired.
func (s *View) Grant(ctx context.Context, refreshHash string) (oauth.Grant, error) {
	item, err := readOne[grantItem](ctx, s, grantKey(refreshHash), errRefresh)
	item.ExpiresAt = item.TTL.UTC()
	if err == nil && !item.Valid(s.now()) {
		err = errRefresh
	}
	return item.Grant, err
}

// PutGrant stores a new grant with its first access token.
func (s *Store) PutGrant(ctx context.Context, g oauth.Grant, token identity.AccessToken) error {
	item := newGrantItem(g)
	tx := s.db.WriteTx().Idempotent(true).Put(s.table.Put(item).If("attribute_not_exists(pk)")).
		Put(s.table.Put(newAccessTokenItem(token)).If("attribute_not_exists(pk)"))
	return s.resolveWrite(ctx, item.key, written{WriteID: item.WriteID, Version: 1}, nil, tx.Run(ctx))
}

// Refresh stores a new access token of a grant, and extends the grant to the lifetime of a new
// one. Failure: invalid_grant if it was revoked meanwhile.
func (s *Store) Refresh(ctx context.Context, g oauth.Grant, token identity.AccessToken) error {
	g.ExpiresAt = s.now().Add(oauth.RefreshLasts)
	item := newGrantItem(g)
	tx := s.db.WriteTx().Idempotent(true).Put(s.table.Put(item).If("attribute_exists(pk)")).
		Put(s.table.Put(newAccessTokenItem(token)).If("attribute_not_exists(pk)"))
	return s.resolveWrite(ctx, item.key, written{WriteID: item.WriteID, Version: 1}, errRefresh, tx.Run(ctx))
}

// RevokeGrant deletes a grant: the refresh token and all its access tokens are refused from
// now on. It may be repeated.
func (s *Store) RevokeGrant(ctx context.Context, refreshHash string) error {
	return s.remove(grantKey(refreshHash)).Run(ctx)
}
