// Package oauth serves the families OAuth and Sign-in of contract §10: sign-in, consent, and a client's tokens. Routes
// returns their routes, which functions.All lists.
package oauth

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/oauth"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/signin"
	"github.com/cashwrap/cashwrap/shared/store"
)

// storage lists the methods of the store that the family uses.
type storage interface {
	AccessToken(ctx context.Context, tokenHash string) (identity.AccessToken, error)
	AllowedGrants(ctx context.Context, a signin.Account) ([]store.AllowedGrant, error)
	Authenticate(ctx context.Context, token identity.Token, code string) (identity.Principal, merchant.Merchant, error)
	ChangeSecondFactor(ctx context.Context, a signin.Account,
		change func(signin.Factor) (signin.Factor, error)) (signin.Factor, error)
	ConfirmSignIn(ctx context.Context, pending string, session signin.Session,
		use func(signin.Factor) (signin.Factor, error)) error
	EndSignIn(ctx context.Context, hash string) error
	EndSignIns(ctx context.Context, a signin.Account, ends func(hash string) bool) error
	Grant(ctx context.Context, refreshHash string) (oauth.Grant, error)
	KnowsAddress(ctx context.Context, id string) (bool, error)
	Member(ctx context.Context, t identity.Tenant, number int32) (member.Member, error)
	Memberships(ctx context.Context, user string, mode identity.Mode) ([]store.Membership, error)
	Merchant(ctx context.Context, code string) (merchant.Merchant, error)
	Now() time.Time
	OAuthClient(ctx context.Context, id string) (oauth.Client, error)
	PasswordFrom(b store.Budget, text secret.Text) *store.NewPassword
	PutAccessToken(ctx context.Context, t identity.AccessToken) error
	PutCode(ctx context.Context, c oauth.Code) error
	PutGrant(ctx context.Context, g oauth.Grant, token identity.AccessToken) error
	PutKnownAddress(ctx context.Context, id string, until time.Time) error
	PutSignIn(ctx context.Context, session signin.Session) error
	Redeem(ctx context.Context, codeHash, refreshHash string,
		issue func(oauth.Code) (oauth.Grant, identity.AccessToken, error)) error
	Refresh(ctx context.Context, g oauth.Grant, token identity.AccessToken) error
	ReportSignIn(ctx context.Context, name string, a signin.Account) error
	RevokeAccessToken(ctx context.Context, tokenHash string) error
	RevokeGrant(ctx context.Context, refreshHash string) error
	RevokeGrants(ctx context.Context, a signin.Account, client string) error
	SecondFactor(ctx context.Context, user string) (signin.Factor, error)
	SignIn(ctx context.Context, hash string) (signin.Session, bool, error)
	SignInAccount(ctx context.Context, name signin.Name, mode identity.Mode) (signin.Account, error)
	SignIns(ctx context.Context, a signin.Account) ([]signin.Session, error)
	TestProfile(ctx context.Context, t identity.Tenant, id string) (member.TestProfile, error)
	User(ctx context.Context, id string) (member.User, error)
}

type family struct {
	store   storage
	baseURL string // URL of the API, without a trailing slash; also the issuer (RFC 8414 §2)
	forms   rest.Forms
	devices rest.Forms // reads and sets the device cookie; no form uses it
	log     *slog.Logger

	merchants rest.Forms // reads and sets the cookie with a managed user's merchant code; no form uses it

	factorKey func() signin.FactorKey
	knownKey  func() signin.KnownKey
	wallNow   func() time.Time // the real time; authenticator apps make codes from it
}

// Routes returns the routes of the families.
func Routes(a *app.App) []rest.Route {
	f := family{store: a.Store, baseURL: strings.TrimRight(a.BaseURL, "/"), forms: rest.NewForms("session", a.BaseURL),
		devices: rest.NewForms("device", a.BaseURL), merchants: rest.NewForms("merchant", a.BaseURL), log: a.Log,
		factorKey: a.FactorKey, knownKey: a.KnownKey,
		wallNow: a.WallNow}
	return []rest.Route{
		{Method: "POST", Path: "/token", Access: rest.Open, Errors: rest.OAuth, Handle: rest.JSON(200, f.createToken)},
		{Method: "POST", Path: "/revoke", Access: rest.Open, Errors: rest.OAuth, Handle: rest.JSON(200, f.revokeToken)},
		{Method: "POST", Path: "/introspect", Access: rest.Open, Errors: rest.OAuth,
			Handle: rest.JSON(200, f.introspectToken)},
		{Method: "GET", Path: "/.well-known/oauth-authorization-server", Access: rest.Open,
			Handle: rest.JSON(200, f.retrieveAuthorizationServer)},
		{Method: "GET", Path: "/authorize", Access: rest.Open, Errors: rest.HTML,
			Handle: rest.Page(f.showAuthorization)},
		{Method: "POST", Path: "/authorize", Access: rest.Open, Errors: rest.HTML,
			Handle: rest.Page(f.decideAuthorization)},
		{Method: "GET", Path: "/sign-in", Access: rest.Open, Errors: rest.HTML, Handle: rest.Page(f.showSignIn)},
		{Method: "POST", Path: "/sign-in", Access: rest.Open, Errors: rest.HTML,
			Handle: rest.Page(f.signIn).Unchecked()},
		{Method: "POST", Path: "/sign-in/second-factor", Access: rest.Open, Errors: rest.HTML,
			Handle: rest.Page(f.confirmSignIn).Unchecked()},
		{Method: "GET", Path: "/account", Access: rest.Open, Errors: rest.HTML, Handle: rest.Page(f.showAccount)},
		{Method: "POST", Path: "/account/sessions", Access: rest.Open, Errors: rest.HTML,
			Handle: rest.Page(f.endSessions).Unchecked()},
		{Method: "POST", Path: "/account/applications", Access: rest.Open, Errors: rest.HTML,
			Handle: rest.Page(f.revokeApplication).Unchecked()},
		{Method: "GET", Path: "/account/second-factor", Access: rest.Open, Errors: rest.HTML,
			Handle: rest.Page(f.showSecondFactor)},
		{Method: "POST", Path: "/account/second-factor", Access: rest.Open, Errors: rest.HTML,
			Handle: rest.Page(f.updateSecondFactor).Unchecked()},
	}
}
