package oauth

import (
	"context"
	"crypto/rand"
	"strings"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/secret"
)

type tokenRequest struct {
	credentials
	GrantType    string      `form:"grant_type" json:"grant_type" validate:"required text=255"`
	Code         secret.Text `form:"code" json:"code" validate:"text=512"`
	RedirectURI  string      `form:"redirect_uri" json:"redirect_uri" validate:"text=2048"`
	Verifier     secret.Text `form:"code_verifier" json:"code_verifier" validate:"pattern=^([A-Za-z0-9._~-]{43,128})?$"`
	RefreshToken secret.Text `form:"refresh_token" json:"refresh_token" validate:"text=512"`
	Scope        string      `form:"scope" json:"scope" validate:"text=4096"`
	Username     string      `form:"username" json:"username" validate:"text=256"`
	Password     secret.Text `form:"password" json:"password" validate:"text=256"`
}

// tokenReply is the reply of RFC 6749 §5.1.
type tokenReply struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int    `json:"expires_in"` // seconds
	RefreshToken string `json:"refresh_token,omitempty"`
	Scope        string `json:"scope"`
}

// grantTypes are the ways in which a client gets an access token (contract §10).
var grantTypes = map[string]func(family, context.Context, oauth.Client, tokenRequest) (tokenReply, error){
	"authorization_code": family.redeemCode,
	"client_credentials": family.actAsClient,
	"password":           family.signInProfile,
	"refresh_token":      family.refresh,
}

// createToken gives an authenticated client an access token.
func (f family) createToken(ctx context.Context, req tokenRequest) (tokenReply, error) {
	c, err := f.authenticate(ctx, req.credentials)
	if err != nil {
		return tokenReply{}, err
	}
	issueBy, known := grantTypes[req.GrantType]
	if !known {
		return tokenReply{}, oauth.Refused(oauth.UnsupportedGrantType, "There is no such grant_type.")
	}
	return issueBy(f, ctx, c, req)
}

// issued are the texts of new tokens. They are made before the write that stores their hashes
// is tried, so that the request recognises its own write after its reply was lost.
type issued struct{ access, refresh string }

// issue makes the texts of an access token and a refresh token.
func issue() (issued, error) {
	access, err := identity.NewAccessToken(rand.Reader)
	if err != nil {
		return issued{}, err
	}
	refresh, err := oauth.NewSecret(rand.Reader)
	return issued{access, refresh}, err
}

// reply shows a client its tokens; an empty refresh token is none.
func (i issued) reply(scopes []string) tokenReply {
	return tokenReply{AccessToken: i.access, TokenType: "Bearer", ExpiresIn: int(oauth.AccessTokenLasts.Seconds()),
		RefreshToken: i.refresh, Scope: strings.Join(scopes, " ")}
}

// missing is the failure of a request without a parameter that its grant_type needs.
func missing(name string) error { return oauth.Refused(oauth.InvalidRequest, name+" is required.") }
