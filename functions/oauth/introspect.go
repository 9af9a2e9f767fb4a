package oauth

import (
	"cmp"
	"context"
	"strings"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/oauth"
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

// introspectToken tells a client what one of its tokens allows now (RFC 7662).
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

// introspectAccess describes an access token, which is active if the API would admit a request with it.
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
	shown := f.introspectionOf(oauth.Holder{Client: t.Client, Kind: t.Kind, Subject: t.Subject, User: t.User,
		Tenant: p.Tenant, Scopes: p.Scopes})
	shown.Username = cmp.Or(p.Email, shown.Username)
	shown.TokenType, shown.Expires, shown.IssuedAt = "Bearer", t.ExpiresAt.Unix(), t.CreatedAt.Unix()
	return shown, nil
}

// introspectRefresh describes a refresh token, which is active if createToken would accept it.
func (f family) introspectRefresh(ctx context.Context, c oauth.Client, hash string) (introspection, error) {
	g, err := f.findUsableGrant(ctx, c, hash)
	if isRefused(err) {
		return introspection{}, nil
	}
	if err != nil {
		return introspection{}, err
	}
	scopes, err := c.Granted(g.Scopes, "")
	if err != nil { // the client may not ask for any of the scopes any more
		return introspection{}, nil
	}
	g.Scopes = scopes
	shown := f.introspectionOf(g.Holder)
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

// introspectionOf returns the fields that every active token of the holder shows.
func (f family) introspectionOf(h oauth.Holder) introspection {
	i := introspection{Active: true, Scope: strings.Join(h.Scopes, " "), ClientID: h.Client,
		Subject: cmp.Or(h.User, h.Subject), MerchantCode: h.Tenant.Merchant, Issuer: f.baseURL}
	if h.Kind == identity.TestProfile {
		i.Username = member.TestProfile{ID: h.Subject}.Username(h.Tenant)
	}
	return i
}
