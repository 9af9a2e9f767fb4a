package store

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// sessionItem is a payer's session, stored under the hash of its token.
type sessionItem struct {
	identity.Tenant
	payments.Session
}

// ErrNoLink is the failure for every invalid or expired token of a link: a payer's, an invitation's, a receipt's.
var ErrNoLink = failure.NotFound("This link is not valid or has expired.")

func (s *Store) putSession(t identity.Tenant, session payments.Session) *dynamo.Put {
	return s.table.Put(storedItem{key: sessionKey(session.TokenHash), value: sessionItem{t, session},
		TTL: session.ExpiresAt})
}

// Session reads the session of a payer's token, and its tenant. Failure: NotFound for an unknown or expired session.
func (s *View) Session(ctx context.Context, tokenHash string) (identity.Tenant, payments.Session, error) {
	item, err := readOne[sessionItem](ctx, s, sessionKey(tokenHash), ErrNoLink)
	if err == nil && !s.now().Before(item.ExpiresAt) {
		return identity.Tenant{}, payments.Session{}, ErrNoLink
	}
	return item.Tenant, item.Session, err
}
