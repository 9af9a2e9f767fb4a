package provision_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/secret"
)

type givenPassword struct {
	MerchantCode string `json:"merchant_code"`
	Mode         string `json:"mode"`
	Email        string `json:"email"`
	Password     string `json:"password"`
}

func (d operator) setPassword(command fields) givenPassword {
	d.Helper()
	got := run[givenPassword](d, with(fields{"command": "set_password"}, command))
	d.Secret("password", got.Password)
	return got
}

// hasPassword returns true if the text is the current password of the user with the address.
func (d operator) hasPassword(email, text string) bool {
	d.Helper()
	u, err := d.App.Store.UserByEmail(d.Context(), email)
	if err != nil {
		d.Fatal(err)
	}
	same, err := u.Passwords.Confirms(d.Context(), member.CheapCost.Choose(secret.New(text)))
	if err != nil {
		d.Fatal(err)
	}
	return same
}

// TestSetPassword_Owner sets a first password, and checks that it is valid at all merchants of the owner. The next
// password replaces it.
func TestSetPassword_Owner(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m, other := d.createMerchant(fields{"email": "Ada@example.com"}), d.createMerchant(fields{"email": "ada@example.com"})
	d.Clock.Advance(time.Minute)
	first := d.setPassword(fields{"merchant_code": m.Code, "email": "ADA@example.com", "by": "bob"})
	want := givenPassword{m.Code, "test", "Ada@example.com", first.Password}
	if first != want || len(first.Password) != 24 || !d.hasPassword("ada@example.com", first.Password) {
		t.Errorf("got %+v, want %+v, of 24 characters, the user's", first, want)
	}
	d.Clock.Advance(time.Minute)
	second := d.setPassword(fields{"merchant_code": other.Code, "email": "ada@example.com", "mode": "test"})
	if d.hasPassword("ada@example.com", first.Password) || !d.hasPassword("ada@example.com", second.Password) {
		t.Error("got the first password still, want the second")
	}
	const ended = `{} {"access_ended_at":"2026-11-20T12:02:00Z"}`
	for at, want := range map[string][]string{
		m.Code: {`{"password_set_at":null} {"password_set_at":"2026-11-20T12:01:00Z"}`, ended},
		other.Code: {`{"access_ended_at":"2026-11-20T12:00:00Z"} {"access_ended_at":"2026-11-20T12:02:00Z"}`,
			`{"password_set_at":"2026-11-20T12:01:00Z"} {"password_set_at":"2026-11-20T12:02:00Z"}`},
	} {
		of := identity.Tenant{Mode: identity.Test, Merchant: at}
		var got []string
		for _, e := range d.listAudit(provisioned{Code: at}, nil).Entries {
			if e.Operation == "set_password" {
				about := "test member " + member.OwnerID(of) + " "
				got = append(got, strings.TrimPrefix(fmt.Sprintf("%s %s %s %s", e.Mode, e.Subject, e.Before, e.After), about))
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("audit of %s (-want +got):\n%s", at, diff)
		}
	}
}

// TestSetPassword_EndsAccess checks that the refresh token and the browser's session end (contract §10).
func TestSetPassword_EndsAccess(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(nil)
	c := d.runClient(clientRegistration(m, nil))
	app := client.Application{ID: c.ID, Secret: c.Secret, RedirectURI: callbackURI, Scope: "profile"}
	set := fields{"merchant_code": m.Code, "email": "buch@example.com"}
	owner := client.Person{Username: "buch@example.com", Password: d.setPassword(set).Password}
	api := client.Client{BaseURL: d.App.BaseURL, Transport: client.Handler{Handler: d.Main().Handler()}}
	browser := client.Browser{Client: api}
	first, err := app.SignIn(t.Context(), &browser, owner, m.Code)
	if err != nil {
		t.Fatal(err)
	}
	title := func() string {
		t.Helper()
		shown, err := browser.Open(t.Context(), client.Request{Method: http.MethodGet, Path: "/sign-in"})
		if err != nil || shown.Status != http.StatusOK {
			t.Fatalf("got %d, %v, want a page", shown.Status, err)
		}
		return regexp.MustCompile("<title>(.*)</title>").FindString(string(shown.Body))
	}
	refresh := func() error {
		var again client.Tokens
		err := app.Token(t.Context(), api, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {first.Refresh}},
			&again)
		if err == nil {
			d.Secret("access token", again.Access)
		}
		return err
	}
	d.Secret("access token", first.Access)
	d.Secret("refresh token", first.Refresh)
	if err := refresh(); err != nil {
		t.Errorf("before: got %v, want tokens", err)
	}
	signedIn := title()
	owner.Password = d.setPassword(set).Password
	if err := refresh(); err == nil || !strings.HasSuffix(err.Error(), "400 invalid_grant") {
		t.Errorf("afterwards: got %v, want invalid_grant", err)
	}
	if got := title(); got == signedIn {
		t.Errorf("afterwards: got the page %s, want the one that asks to sign in", got)
	}
	d.Clock.Advance(time.Minute)
	if _, err := app.SignIn(t.Context(), &client.Browser{Client: api}, owner, m.Code); err != nil {
		t.Errorf("with the new password: got %v, want tokens", err)
	}
}

func TestSetPassword_Invalid(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	m := d.createMerchant(nil)
	shop := d.shop(m)
	managed := shop.Employ("till@example.com", member.Permissions{})
	shop.Must(201, shop.Send("POST", "/v0.1/merchants/"+m.Code+"/members",
		fields{"email": "invited@example.com", "roles": []string{"role_employee"}}))
	d.disable(shop, "second@example.com")
	set := fields{"command": "set_password", "merchant_code": m.Code, "email": "buch@example.com"}
	for _, c := range []struct {
		changes     fields
		code, param string
	}{
		{fields{"merchant_code": ""}, "MISSING", "merchant_code"},
		{fields{"merchant_code": "MC00000000"}, "NOT_FOUND", ""},
		{fields{"mode": "live"}, "INVALID", "mode"},
		{fields{"email": ""}, "MISSING", "email"},
		{fields{"email": "nobody@example.com"}, "NOT_FOUND", ""},
		{fields{"email": managed.Email}, "NOT_FOUND", ""},
		{fields{"email": "invited@example.com"}, "CONFLICT", ""},
		{fields{"email": "second@example.com"}, "CONFLICT", ""},
		{fields{"password": "correct horse"}, "INVALID", "password"},
		{fields{"merchant_code": d.Merchant.Code}, "NOT_FOUND", ""}, // a member of another merchant
	} {
		d.checkRefused(with(set, c.changes), c.code, c.param)
	}
}

// disable makes another owner and disables the account.
func (d operator) disable(shop world.Shop, email string) {
	d.Helper()
	_, err := d.App.Store.CreateMember(d.Context(), world.ByTest, shop.Tenant(), email, email,
		func(id string, _ member.Roles) (member.Member, error) {
			m := member.NewOwner(shop.Tenant(), email, member.User{ID: member.UserID(email)}, d.Clock.Now())
			m.ID, m.DisabledAt = id, d.Clock.Now()
			return m, nil
		})
	if err != nil {
		d.Fatal(err)
	}
}
