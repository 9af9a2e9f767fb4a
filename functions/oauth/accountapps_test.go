package oauth_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

var (
	shownApps = regexp.MustCompile(`(?s)(<strong id="application-\d+">.*?)<button name="client_id" value="([^"]*)"`)
	markup    = regexp.MustCompile(`<[^>]*>`)
)

// apps returns the ids of the clients on the account's page, with the texts that it shows of each.
func (b *browser) apps() map[string]string {
	b.Helper()
	b.Must(http.StatusOK, b.open(ownAccount))
	all := map[string]string{}
	for _, found := range shownApps.FindAllStringSubmatch(b.page, -1) {
		all[found[2]] = strings.Join(strings.Fields(html.UnescapeString(markup.ReplaceAllString(found[1], " "))), " ")
	}
	return all
}

// revokeApp sends the page's form for the client. The page of an account without clients has no such form, but the
// token of its other form is the same.
func (b *browser) revokeApp(client string) world.Response {
	b.Helper()
	form := b.filledForm(ownSessions, nil)
	return b.submit(ownApps, url.Values{"csrf_token": form["csrf_token"], "client_id": {client}})
}

// allowApp allows the client in the browser, and returns the tokens that the client gets.
func (p people) allowApp(b *browser, change url.Values) tokens {
	p.Helper()
	b.open(p.authorizePath(change))
	code := redirectQuery(b.decide("allow", nil)).Get("code")
	a := apps{Shop: p.Shop, client: p.client, secret: p.secret}
	return a.readTokens(a.post("/token", url.Values{"grant_type": {"authorization_code"}, "code": {code},
		"redirect_uri": {callback}, "code_verifier": {verifier}}))
}

// shopLabel names the shop as pages do.
func (p people) shopLabel() string {
	p.Helper()
	m, err := p.App.Store.Merchant(p.Context(), p.Merchant.Code)
	if err != nil {
		p.Fatal(err)
	}
	return m.Name + " (" + m.Code + ")"
}

// TestShowAccount_Applications checks what the page says of the clients that the account allowed.
func TestShowAccount_Applications(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	p.join(p.Tenant(), "bob@example.com")
	b := p.inBrowser("", ada, nil)
	p.allowApp(p.inBrowser("", "bob@example.com", nil), nil)
	if got := b.apps(); len(got) != 0 || !strings.Contains(b.page, "You have not allowed any application") {
		t.Errorf("got %v, want none", got)
	}
	held := p.allowApp(b, nil)
	p.allowApp(b, url.Values{"scope": {"user.profile_readonly payments"}})
	since := p.Clock.Now().Format(time.DateOnly)
	p.Clock.Advance(48 * time.Hour)
	a := apps{Shop: p.Shop, client: p.client, secret: p.secret}
	a.readTokens(a.post("/token", refreshBody(held.Refresh)))
	b = p.inBrowser("", ada, nil)
	want := map[string]string{p.client.ID: "Till App Test mode " + p.shopLabel() + " " +
		"see transactions and receipts see your profile, your business profile, bank accounts and payouts " +
		"take payments, make refunds, see and send receipts " +
		"Allowed since " + since + ", last used on " + p.Clock.Now().Format(time.DateOnly)}
	if diff := cmp.Diff(want, b.apps()); diff != "" {
		t.Errorf("applications (-want +got):\n%s", diff)
	}
	p.changeClient(func(c *oauth.Client) { c.RevokedAt = p.Clock.Now() })
	if got := b.apps(); len(got) != 0 {
		t.Errorf("the client is revoked: got %v, want none", got)
	}
}

// TestRevokeApplication checks that a revoked client's tokens are refused at once, with all its grants and an unused
// code, and that others keep theirs.
func TestRevokeApplication(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	p.join(p.Tenant(), "bob@example.com")
	b, bob := p.inBrowser("", ada, nil), p.inBrowser("", "bob@example.com", nil)
	kept := p
	kept.client, kept.secret = p.register("client_pages_2", p.Tenant(), func(*oauth.Client) {})
	stays, bobs := kept.allowApp(b, nil), p.allowApp(bob, nil)
	both := []tokens{p.allowApp(b, nil), p.allowApp(b, nil)}
	b.open(p.authorizePath(nil))
	unused := redirectQuery(b.decide("allow", nil)).Get("code")
	a := apps{Shop: p.Shop, client: p.client, secret: p.secret}
	of := map[string]bool{}
	for id := range b.apps() {
		of[id] = true
	}
	if diff := cmp.Diff(map[string]bool{p.client.ID: true, kept.client.ID: true}, of); diff != "" {
		t.Errorf("before (-want +got):\n%s", diff)
	}
	for name, client := range map[string]string{"unknown": "client_x", "a prefix": "client",
		"another key": "client_pages#CODE"} {
		b.apps()
		if got := b.revokeApp(client); localTarget(got) != ownAccount {
			t.Errorf("%s: got %d to %s, want 303 to the page", name, got.Status, localTarget(got))
		}
	}
	b.apps()
	form := b.filledForm(ownApps, url.Values{"client_id": {p.client.ID}, "csrf_token": {"made up"}})
	b.Want("a wrong token", http.StatusBadRequest, b.submit(ownApps, form))
	if !a.tokensWork("before", both[0]) || !a.tokensWork("before", both[1]) {
		t.Error("before: got tokens refused, want them taken")
	}
	b.apps()
	if got := b.revokeApp(p.client.ID); localTarget(got) != ownAccount {
		t.Errorf("got %d to %s, want 303 to the page", got.Status, localTarget(got))
	}
	if a.tokensWork("revoked", both[0]) || a.tokensWork("revoked", both[1]) {
		t.Error("got tokens of a revoked application taken")
	}
	a.wantInvalidGrant("the unused code", a.post("/token", url.Values{"grant_type": {"authorization_code"},
		"code": {unused}, "redirect_uri": {callback}, "code_verifier": {verifier}}))
	other := apps{Shop: p.Shop, client: kept.client, secret: kept.secret}
	if !other.tokensWork("the other client", stays) || !a.tokensWork("the other person", bobs) {
		t.Error("got other tokens refused, want them taken")
	}
	if got := b.apps(); len(got) != 1 || got[kept.client.ID] == "" {
		t.Errorf("got %v, want only the other client", got)
	}
}

// TestShowAccount_UnusedCode checks that a client is listed before it has exchanged its code, and only while it can.
func TestShowAccount_UnusedCode(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	b := p.inBrowser("", ada, nil)
	b.open(p.authorizePath(nil))
	b.decide("allow", nil)
	if got := b.apps(); len(got) != 1 {
		t.Errorf("got %v, want the client", got)
	}
	p.Clock.Advance(oauth.CodeLasts)
	if got := b.apps(); len(got) != 0 {
		t.Errorf("after the code has expired: got %v, want none", got)
	}
}

// TestShowAccount_EndedAccess checks that grants are not listed when the person's access at their merchant has ended.
func TestShowAccount_EndedAccess(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), "owner@example.com")
	hers := p.join(p.Tenant(), ada)
	b := p.inBrowser("", ada, nil)
	p.allowApp(b, nil)
	if got := b.apps(); len(got) != 1 {
		t.Fatalf("got %v, want the client", got)
	}
	p.disable(p.Tenant(), hers)
	if got := b.apps(); len(got) != 0 {
		t.Errorf("disabled: got %v, want none", got)
	}
	_, err := p.App.Store.UpdateMember(p.Context(), world.ByTest, p.Tenant(), hers.Number(), "", member.EndKeys,
		func(m member.Member, _ member.Roles) (member.Member, error) {
			return m.Enabled(true, p.App.Store.Now()), nil
		})
	if err != nil {
		t.Fatal(err)
	}
	if got := b.apps(); len(got) != 0 {
		t.Errorf("enabled again: got %v, want none", got)
	}
}

// TestShowAccount_TestProfileOrManagedUser checks the page of accounts that belong to one merchant.
func TestShowAccount_TestProfileOrManagedUser(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.employ(p.Tenant(), "till@example.com")
	p.join(p.OtherShop().Tenant(), "owner@example.com")
	p.employ(p.OtherShop().Tenant(), "till@example.com")
	b := p.inBrowser("", "till@example.com", url.Values{"merchant_code": {p.Merchant.Code}})
	p.inBrowser("", "till@example.com", url.Values{"merchant_code": {p.Other.Code}})
	p.allowApp(b, nil)
	if len(b.sessions()) != 1 || len(b.apps()) != 1 || !strings.Contains(b.page, `href="/account/second-factor"`) {
		t.Errorf("got %s, want one session, one application and a link to the second factor", b.page)
	}
	a := apps{Shop: p.Shop}.newClient()
	profile, password := a.createProfile()
	tester := p.newBrowser()
	tester.open("/sign-in?mode=test")
	p.Must(http.StatusSeeOther, tester.signIn(profile.Username(p.Tenant()), password, nil))
	held := a.readTokens(a.post("/token", passwordBody(profile.Username(p.Tenant()), password)))
	if len(tester.sessions()) != 1 || len(tester.apps()) != 1 || strings.Contains(tester.page, "second-factor") {
		t.Errorf("a test profile: got %s, want one session, one application and no second factor", tester.page)
	}
	if tester.revokeApp(a.client.ID); a.tokensWork("a test profile", held) {
		t.Error("a test profile: got tokens taken, want them refused")
	}
}
