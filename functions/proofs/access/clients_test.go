package access_test

import (
	"net/url"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/examples"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/signin"
	"github.com/cashwrap/cashwrap/shared/store"
)

// manageClients registers an OAuth client as an operator and gives each command on it. It also sets an owner's password
// and removes the owner's second factor.
func (e *everything) manageClients() {
	e.Helper()
	var made struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	e.Operate(fields{"command": "create_oauth_client", "merchant_code": e.Merchant.Code, "name": "Till",
		"redirect_uris": []string{"http://127.0.0.1:8765/callback"}, "scopes": []string{"payments"}}, &made)
	e.Secret("client secret", made.Secret)
	for _, command := range []fields{{"command": "update_oauth_client", "name": "App"},
		{"command": "approve_oauth_client", "scopes": []string{"payments"}}, {"command": "rotate_oauth_secret"},
		{"command": "show_oauth_client"}, {"command": "revoke_oauth_client"}} {
		command["client_id"], made.Secret = made.ID, ""
		e.Operate(command, &made)
		if made.Secret != "" {
			e.Secret("client secret", made.Secret)
		}
	}
	for range 2 { // the second change ends access that the first one allowed
		var set struct{ Password string }
		e.Operate(fields{"command": "set_password", "merchant_code": e.Merchant.Code, "email": e.Owner().Email}, &set)
		e.Secret("password", set.Password)
		e.Clock.Advance(time.Second)
	}
	account := signin.Account{Kind: identity.User, ID: e.Owner().User()}
	_, err := e.App.Store.ChangeSecondFactor(e.Context(), account, func(f signin.Factor) (signin.Factor, error) {
		return signin.Factor{Enrolment: "app", ConfirmedAt: e.Clock.Now(), Version: f.Version}, nil
	})
	if err != nil {
		e.Fatal(err)
	}
	e.Operate(fields{"command": "remove_second_factor", "merchant_code": e.Merchant.Code, "email": e.Owner().Email}, nil)
}

// useApps inspects and revokes tokens and redeems a code twice. A managed user signs in and allows an app's request.
func (e *everything) useApps() {
	e.Helper()
	c, secret := e.RegisterClient()
	person := e.Person(examples.Guest(), member.RoleEmployee)
	code := e.Code(c, e.Holder(person, "transactions.history"))
	send := func(path string, form url.Values) world.Response {
		form.Set("client_id", c.ID)
		form.Set("client_secret", secret)
		return e.mustDo(world.Request{Method: "POST", Path: path, APIKey: world.NoKey, Body: form})
	}
	redeem := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {world.AppRedirect}}
	got := send("/token", redeem)
	for _, name := range []string{"access_token", "refresh_token"} {
		e.Secret(name, got.Text(name))
	}
	token := url.Values{"token": {got.Text("access_token")}}
	send("/introspect", token)
	send("/revoke", token)
	send("/token", redeem)
	e.Clock.Advance(time.Minute) // the rate limit per address allows only some requests a second
	address := examples.Guest()
	e.Secret("password", examples.Password)
	e.Send("POST", "/v0.1/me/accounts", fields{"username": address, "password": examples.Password})
	v := e.Visitor()
	v.Follow(v.Filled("/sign-in?mode=test", "/sign-in", url.Values{"username": {address}, "password": {examples.Password},
		"merchant_code": {e.Merchant.Code}}))
	asked := e.AskedFor()
	decided := v.Follow(v.Filled(asked, "/authorize", url.Values{"decision": {"allow"}}))
	if to, err := url.Parse(decided.Header.Get("Location")); err != nil || to.Query().Get("code") == "" {
		e.Errorf("got %d %s to %v, %v; want a code", decided.Status, decided.Body, to, err)
	} else {
		e.Secret("code", to.Query().Get("code"))
	}
	of, err := url.Parse(asked)
	if err != nil {
		e.Fatal(err)
	}
	v.Follow(v.Filled("/account", "/account/applications", url.Values{"client_id": {of.Query().Get("client_id")}}))
	e.blockUser(person)
}

// blockUser empties the token bucket of a user's name, tries to sign in as the user, and sends the mail to the owners.
func (e *everything) blockUser(m member.Member) {
	e.Helper()
	bucket := store.Bucket{Every: 6 * time.Minute, Burst: 10}
	_, _, err := e.App.Store.LeaseTokens(e.Context(), "passwords for "+m.Address(), bucket, 10, time.Time{})
	if err != nil {
		e.Fatal(err)
	}
	v := e.Visitor()
	v.Follow(v.Filled("/sign-in?mode=test", "/sign-in",
		url.Values{"username": {m.Email}, "password": {examples.Password}}))
	e.RunUntilIdle()
}
