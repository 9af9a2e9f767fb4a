package rest_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

// TestAdmitCaller_RightsChanged checks that run repeats the operation under the same id, with the caller's new rights.
func TestAdmitCaller_RightsChanged(t *testing.T) {
	t.Parallel()
	runs, operations, revoke := 0, map[string]bool{}, func() {}
	changing := 1
	f := newFixture(t, []rest.Route{route("POST", "/things", func(ctx context.Context, _ emptyRequest) (textResponse,
		error) {
		runs++
		operations[rest.OperationID(ctx)] = true
		if runs <= changing {
			revoke()
			return textResponse{}, store.ErrCallerChanged
		}
		return textResponse{rest.Caller(ctx).Actor.ID}, nil
	})})
	if got := f.ask("POST", "/things", ""); got.Code != http.StatusOK || runs != 2 || len(operations) != 1 {
		t.Errorf("got %d %s after %d runs of %d operations, want 200 after 2 of one", got.Code, got.Body, runs,
			len(operations))
	}
	runs, changing = 0, 100
	if got := f.ask("POST", "/things", ""); got.Code != http.StatusConflict || runs != 5 {
		t.Errorf("changing all the time: got %d after %d runs, want 409 after 5", got.Code, runs)
	}
	runs, revoke = 0, func() {
		if err := f.store.DeleteAPIKey(t.Context(), byTest, tenant, "key_1", "revoke"); err != nil {
			t.Error(err)
		}
	}
	if got := f.ask("POST", "/things", ""); got.Code != http.StatusUnauthorized || runs != 1 {
		t.Errorf("revoked: got %d %s after %d runs, want 401 after one", got.Code, got.Body, runs)
	}
}

// TestAdmitCaller_Permission checks that persons need the route's permission besides one of its scopes.
func TestAdmitCaller_Permission(t *testing.T) {
	t.Parallel()
	r := rest.Route{Scopes: []string{"a", "b"}, Permission: identity.MembersWrite}
	for kind, want := range map[identity.Kind][2]bool{ // without and with the permission
		identity.SecretKey: {true, true}, identity.PublicKey: {false, false}, identity.User: {false, true},
		identity.Operator: {false, true}, identity.Client: {true, true}, identity.TestProfile: {false, false},
		identity.MerchantToken: {false, false},
	} {
		p := identity.Principal{Actor: identity.Actor{Kind: kind}, Scopes: []string{"b"}}
		without := r.Refusal(p) == ""
		p.Permissions = []identity.Permission{identity.MembersWrite}
		if got := [2]bool{without, r.Refusal(p) == ""}; got != want {
			t.Errorf("%s: got %t, want %t", kind, got, want)
		}
		p.Scopes = []string{"c"}
		if r.Refusal(p) == "" {
			t.Errorf("%s without a scope: got it let in, want it refused", kind)
		}
	}
}

// TestAdmitCaller_MerchantTokenAction checks that merchant tokens need the route's action, and no scope.
func TestAdmitCaller_MerchantTokenAction(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		route   rest.Route
		actions []identity.Action
		want    bool
	}{
		"its action":      {rest.Route{Action: "sell", Scopes: []string{"a"}}, []identity.Action{"buy", "sell"}, true},
		"another action":  {rest.Route{Action: "sell"}, []identity.Action{"buy"}, false},
		"no action":       {rest.Route{}, []identity.Action{"buy"}, false},
		"an empty action": {rest.Route{}, []identity.Action{""}, false},
		"public keys":     {rest.Route{Access: rest.PublicToo}, []identity.Action{"buy"}, false},
		"open":            {rest.Route{Access: rest.Open, Action: "buy"}, []identity.Action{"buy"}, false},
	} {
		p := identity.Principal{Actor: identity.Actor{Kind: identity.MerchantToken}, Actions: c.actions}
		if got := c.route.Refusal(p) == ""; got != c.want {
			t.Errorf("%s: got %t, want %t", name, got, c.want)
		}
	}
}

// TestRefusal checks that a refusal names the missing scopes, action or permission, or the kinds that may call.
func TestRefusal(t *testing.T) {
	t.Parallel()
	refunds := rest.Route{Scopes: []string{"payments", "refunds.write"}, Permission: identity.RefundTransactions}
	members := rest.Route{Scopes: []string{"members.read"}, Permission: identity.MembersRead}
	creates := rest.Route{Scopes: []string{"payments"}, Action: "create_checkouts"}
	pays := rest.Route{Scopes: []string{"payments"}, Access: rest.PublicToo}
	of := func(kind identity.Kind, scopes ...string) identity.Principal {
		return identity.Principal{Actor: identity.Actor{Kind: kind}, Scopes: scopes}
	}
	permitted := of(identity.Operator)
	permitted.Permissions = []identity.Permission{identity.RefundTransactions}
	token := identity.Principal{Actor: identity.Actor{Kind: identity.MerchantToken}, Actions: []identity.Action{"other"}}
	const noPayments = "The credential lacks the scope payments or refunds.write."
	const notForPublic = "This operation is not for public keys. It is for secret keys, users, operators, OAuth clients"
	for name, c := range map[string]struct {
		route rest.Route
		by    identity.Principal
		want  string
	}{
		"admitted":       {refunds, of(identity.SecretKey, "refunds.write"), ""},
		"several scopes": {refunds, of(identity.SecretKey, "email"), noPayments},
		"one scope":      {members, of(identity.Client), "The credential lacks the scope members.read."},
		"the permission": {refunds, of(identity.User, "payments"),
			"The credential lacks the permission refund_transactions."},
		"the scope alone": {refunds, permitted, noPayments},
		"both": {members, of(identity.Operator),
			"The credential lacks the scope members.read and the permission members_read."},
		"the action":     {creates, token, "The credential lacks the action create_checkouts."},
		"a public key":   {refunds, of(identity.PublicKey), notForPublic + ", test profiles."},
		"administration": {members, of(identity.PublicKey), notForPublic + "."},
		"a test profile": {members, of(identity.TestProfile, "members.read"),
			"This operation is not for test profiles. It is for secret keys, users, operators, OAuth clients."},
		"no merchant token": {pays, token, "This operation is not for merchant tokens. It is for secret keys, public keys, " +
			"users, operators, OAuth clients, test profiles."},
	} {
		if got := c.route.Refusal(c.by); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
