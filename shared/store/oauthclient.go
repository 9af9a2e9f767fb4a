package store

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

// OAuthClient reads a client, consistently. Failure: NotFound.
func (s *View) OAuthClient(ctx context.Context, id string) (oauth.Client, error) {
	return readOne[oauth.Client](ctx, s, oauthClientKey(id), failure.NotFound("There is no such OAuth client."))
}

// CreateOAuthClient stores a new client. It does not check that the client's merchant exists.
func (s *Store) CreateOAuthClient(ctx context.Context, by audit.By, c oauth.Client) (oauth.Client, error) {
	return s.replaceOAuthClient(ctx, by, oauth.Client{}, c)
}

// UpdateOAuthClient applies a change to a client. A change without effect writes nothing. Failures: NotFound;
// ErrContended; those of change.
func (s *Store) UpdateOAuthClient(ctx context.Context, by audit.By, id string,
	change func(oauth.Client) (oauth.Client, error)) (oauth.Client, error) {
	return Retry(func(bool) (oauth.Client, error) {
		before, err := s.OAuthClient(ctx, id)
		if err != nil {
			return before, err
		}
		after, err := change(before)
		if err != nil || after.Same(before) {
			return before, err
		}
		return s.replaceOAuthClient(ctx, by, before, after)
	})
}

// replaceOAuthClient errors with ErrStale when the client changed meanwhile.
func (s *Store) replaceOAuthClient(ctx context.Context, by audit.By, before, after oauth.Client) (oauth.Client, error) {
	after.Version, after.UpdatedAt = before.Version+1, s.now()
	item := newItem(oauthClientKey(after.ID), after, after.Version)
	tx := s.newAuditedTx(by)
	tx.Put(s.replace(item))
	var was any
	if before.Version > 0 {
		was = before.ForAudit()
	}
	tx.audit(after.Tenant, "oauth_client "+after.ID, was, after.ForAudit())
	return after, tx.runReplacement(ctx, item, ErrStale)
}
