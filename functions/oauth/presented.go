package oauth

import (
	"cmp"
	"context"
	"strings"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/secret"
)

// introspection is the reply of RFC 7662 §2.2.
type introspection struct {
	Active       bool   `json:"active"`
	Scope        string `json:"scope,omitempty"`
	ClientID     string `json:"client_id,omitempty"`
	Username     string `json:"username,omitempty"`
	TokenType    string `json:"token_type,omitempty"`
	Expires      int64  `json:"exp,omitempty"` // seconds since 1970
	IssuedAt     int64  `json:"iat,omitempty"`
	Subject      string `json:"sub,omitempty"`
	MerchantCode string `json:"merchant_code,omitempty"`
	Issuer       string `json:"iss,omitempty"`
}

// introspectToken shows a client what one of its tokens allows at this moment (RFC 7662).
func (f family) introspectToken(ctx context.Context, req presentedToken) (introspection, error) {
	c, err := f.authenticate(ctx, req.credentials)
	if err != nil {
		return introspection{}, err
	}
	hash, access := req.hash()
	if access {
		return f.introspectAccess(ctx, c, hash)
	}
	return f.introspectRefresh(ctx, c, hash)
}

// introspectAccess shows an access token, which is active if a request with it would be admitted.
func (f family) introspectAccess(ctx context.Context, c oauth.Client, hash string) (introspection, error) {
	t, err := f.store.AccessToken(ctx, hash)
	var p identity.Principal
	if err == nil && t.Client == c.ID {
		p, _, err = f.store.Authenticate(ctx, identity.Token{Hash: hash}, "")
	}
	if failure.Is(err, failure.KindUnauthorized) || err == nil && t.Client != c.ID {
		return introspection{}, nil
	}
	if err != nil {
		return introspection{}, err
	}
	shown := f.shown(oauth.Holder{Client: t.Client, Kind: t.Kind, Subject: t.Subject, User: t.User, Tenant: p.Tenant,
		Scopes: p.Scopes})
	shown.Username = cmp.Or(p.Email, shown.Username)
	shown.TokenType, shown.Expires, shown.IssuedAt = "Bearer", t.ExpiresAt.Unix(), t.CreatedAt.Unix()
	return shown, nil
}

// introspectRefresh shows a refresh token, which is active if createToken would take it.
func (f family) introspectRefresh(ctx context.Context, c oauth.Client, hash string) (introspection, error) {
	g, err := f.usableGrant(ctx, c, hash)
	if isRefused(err) {
		return introspection{}, nil
	}
	if err != nil {
		return introspection{}, err
	}
	scopes, err := c.Granted(g.Scopes, "")
	if err != nil { // the client may no longer ask for any of them
		return introspection{}, nil
	}
	g.Scopes = scopes
	shown := f.shown(g.Holder)
	shown.Expires, shown.IssuedAt = g.ExpiresAt.Unix(), g.CreatedAt.Unix()
	if g.Kind != identity.TestProfile {
		m, err := f.store.Member(ctx, g.Tenant, member.NumberOf(g.Subject))
		if err != nil {
			return introspection{}, err
		}
		shown.Username = m.Email
	}
	return shown, nil
}

// shown is what the introspection of every active token of the holder has.
func (f family) shown(h oauth.Holder) introspection {
	i := introspection{Active: true, Scope: strings.Join(h.Scopes, " "), ClientID: h.Client,
		Subject: cmp.Or(h.User, h.Subject), MerchantCode: h.Tenant.Merchant, Issuer: f.baseURL}
	if h.Kind == identity.TestProfile {
		i.Username = member.TestProfile{ID: h.Subject}.Username(h.Tenant)
	}
	return i
}

// presentedToken is a token that a client revokes or introspects. The hint may be wrong, and is
// not used: access and refresh tokens have different forms (RFC 7009 §2.1).
type presentedToken struct {
	credentials
	Token secret.Text `form:"token" json:"token" validate:"required text=512"`
	Hint  string      `form:"token_type_hint" json:"token_type_hint" validate:"text=255"`
}

// hash is the token's; access reports whether it has the form of an access token.
func (t presentedToken) hash() (hash string, access bool) {
	token, ok := identity.ParseToken(t.Token.Reveal())
	return identity.Hash(t.Token.Reveal()), ok && token.Kind == ""
}

// revokeToken revokes a token of the client (RFC 7009): a refresh token with all its access
// tokens, an access token alone. A token that is not stored counts as revoked.
func (f family) revokeToken(ctx context.Context, req presentedToken) (rest.Empty, error) {
	c, err := f.authenticate(ctx, req.credentials)
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

// clientOfToken is the id of the client that has the access token; "" if there is no such token.
func (f family) clientOfToken(ctx context.Context, hash string) (string, error) {
	t, err := f.store.AccessToken(ctx, hash)
	if failure.Is(err, failure.KindUnauthorized) {
		return "", nil
	}
	return t.Client, err
}

// clientOfGrant is the id of the client that has the refresh token; "" if there is no such token.
func (f family) clientOfGrant(ctx context.Context, hash string) (string, error) {
	g, err := f.store.Grant(ctx, hash)
	if isRefused(err) {
		return "", nil
	}
	return g.Client, err
}

// isRefused reports whether the error is the failure invalid_grant.
func isRefused(err error) bool { return err != nil && failure.Of(err).Code == oauth.InvalidGrant }
