package rest_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

// TestAChangedCallerIsAdmittedAgain, with the same operation id, and by the rights that it has then.
func TestAChangedCallerIsAdmittedAgain(t *testing.T) {
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
		if err := f.store.DeleteAPIKey(t.Context(), tenant, "key_1", "revoke"); err != nil {
			t.Error(err)
		}
	}
	if got := f.ask("POST", "/things", ""); got.Code != http.StatusUnauthorized || runs != 1 {
		t.Errorf("revoked: got %d %s after %d runs, want 401 after one", got.Code, got.Body, runs)
	}
}

// TestPersonsNeedThePermission of a route beside one of its scopes.
func TestPersonsNeedThePermission(t *testing.T) {
	t.Parallel()
	r := rest.Route{Scopes: []string{"a", "b"}, Permission: identity.MembersWrite}
	for kind, want := range map[identity.Kind][2]bool{ // without and with the permission
		identity.SecretKey: {true, true}, identity.PublicKey: {false, false}, identity.User: {false, true},
		identity.Operator: {false, true}, identity.Client: {true, true}, identity.TestProfile: {false, false},
		identity.MerchantToken: {false, false},
	} {
		p := identity.Principal{Actor: identity.Actor{Kind: kind}, Scopes: []string{"b"}}
		without := r.Admits(p)
		p.Permissions = []identity.Permission{identity.MembersWrite}
		if got := [2]bool{without, r.Admits(p)}; got != want {
			t.Errorf("%s: got %t, want %t", kind, got, want)
		}
		p.Scopes = []string{"c"}
		if r.Admits(p) {
			t.Errorf("%s without a scope: got it let in, want it refused", kind)
		}
	}
}

// TestMerchantTokensNeedTheAction of a route, and no scope.
func TestMerchantTokensNeedTheAction(t *testing.T) {
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
		if got := c.route.Admits(p); got != c.want {
			t.Errorf("%s: got %t, want %t", name, got, c.want)
		}
	}
}
