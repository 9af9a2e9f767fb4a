package oauth

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/signin"
)

// errNotYours is the failure for a token that was issued to another client.
var errNotYours = oauth.Refused(oauth.InvalidGrant, "The token was issued to another client.")

// refresh serves grant_type refresh_token. The refresh token stays the same, and its lifetime
// begins again (contract §10).
func (f family) refresh(ctx context.Context, c oauth.Client, req tokenRequest) (tokenReply, error) {
	if req.RefreshToken.IsZero() {
		return tokenReply{}, missing("refresh_token")
	}
	tokens, err := issue()
	if err != nil {
		return tokenReply{}, err
	}
	tokens.refresh = req.RefreshToken.Reveal()
	g, err := f.usableGrant(ctx, c, identity.Hash(tokens.refresh))
	if err != nil {
		return tokenReply{}, err
	}
	scopes, err := c.Granted(g.Scopes, req.Scope)
	if err != nil {
		return tokenReply{}, err
	}
	token := g.Token(identity.Hash(tokens.access), g.Hash, scopes, f.store.Now())
	if err := f.store.Refresh(ctx, g, token); err != nil {
		return tokenReply{}, err
	}
	return tokens.reply(scopes), nil
}

// usableGrant is the client's grant with the hash. Failure: invalid_grant for a grant that is
// unknown, another client's, or no longer allowed (stillAllowed).
func (f family) usableGrant(ctx context.Context, c oauth.Client, refreshHash string) (oauth.Grant, error) {
	g, err := f.store.Grant(ctx, refreshHash)
	switch {
	case err != nil:
		return g, err
	case g.Client != c.ID:
		return g, errNotYours
	}
	return g, f.stillAllowed(ctx, g.Holder)
}

// errHolder is the failure for a code or grant whose holder was deleted. It is also the failure when the holder's
// access has ended after the sign-in that allowed the code or grant.
var errHolder = oauth.Refused(oauth.InvalidGrant, "The person who allowed this must sign in again.")

// stillAllowed refuses a code or grant unless its holder's member is active, or its test profile
// exists, and the password is still the one with which the holder signed in to allow it
// (contract §10). Failure: invalid_grant.
func (f family) stillAllowed(ctx context.Context, h oauth.Holder) error {
	passwords, err := f.passwordsOf(ctx, h)
	switch {
	case failure.Is(err, failure.KindNotFound):
		return errHolder
	case err != nil:
		return err
	case !signin.HeldByPassword(h, passwords):
		return errHolder
	}
	return nil
}

// passwordsOf are the holder's passwords. Failures: NotFound for a holder that was deleted;
// errHolder for one that is not active.
func (f family) passwordsOf(ctx context.Context, h oauth.Holder) (member.Passwords, error) {
	if h.Kind == identity.TestProfile {
		p, err := f.store.TestProfile(ctx, h.Tenant, h.Subject)
		return p.Passwords, err
	}
	m, err := f.store.Member(ctx, h.Tenant, member.NumberOf(h.Subject))
	if err != nil {
		return nil, err
	}
	if !signin.HeldByMember(h, m) {
		return nil, errHolder
	}
	if h.Kind == identity.Operator {
		return m.Passwords, nil
	}
	u, err := f.store.User(ctx, h.User)
	return u.Passwords, err
}
