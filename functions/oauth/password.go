package oauth

import (
	"context"
	"errors"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/signin"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Failures of grant_type password.
var (
	errLiveClient = oauth.Refused(oauth.UnauthorizedClient, "grant_type password is for clients of test mode.")
	errProfile    = oauth.Refused(oauth.InvalidGrant,
		"There is no test profile with this user name and password. People sign in at /authorize.")
)

// signInProfile serves grant_type password, which is for test profiles only: a person must not
// give a client their password (RFC 9700 §2.4). A name that no test profile can have is not
// looked up; it takes one hash like every other.
func (f family) signInProfile(ctx context.Context, c oauth.Client, req tokenRequest) (tokenReply, error) {
	switch {
	case c.Tenant.Mode != identity.Test:
		return tokenReply{}, errLiveClient
	case req.Username == "":
		return tokenReply{}, missing("username")
	case req.Password.IsZero():
		return tokenReply{}, missing("password")
	}
	scopes, err := c.Requested(req.Scope)
	if err != nil {
		return tokenReply{}, err
	}
	profile, err := f.confirmedProfile(ctx, c, req)
	if err != nil {
		return tokenReply{}, err
	}
	tokens, err := issue()
	if err != nil {
		return tokenReply{}, err
	}
	now := f.store.Now()
	g := oauth.Holder{Client: c.ID, Kind: profile.Kind, Subject: profile.ID, Tenant: profile.Tenant, Scopes: scopes,
		Password: profile.Passwords[0].Operation}.NewGrant(identity.Hash(tokens.refresh), now)
	if err := f.store.PutGrant(ctx, g, g.Token(identity.Hash(tokens.access), g.Hash, scopes, now)); err != nil {
		return tokenReply{}, err
	}
	return tokens.reply(scopes), nil
}

// confirmedProfile is the test profile with the user name and password of the request.
// Failures: invalid_grant; TooMany.
func (f family) confirmedProfile(ctx context.Context, c oauth.Client, req tokenRequest) (signin.Account, error) {
	name := signin.ParseName(req.Username, "")
	var account signin.Account
	subject := "client " + c.ID // not the name: a client must not use up the tries of a person
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
