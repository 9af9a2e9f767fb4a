package oauth

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/signin"
	"github.com/cashwrap/cashwrap/shared/store"
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

// grantTypes has a function for each grant_type of contract §10. The function stores tokens and returns their scopes.
// It may change tokens.refresh.
var grantTypes = map[string]func(family, context.Context, oauth.Client, tokenRequest, *tokenPair) ([]string, error){
	"authorization_code": family.redeemCode,
	"client_credentials": family.actAsClient,
	"password":           family.signInProfile,
	"refresh_token":      family.refresh,
}

// createToken issues an access token to an authenticated client.
func (f family) createToken(ctx context.Context, req tokenRequest) (tokenReply, error) {
	c, err := f.authenticate(ctx, req.credentials)
	if err != nil {
		return tokenReply{}, err
	}
	grant, known := grantTypes[req.GrantType]
	if !known {
		return tokenReply{}, oauth.Refused(oauth.UnsupportedGrantType, "There is no such grant_type.")
	}
	tokens, err := newTokenPair()
	if err != nil {
		return tokenReply{}, err
	}
	scopes, err := grant(f, ctx, c, req, &tokens)
	return tokens.reply(scopes), err
}

// tokenPair has the texts of new tokens. The texts are made before the write, so that a request whose write got no
// reply recognises its tokens in the table.
type tokenPair struct{ access, refresh string }

func newTokenPair() (tokenPair, error) {
	access, err := identity.NewAccessToken(rand.Reader)
	if err != nil {
		return tokenPair{}, err
	}
	refresh, err := oauth.NewSecret(rand.Reader)
	return tokenPair{access, refresh}, err
}

// reply returns the reply to the client. It leaves out an empty refresh token.
func (i tokenPair) reply(scopes []string) tokenReply {
	return tokenReply{AccessToken: i.access, TokenType: "Bearer", ExpiresIn: int(oauth.AccessTokenLasts.Seconds()),
		RefreshToken: i.refresh, Scope: strings.Join(scopes, " ")}
}

// errMissing returns the failure of a request without a parameter that its grant_type needs.
func errMissing(name string) error { return oauth.Refused(oauth.InvalidRequest, name+" is required.") }

// redeemCode serves grant_type authorization_code. The client got the code at its redirect_uri.
func (f family) redeemCode(ctx context.Context, c oauth.Client, req tokenRequest, tokens *tokenPair) (scopes []string,
	err error) {
	if req.Code.IsZero() {
		return nil, errMissing("code")
	}
	codeHash, refreshHash := identity.Hash(req.Code.Reveal()), identity.Hash(tokens.refresh)
	err = f.store.Redeem(ctx, codeHash, refreshHash, func(code oauth.Code) (oauth.Grant, identity.AccessToken, error) {
		now := f.store.Now()
		refused := code.CheckRedeemable(c, req.RedirectURI, req.Verifier.Reveal(), now)
		if refused == nil {
			refused = f.checkHolder(ctx, code.Holder)
		}
		if refused == nil {
			scopes, refused = c.Granted(code.Scopes, "")
		}
		g := code.NewGrant(refreshHash, now)
		return g, g.Token(identity.Hash(tokens.access), refreshHash, scopes, now), refused
	})
	return scopes, err
}

// Failures of grant_type password.
var (
	errLiveClient = oauth.Refused(oauth.UnauthorizedClient, "grant_type password is for clients of test mode.")
	errProfile    = oauth.Refused(oauth.InvalidGrant,
		"There is no test profile with this user name and password. People sign in at /authorize.")
)

// signInProfile serves grant_type password, only for test profiles: a person must not give a client their password (RFC
// 9700 §2.4). A name that no test profile can have is not looked up, but also takes one hash.
func (f family) signInProfile(ctx context.Context, c oauth.Client, req tokenRequest, tokens *tokenPair) ([]string,
	error) {
	switch {
	case c.Tenant.Mode != identity.Test:
		return nil, errLiveClient
	case req.Username == "":
		return nil, errMissing("username")
	case req.Password.IsZero():
		return nil, errMissing("password")
	}
	scopes, err := c.Requested(req.Scope)
	if err != nil {
		return nil, err
	}
	profile, err := f.confirmProfile(ctx, c, req)
	if err != nil {
		return nil, err
	}
	now := f.store.Now()
	g := oauth.Holder{Client: c.ID, Kind: profile.Kind, Subject: profile.ID, Tenant: profile.Tenant, Scopes: scopes,
		Password: profile.Passwords[0].Operation}.NewGrant(identity.Hash(tokens.refresh), now)
	return scopes, f.store.PutGrant(ctx, g, g.Token(identity.Hash(tokens.access), g.Hash, scopes, now))
}

// confirmProfile returns the test profile with the request's name and password. Failures: invalid_grant; TooMany.
func (f family) confirmProfile(ctx context.Context, c oauth.Client, req tokenRequest) (signin.Account, error) {
	name := signin.ParseName(req.Username, "")
	var account signin.Account
	subject := "client " + c.ID // not the name, so that a client cannot use up a person's tries
	if name.Profile != "" {
		var err error
		if account, err = f.store.SignInAccount(ctx, name, identity.Test); err != nil {
			return account, err
		}
		subject = name.Subject(identity.Test)
	}
	err := f.confirmPassword(ctx, subject, account, req.Password)
	switch {
	case errors.Is(err, store.ErrWrongPassword):
		err = errProfile
	case err == nil:
		err = f.rememberAddress(ctx, account)
	}
	return account, err
}

// actAsClient serves grant_type client_credentials, for the client's merchant. It issues no refresh token (RFC 6749
// §4.4.3).
func (f family) actAsClient(ctx context.Context, c oauth.Client, req tokenRequest, tokens *tokenPair) ([]string,
	error) {
	scopes, err := c.Requested(req.Scope)
	if err != nil {
		return nil, err
	}
	tokens.refresh = ""
	own := oauth.Holder{Client: c.ID, Kind: identity.Client, Subject: c.ID, Tenant: c.Tenant}
	return scopes, f.store.PutAccessToken(ctx, own.Token(identity.Hash(tokens.access), "", scopes, f.store.Now()))
}

// errOtherClient refuses a token that was issued to another client.
var errOtherClient = oauth.Refused(oauth.InvalidGrant, "The token was issued to another client.")

// refresh serves grant_type refresh_token. The token stays the same and begins its lifetime again (contract §10).
func (f family) refresh(ctx context.Context, c oauth.Client, req tokenRequest, tokens *tokenPair) ([]string, error) {
	if req.RefreshToken.IsZero() {
		return nil, errMissing("refresh_token")
	}
	tokens.refresh = req.RefreshToken.Reveal()
	g, err := f.findUsableGrant(ctx, c, identity.Hash(tokens.refresh))
	if err != nil {
		return nil, err
	}
	scopes, err := c.Granted(g.Scopes, req.Scope)
	if err != nil {
		return nil, err
	}
	return scopes, f.store.Refresh(ctx, g, g.Token(identity.Hash(tokens.access), g.Hash, scopes, f.store.Now()))
}

// findUsableGrant returns the client's grant. Failure: invalid_grant if the grant is unknown or another client's, or if
// checkHolder refuses its holder.
func (f family) findUsableGrant(ctx context.Context, c oauth.Client, refreshHash string) (oauth.Grant, error) {
	g, err := f.store.Grant(ctx, refreshHash)
	switch {
	case err != nil:
		return g, err
	case g.Client != c.ID:
		return g, errOtherClient
	}
	return g, f.checkHolder(ctx, g.Holder)
}

// errHolder refuses a code or grant whose holder is gone, or whose access ended after the sign-in that allowed it.
var errHolder = oauth.Refused(oauth.InvalidGrant, "The person who allowed this must sign in again.")

// checkHolder refuses a code or grant unless its holder's member is active, or its test profile exists. The member or
// profile must also still have the password with which the holder signed in (contract §10). Failure: invalid_grant.
func (f family) checkHolder(ctx context.Context, h oauth.Holder) error {
	passwords, err := f.readPasswords(ctx, h)
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

// readPasswords returns the holder's passwords. Failures: NotFound for a deleted holder; errHolder for an inactive one.
func (f family) readPasswords(ctx context.Context, h oauth.Holder) (member.Passwords, error) {
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
