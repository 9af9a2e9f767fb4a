package oauth_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
)

// access is the access that a person has gained by signing in: a session, a code that is not redeemed yet, and tokens.
type access struct {
	browser *browser
	code    string
	tokens  tokens
}

// gainAccess signs the managed user in and allows the client twice: one code is redeemed, the other is not.
func (p people) gainAccess(name string) access {
	p.Helper()
	b := p.newBrowser()
	b.openAndSignIn(name, url.Values{"merchant_code": {p.Merchant.Code}})
	got := access{browser: b, code: p.allowClient(b)}
	got.tokens = p.redeem(p.allowClient(b))
	return got
}

// allowClient returns a code that the person in the browser allows the client.
func (p people) allowClient(b *browser) string {
	p.Helper()
	b.open(p.authorizePath(url.Values{"code_challenge": {""}, "code_challenge_method": {""}}))
	return redirectQuery(b.decide("allow", nil)).Get("code")
}

func (p people) asApps() apps { return apps{Shop: p.Shop, client: p.client, secret: p.secret} }

func (p people) redeem(code string) tokens {
	p.Helper()
	return p.asApps().readTokens(p.asApps().post("/token", codeBody(code)))
}

// validParts returns true for each part of the access that is still accepted, and false for the other parts.
func (p people) validParts(had access) map[string]bool {
	p.Helper()
	a := p.asApps()
	had.browser.open(p.authorizePath(nil))
	return map[string]bool{
		"session": strings.Contains(had.browser.page, `value="allow"`),
		"code":    a.post("/token", codeBody(had.code)).Status == http.StatusOK,
		"refresh": a.post("/token", refreshBody(had.tokens.Refresh)).Status == http.StatusOK,
		"access":  a.callAPI(had.tokens.Access).Status == http.StatusOK,
	}
}

// TestEndedAccess_StaysEnded disables an employee, sets the employee's password, or removes a role or a permission, and
// then reverts that. The test checks that access from before stays refused (contract §10), and that access after
// another sign-in is accepted.
func TestEndedAccess_StaysEnded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		take, give func(s world.Shop, operator, m string) world.Response
		ends       bool
	}{
		"disabled, enabled": {
			take: func(s world.Shop, operator, _ string) world.Response { return s.Send("POST", operator+"/disable", nil) },
			give: func(s world.Shop, operator, _ string) world.Response {
				return s.Send("PUT", operator, map[string]any{"disabled": false})
			}, ends: true},
		"disabled and enabled by an update": {
			take: func(s world.Shop, operator, _ string) world.Response {
				return s.Send("PUT", operator, map[string]any{"disabled": true})
			},
			give: func(s world.Shop, operator, _ string) world.Response {
				return s.Send("PUT", operator, map[string]any{"disabled": false})
			}, ends: true},
		"password reset": {take: func(s world.Shop, operator, _ string) world.Response {
			return s.Send("PUT", operator+"/reset", map[string]any{"password": otherPassword})
		}, ends: true},
		"password updated": {take: func(s world.Shop, operator, _ string) world.Response {
			return s.Send("PUT", operator, map[string]any{"password": otherPassword})
		}, ends: true},
		"member's password updated": {take: func(s world.Shop, _, m string) world.Response {
			return s.Send("PUT", m, map[string]any{"user": map[string]any{"password": otherPassword}})
		}, ends: true},
		"role taken, given back": {
			take: func(s world.Shop, _, m string) world.Response {
				return s.Send("PUT", m, map[string]any{"roles": []string{member.RoleEmployee}})
			},
			give: func(s world.Shop, _, m string) world.Response {
				return s.Send("PUT", m, map[string]any{"roles": []string{member.RoleEmployee, member.RoleAccountant}})
			}, ends: true},
		"permission taken, given back": {
			take: func(s world.Shop, operator, _ string) world.Response {
				return s.Send("PUT", operator, map[string]any{"permissions": map[string]any{"refund_transactions": false}})
			},
			give: func(s world.Shop, operator, _ string) world.Response {
				return s.Send("PUT", operator, map[string]any{"permissions": map[string]any{"refund_transactions": true}})
			}, ends: true},
		"another nickname": {take: func(s world.Shop, operator, _ string) world.Response {
			return s.Send("PUT", operator, map[string]any{"nickname": "Till"})
		}},
		"one more permission": {take: func(s world.Shop, operator, _ string) world.Response {
			return s.Send("PUT", operator, map[string]any{"permissions": map[string]any{"create_moto_payments": true}})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPeople(t)
			till := p.employ(p.Tenant(), "till@example.com")
			operator := "/v0.1/me/accounts/" + fmt.Sprint(till.Number())
			m := "/v0.1/merchants/" + p.Merchant.Code + "/members/" + till.ID
			p.wantOK(p.Send("PUT", m, map[string]any{"roles": []string{member.RoleEmployee, member.RoleAccountant}}))
			p.wantOK(p.Send("PUT", operator, map[string]any{"permissions": map[string]any{"refund_transactions": true}}))
			p.Clock.Advance(time.Minute)
			had := p.gainAccess("till@example.com")
			p.Clock.Advance(time.Second)
			p.wantOK(c.take(p.Shop, operator, m))
			if c.give != nil {
				p.Clock.Advance(time.Second)
				p.wantOK(c.give(p.Shop, operator, m))
			}
			want := map[string]bool{"session": !c.ends, "code": !c.ends, "refresh": !c.ends, "access": !c.ends}
			if diff := cmp.Diff(want, p.validParts(had)); diff != "" {
				t.Errorf("what counts (-want +got):\n%s", diff)
			}
			if strings.Contains(name, "password") {
				p.wantOK(p.Send("PUT", operator+"/reset", map[string]any{"password": herPassword + " again"}))
				return
			}
			now := p.gainAccess("till@example.com")
			if got := p.asApps().callAPI(now.tokens.Access); got.Status != http.StatusOK {
				t.Errorf("signed in again: got %d %s, want 200", got.Status, got.Body)
			}
		})
	}
}

// TestEndedAccess_MakesNoKey checks that a token from before a reset of the employee's password cannot make an API key.
func TestEndedAccess_MakesNoKey(t *testing.T) {
	t.Parallel()
	a := newApps(t)
	all := member.Permissions{Admin: true, CreateMOTOPayments: true, FullTransactionHistoryView: true,
		RefundTransactions: true, CreateReferral: true}
	till := a.EmployWith(a.Tenant(), "till@example.com", herPassword)
	a.updateMember(till, func(m member.Member) member.Member {
		m.Own = all
		return m
	})
	token := a.TokenOf(till)
	a.Clock.Advance(time.Second)
	reset := map[string]any{"password": "a password of hers alone"}
	a.Must(http.StatusOK, a.Send("PUT", "/v0.1/me/accounts/"+fmt.Sprint(till.Number())+"/reset", reset))
	got := a.WithKey(token).Send("POST", "/v0.1/merchants/"+a.Merchant.Code+"/api-keys",
		map[string]any{"name": "stolen", "scopes": identity.AllScopes()})
	if got.Status != http.StatusUnauthorized {
		t.Errorf("got %d %s, want 401", got.Status, got.Body)
	}
}

// TestEndedAccess_AtTheChosenMerchant checks that a user's token is refused at every merchant, for good, after the
// user's access at the chosen merchant has ended.
func TestEndedAccess_AtTheChosenMerchant(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(people, member.Member){
		"disabled, enabled": func(p people, m member.Member) {
			p.disable(p.Tenant(), m)
			p.enable(p.Tenant(), m)
		},
		"removed": func(p people, m member.Member) { losses["removed"](p.asApps(), m) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPeople(t)
			p.join(p.Tenant(), "first@example.com") // so that ada is not the only owner
			chosen := p.join(p.Tenant(), ada)
			p.join(p.OtherShop().Tenant(), ada)
			p.Clock.Advance(time.Second)
			token := p.TokenOf(chosen)
			there := func() int {
				return p.WithKey(token).Send("GET", "/v2.1/merchants/"+p.Other.Code+"/transactions/history", nil).Status
			}
			if got := there(); got != http.StatusOK {
				t.Fatalf("before: got %d, want 200", got)
			}
			p.Clock.Advance(time.Second)
			lose(p, chosen)
			if got := there(); got != http.StatusUnauthorized {
				t.Errorf("after: got %d, want 401", got)
			}
		})
	}
}

// TestEndedAccess_InvitedAgain removes a user from another merchant and invites the user again. The test checks that
// neither the token nor the session from before reaches that merchant. After another sign-in the user reaches it.
func TestEndedAccess_InvitedAgain(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	hers, there := p.join(p.Tenant(), ada), p.OtherShop().Tenant()
	p.join(there, "first@example.com")
	before := p.join(there, ada)
	p.Clock.Advance(time.Second)
	token := p.TokenOf(hers)
	b := p.newBrowser()
	b.openAndSignIn(ada, nil)
	if _, err := p.App.Store.DeleteMember(p.Context(), world.ByTest, there, before.Number(), "remove "+before.ID,
		member.EndKeys,
		func(member.Member, member.Roles) error { return nil }); err != nil {
		t.Fatal(err)
	}
	p.Clock.Advance(time.Second)
	p.join(there, ada)
	path := "/v2.1/merchants/" + there.Merchant + "/transactions/history"
	p.Want("by the token from before", http.StatusNotFound, p.WithKey(token).Send("GET", path, nil))
	b.open(p.authorizePath(nil))
	got := b.decide("allow", url.Values{"merchant_code": {there.Merchant}})
	if got.Status != http.StatusBadRequest || !strings.Contains(b.page, `name="password"`) {
		t.Errorf("by the session from before: got %d to %s, want the form to sign in", got.Status, got.Header.Get("Location"))
	}
	b.Must(http.StatusSeeOther, b.signIn(ada, herPassword, nil))
	b.open(p.authorizePath(nil))
	if code := redirectQuery(b.decide("allow", url.Values{"merchant_code": {there.Merchant}})).Get("code"); code == "" {
		t.Errorf("signed in again: got %s, want a code", b.page)
	}
}

// TestEndedAccess_SignedInSoonAfterJoining checks a user who signs in right after accepting an invitation, and allows a
// client to act for another merchant. The token also reaches the new merchant.
func TestEndedAccess_SignedInSoonAfterJoining(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.join(p.Tenant(), ada)
	there := p.OtherShop().Tenant()
	p.Clock.Advance(time.Hour)
	p.join(there, ada)
	p.Clock.Advance(10 * time.Second)
	b := p.newBrowser()
	b.openAndSignIn(ada, nil)
	b.open(p.authorizePath(url.Values{"code_challenge": {""}, "code_challenge_method": {""}}))
	token := p.redeem(redirectQuery(b.decide("allow", url.Values{"merchant_code": {p.Merchant.Code}})).Get("code"))
	p.wantOK(p.WithKey(token.Access).Send("GET", "/v2.1/merchants/"+there.Merchant+"/transactions/history", nil))
}

// TestEndedAccess_MerchantMadeLater checks that a token does not reach a merchant created later for its user.
func TestEndedAccess_MerchantMadeLater(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	hers := p.join(p.Tenant(), ada)
	p.Clock.Advance(time.Hour)
	token := p.TokenOf(hers)
	p.Clock.Advance(10 * time.Minute)
	later := p.NewShop("DE", "EUR", map[string]any{"email": ada}).Merchant.Code
	got := p.WithKey(token).Send("POST", "/v0.1/merchants/"+later+"/api-keys",
		map[string]any{"name": "stolen", "scopes": identity.AllScopes()})
	if got.Status != http.StatusNotFound {
		t.Errorf("got %d %s, want 404", got.Status, got.Body)
	}
}

// TestEndedAccess_PendingSession removes a role and gives it back while a session is Pending. The test checks that the
// session has ended.
func TestEndedAccess_PendingSession(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	till, merchant := p.employ(p.Tenant(), "till@example.com"), url.Values{"merchant_code": {p.Merchant.Code}}
	m := "/v0.1/merchants/" + p.Merchant.Code + "/members/" + till.ID
	both := map[string]any{"roles": []string{member.RoleEmployee, member.RoleAccountant}}
	p.wantOK(p.Send("PUT", m, both))
	p.Clock.Advance(time.Second)
	first, pending := p.newBrowser(), p.newBrowser()
	first.openAndSignIn("till@example.com", merchant)
	f := first.enrol()
	pending.openAndSignIn("till@example.com", merchant)
	pending.open("/sign-in")
	p.wantOK(p.Send("PUT", m, map[string]any{"roles": []string{member.RoleEmployee}}))
	p.wantOK(p.Send("PUT", m, both))
	pending.confirm(f.code(p, 0))
	pending.open(p.authorizePath(nil))
	if !strings.Contains(pending.page, `name="password"`) {
		t.Errorf("got %s, want the form to sign in", pending.page)
	}
}

// enable enables a member of any kind.
func (p people) enable(t identity.Tenant, m member.Member) {
	p.Helper()
	_, err := p.App.Store.UpdateMember(p.Context(), world.ByTest, t, m.Number(), "", member.EndKeys,
		func(m member.Member, _ member.Roles) (member.Member, error) {
			return m.Enabled(true, p.App.Store.Now()), nil
		})
	if err != nil {
		p.Fatal(err)
	}
}

// wantOK fails the test unless the response is 200.
func (p people) wantOK(got world.Response) {
	p.Helper()
	p.Must(http.StatusOK, got)
}
