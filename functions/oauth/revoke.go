package oauth

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/secret"
)

// presentedToken is a token to revoke or introspect. Its form, not the hint, tells its type (RFC 7009 §2.1).
type presentedToken struct {
	credentials
	Token secret.Text `form:"token" json:"token" validate:"required text=512"`
	Hint  string      `form:"token_type_hint" json:"token_type_hint" validate:"text=255"`
}

// hash returns the token's hash. access is true if the token has the form of an access token.
func (t presentedToken) hash() (hash string, access bool) {
	token, ok := identity.ParseToken(t.Token.Reveal())
	return identity.Hash(t.Token.Reveal()), ok && token.Kind == ""
}

// revokeToken revokes a client's token (RFC 7009). With a refresh token it also revokes the grant's access tokens. For
// an unknown token it succeeds.
func (f family) revokeToken(ctx context.Context, req presentedToken) (rest.Empty, error) {
	c, err := f.authenticate(ctx, req.credentials)
	if err != nil {
		return rest.Empty{}, err
	}
	hash, access := req.hash()
	of, revoke := f.findGrantClient, f.store.RevokeGrant
	if access {
		of, revoke = f.findTokenClient, f.store.RevokeAccessToken
	}
	switch owner, err := of(ctx, hash); {
	case err != nil:
		return rest.Empty{}, err
	case owner == "":
		return rest.Empty{}, nil
	case owner != c.ID:
		return rest.Empty{}, errOtherClient
	}
	return rest.Empty{}, revoke(ctx, hash)
}

// findTokenClient returns the id of the client that has the access token; "" if there is no such token.
func (f family) findTokenClient(ctx context.Context, hash string) (string, error) {
	t, err := f.store.AccessToken(ctx, hash)
	if failure.Is(err, failure.KindUnauthorized) {
		return "", nil
	}
	return t.Client, err
}

// findGrantClient returns the id of the client that has the refresh token; "" if there is no such token.
func (f family) findGrantClient(ctx context.Context, hash string) (string, error) {
	g, err := f.store.Grant(ctx, hash)
	if isRefused(err) {
		return "", nil
	}
	return g.Client, err
}

// isRefused returns true if the error is the failure invalid_grant.
func isRefused(err error) bool { return err != nil && failure.Of(err).Code == oauth.InvalidGrant }
