package oauth_test

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

// offeredMerchants returns the merchants that the page offers.
func (b *browser) offeredMerchants() (codes []string) {
	for _, option := range strings.Split(b.page, `<option value="`)[1:] {
		if code, _, _ := strings.Cut(option, `"`); code != "" {
			codes = append(codes, code)
		}
	}
	if code := b.filledForm("/authorize", nil).Get("merchant_code"); code != "" {
		codes = append(codes, code)
	}
	return codes
}

// TestDecideAuthorization_SeveralMerchants checks that a user may choose any active membership in the client's mode.
func TestDecideAuthorization_SeveralMerchants(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	branch := p.NewShop("BR", "BRL", nil)
	other, third := p.OtherShop().Tenant(), branch.Tenant()
	p.join(p.Tenant(), "owner@example.com")
	p.join(p.Tenant(), ada)
	there, gone := p.join(other, ada), p.join(third, ada)
	p.join(other, "owner@example.com") // so that ada's membership may be removed
	hers := p.join(liveTenant(third), ada)
	b := p.newBrowser()
	b.openAndSignIn(ada, nil)
	b.open(p.authorizePath(nil))
	want := []string{p.Merchant.Code, other.Merchant, third.Merchant}
	if diff := cmp.Diff(slices.Sorted(slices.Values(want)), b.offeredMerchants()); diff != "" {
		t.Errorf("the merchants (-want +got):\n%s", diff)
	}
	page := b.page
	stored := p.storedCode(b.decide("allow", url.Values{"merchant_code": {other.Merchant}}))
	if stored.Tenant != other || stored.Subject != there.ID || stored.User != there.UserID {
		t.Errorf("got %+v, want her member of %s", stored, other)
	}
	p.disable(third, gone)
	membership := "/v0.1/merchants/" + other.Merchant + "/members/" + there.ID
	p.Must(200, p.OtherShop().Send("DELETE", membership, nil))
	strangers := p.NewShop("DE", "EUR", nil).Merchant.Code
	for name, code := range map[string]string{"none": "", "a stranger": strangers, "disabled since": third.Merchant,
		"removed since": other.Merchant, "lower case": strings.ToLower(p.Merchant.Code),
		"two": other.Merchant + " " + p.Merchant.Code} {
		b.page = page
		got := b.decide("allow", url.Values{"merchant_code": {code}})
		if got.Status != http.StatusBadRequest || !strings.Contains(b.page, `role="alert"`) {
			t.Errorf("%s: got %d to %s, want 400 and the page again", name, got.Status, got.Header.Get("Location"))
		}
	}
	p.register("client_live", liveTenant(p.Tenant()), func(*oauth.Client) {})
	b.open(p.authorizePath(url.Values{"client_id": {"client_live"}}))
	if diff := cmp.Diff([]string{third.Merchant}, b.offeredMerchants()); diff != "" {
		t.Errorf("in live mode (-want +got):\n%s", diff)
	}
	if got := p.storedCode(b.decide("allow", nil)); got.Tenant != liveTenant(third) || got.Subject != hers.ID {
		t.Errorf("in live mode: got %+v, want her member there", got)
	}
}

// disable disables a member of any kind.
func (p people) disable(t identity.Tenant, m member.Member) {
	p.Helper()
	_, err := p.App.Store.UpdateMember(p.Context(), world.ByTest, t, m.Number(), "", member.EndKeys,
		func(m member.Member, _ member.Roles) (member.Member, error) {
			return m.Enabled(false, p.App.Store.Now()), nil
		})
	if err != nil {
		p.Fatal(err)
	}
}

// TestDecideAuthorization_ManagedUserOrTestProfile checks that a managed user and a test profile act only for their own
// merchant, in their own mode, even if the form is forged.
func TestDecideAuthorization_ManagedUserOrTestProfile(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	till := p.employ(p.Tenant(), "till@example.com")
	profile, password, err := member.NewTestProfile(rand.Reader, "", p.App.Store.Now())
	if err == nil {
		profile, err = p.App.Store.CreateTestProfile(p.Context(), world.ByTest, p.Tenant(), profile,
			p.App.Store.PasswordOf(p.Tenant(), "a profile", password))
	}
	if err != nil {
		t.Fatal(err)
	}
	p.Secret("test profile's password", password.Reveal())
	p.register("client_live", liveTenant(p.Tenant()), func(*oauth.Client) {})
	inLive := url.Values{"client_id": {"client_live"}}
	for name, c := range map[string]struct {
		name, password, merchant string
		kind                     identity.Kind
		subject                  string
	}{
		"a managed user": {"Till@example.com", herPassword, strings.ToLower(p.Merchant.Code), identity.Operator, till.ID},
		"a test profile": {" " + profile.Username(p.Tenant()), password.Reveal(), "", identity.TestProfile, profile.ID},
	} {
		b := p.newBrowser()
		b.open(p.authorizePath(nil))
		to := b.signIn(c.name, c.password, url.Values{"merchant_code": {c.merchant}})
		if to.Status != http.StatusSeeOther {
			t.Fatalf("%s: got %d %s, want 303", name, to.Status, to.Body)
		}
		b.open(localTarget(to))
		got := p.storedCode(b.decide("allow", nil))
		want := oauth.Holder{Client: p.client.ID, Kind: c.kind, Subject: c.subject, Tenant: p.Tenant(),
			Scopes: got.Scopes, Password: got.Password, SignedIn: p.App.Store.Now().Add(-2 * time.Second)}
		if diff := cmp.Diff(want, got.Holder); diff != "" || got.Password == "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		b.open(p.authorizePath(nil))
		b.Want(name+", another merchant", 400, b.decide("allow", url.Values{"merchant_code": {p.Other.Code}}))
		b.open(p.authorizePath(inLive))
		if strings.Contains(b.page, `value="allow"`) || !strings.Contains(b.page, `role="alert"`) {
			t.Errorf("%s, in live mode: got %s, want a page without a button to allow", name, b.page)
		}
		if mixed := b.decide("allow", url.Values{"merchant_code": {p.Merchant.Code}}); mixed.Status != 400 {
			t.Errorf("%s, in live mode: got %d to %s, want 400", name, mixed.Status, mixed.Header.Get("Location"))
		}
		b.cookie = ""
		b.open(p.authorizePath(inLive))
		b.Want(name+", signing in for live mode", 400,
			b.signIn(c.name, c.password, url.Values{"merchant_code": {c.merchant}}))
		p.Clock.Advance(time.Minute)
	}
}

// TestDecideAuthorization_NoMerchant checks that a person without a merchant in the client's mode can only deny.
func TestDecideAuthorization_NoMerchant(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(liveTenant(p.Tenant()), ada)
	b := p.newBrowser()
	b.openAndSignIn(ada, nil)
	b.open(p.authorizePath(nil))
	if strings.Contains(b.page, `value="allow"`) {
		t.Errorf("got %s, want no button to allow", b.page)
	}
	page := b.page
	if got := b.decide("allow", url.Values{"merchant_code": {p.Merchant.Code}}); got.Status != http.StatusBadRequest {
		t.Errorf("got %d to %s, want 400", got.Status, got.Header.Get("Location"))
	}
	b.page = page
	if got := b.decide("deny", nil); redirectQuery(got).Get("error") != "access_denied" {
		t.Errorf("got %d to %s, want access_denied", got.Status, got.Header.Get("Location"))
	}
}

// TestDecideAuthorization_EndedSession checks that a session ends after an hour, with a new password, and when the
// account is disabled.
func TestDecideAuthorization_EndedSession(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	till := p.employ(p.Tenant(), "till@example.com")
	p.join(p.Tenant(), ada)
	code := url.Values{"merchant_code": {p.Merchant.Code}}
	operator := fmt.Sprint("/v0.1/me/accounts/", p.employ(p.Tenant(), "mila@example.com").Number())
	for name, c := range map[string]struct {
		who  string
		more url.Values
		end  func()
	}{
		"after an hour": {ada, nil, func() { p.Clock.Advance(time.Hour) }},
		"disabled":      {"till@example.com", code, func() { p.disable(p.Tenant(), till) }},
		"with a new password": {"mila@example.com", code, func() {
			p.Send("PUT", operator+"/reset", map[string]any{"password": otherPassword})
		}},
	} {
		b := p.newBrowser()
		b.openAndSignIn(c.who, c.more)
		b.open(p.authorizePath(nil))
		page := b.page
		c.end()
		got := b.decide("allow", nil)
		if got.Status != http.StatusBadRequest || !strings.Contains(b.page, `action="/sign-in"`) {
			t.Errorf("%s: got %d to %s, want 400 and the page to sign in", name, got.Status, got.Header.Get("Location"))
		}
		b.open(p.authorizePath(nil))
		if strings.Contains(b.page, `action="/authorize"`) {
			t.Errorf("%s: got the page that asks for consent, want the one to sign in", name)
		}
		b.page = page
		if got := b.decide("deny", nil); redirectQuery(got).Get("error") != "access_denied" {
			t.Errorf("%s, denied: got %d, want access_denied", name, got.Status)
		}
	}
}

// TestDecideAuthorization_PendingSession checks that a Pending session, which lacks the second factor, can neither open
// the consent page nor send its form.
func TestDecideAuthorization_PendingSession(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	b := p.newBrowser()
	b.openAndSignIn(ada, nil)
	b.open(p.authorizePath(nil))
	page := b.page
	_, value, _ := strings.Cut(b.cookie, "=")
	session, found, err := p.App.Store.SignIn(p.Context(), identity.Hash(value))
	session.Pending = true
	if err != nil || !found {
		t.Fatalf("got session %+v, found %t, error %v", session, found, err)
	}
	if err := p.App.Store.PutSignIn(p.Context(), session); err != nil {
		t.Fatal(err)
	}
	if got := b.decide("allow", nil); got.Status != http.StatusBadRequest || got.Header.Get("Location") != "" {
		t.Errorf("its form: got %d to %s, want 400", got.Status, got.Header.Get("Location"))
	}
	if got := b.open(p.authorizePath(nil)); got.Status != http.StatusOK || !strings.Contains(b.page, `name="code"`) ||
		strings.Contains(b.page, `action="/authorize"`) {
		t.Errorf("the page: got %d %s, want the one that asks for the second factor", got.Status, b.page)
	}
	b.page = page
	if got := b.decide("deny", nil); redirectQuery(got).Get("error") != "access_denied" {
		t.Errorf("denied: got %d to %s, want access_denied", got.Status, got.Header.Get("Location"))
	}
}
