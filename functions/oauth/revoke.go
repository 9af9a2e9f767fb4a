package oauth

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/secret"
)

// tokenOf is a token that a client presents. The hint may be wrong, and is not needed: the two
// kinds of tokens have different forms (RFC 7009 §2.1).
type tokenOf struct {
	credentials
	Token secret.Text `form:"token" json:"token" validate:"required text=512"`
	Hint  string      `form:"token_type_hint" json:"token_type_hint" validate:"text=255"`
}

// hash is that of the token; access reports whether it has the form of an access token.
func (t tokenOf) hash() (hash string, access bool) {
	token, ok := identity.ParseToken(t.Token.Reveal())
	return identity.Hash(t.Token.Reveal()), ok && token.Kind == ""
}

// revokeToken ends a token of the client's (RFC 7009): with a refresh token all its access
// tokens, an access token alone. One that is not there is revoked already.
func (f family) revokeToken(ctx context.Context, req tokenOf) (rest.Empty, error) {
	c, err := f.client(ctx, req.credentials)
	if err != nil {
		return rest.Empty{}, err
	}
	hash, access := req.hash()
	of, revoke := f.clientOfGrant, f.store.RevokeGrant
	if access {
		of, revoke = f.clientOfToken, f.store.RevokeAccessToken
	}
	switch owner, err := of(ctx, hash); {
	case err != nil:
		return rest.Empty{}, err
	case owner == "":
		return rest.Empty{}, nil
	case owner != c.ID:
		return rest.Empty{}, errNotYours
	}
	return rest.Empty{}, revoke(ctx, hash)
}

// clientOfToken is the client that has the access token with the hash; "" if there is none.
func (f family) clientOfToken(ctx context.Context, hash string) (string, error) {
	t, err := f.store.AccessToken(ctx, hash)
	if failure.Is(err, failure.KindUnauthorized) {
		return "", nil
	}
	return t.Client, err
}

// clientOfGrant is the client that has the refresh token with the hash; "" if there is none.
func (f family) clientOfGrant(ctx context.Context, hash string) (string, error) {
	g, err := f.store.Grant(ctx, hash)
	if isRefused(err) {
		return "", nil
	}
	return g.Client, err
}

// isRefused reports whether the error is the failure invalid_grant.
func isRefused(err error) bool { return err != nil && failure.Of(err).Code == oauth.InvalidGrant }
