package apikeys_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/aws/ses"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
)

// TestRetrieveApiKey_CreatedBy checks created_by of keys made by a person, by a key, and by a client.
func TestRetrieveApiKey_CreatedBy(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	token := s.TokenOf(s.Owner())
	hers := s.as(token).create("hers", "payments", identity.KeysWrite)
	want := &maker{Type: "member", ID: s.Owner().ID, MemberID: s.Owner().ID, ClientID: "app_1",
		Token: identity.Hash(token)[:16]}
	if diff := cmp.Diff(want, hers.CreatedBy); diff != "" {
		t.Errorf("by a person (-want +got):\n%s", diff)
	}
	by := s.as(hers.Plaintext).create("by hers", "payments", identity.KeysWrite)
	want = &maker{Type: "api_key", ID: by.ID, MemberID: s.Owner().ID}
	if diff := cmp.Diff(want, s.as(by.Plaintext).create("by its key", "payments").CreatedBy); diff != "" {
		t.Errorf("by a key of its key (-want +got):\n%s", diff)
	}
	want.ID = hers.ID
	if diff := cmp.Diff(want, s.read(by.ID).CreatedBy); diff != "" {
		t.Errorf("by its key, read (-want +got):\n%s", diff)
	}
	application := s.Token()
	got := s.as(application).create("by a client", "payments").CreatedBy
	want = &maker{Type: "client", ID: "client_1", ClientID: "client_1", Token: identity.Hash(application)[:16]}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("by a client (-want +got):\n%s", diff)
	}
	if all := s.list("").Items; !slices.ContainsFunc(all, func(k apiKey) bool { return k.CreatedBy == nil }) {
		t.Errorf("got %+v, want nothing shown of the key that a command made", all)
	}
}

// TestMemberLeaves_WithKeys disables or removes a member who made an API key, which made another key. The test checks
// that both keys end at once or both stay. keep_api_keys in the request decides this. Without it, the merchant's
// setting decides. The owners get a mail that names the keys.
func TestMemberLeaves_WithKeys(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		method, path string
		body         any
		setting      bool
		ended        bool
	}{
		"delete":                       {"DELETE", "members", nil, false, true},
		"delete operator":              {"DELETE", "operator", nil, false, true},
		"disable":                      {"POST", "operator/disable", nil, false, true},
		"update":                       {"PUT", "operator", fields{"disabled": true}, false, true},
		"delete, keep":                 {"DELETE", "members?keep_api_keys=true", nil, false, false},
		"delete operator, keep":        {"DELETE", "operator?keep_api_keys=true", nil, false, false},
		"disable, keep":                {"POST", "operator/disable?keep_api_keys=true", nil, false, false},
		"update, keep":                 {"PUT", "operator?keep_api_keys=true", fields{"disabled": true}, false, false},
		"disable, kept by setting":     {"POST", "operator/disable", nil, true, false},
		"delete, setting is overruled": {"DELETE", "members?keep_api_keys=false", nil, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			s.Command("update_settings", fields{"keep_api_keys": c.setting})
			till := s.Employ("till@example.com", member.Permissions{Admin: true})
			path := strings.NewReplacer("members", "/v0.1/merchants/"+s.Merchant.Code+"/members/"+till.ID,
				"operator", fmt.Sprint("/v0.1/me/accounts/", till.Number())).Replace(c.path)
			made := s.as(s.TokenOf(till)).create("Web shop", "email", "api_keys", identity.KeysWrite)
			s.Clock.Advance(time.Second)
			further := s.as(made.Plaintext).create("Reporting", "email", "api_keys")
			others := s.create("another's", "email", "api_keys")
			for s.Relay() > 0 {
			}
			before := len(s.Mails.Sent())
			if got := s.Send(c.method, path, c.body); got.Status != http.StatusOK {
				t.Fatalf("got %d %s, want 200", got.Status, got.Body)
			}
			status := map[bool]int{true: http.StatusUnauthorized, false: http.StatusOK}[c.ended]
			for _, k := range []apiKey{made, further} {
				s.Want(k.Name, status, s.as(k.Plaintext).Send("GET", s.keys(), nil))
			}
			s.Want("another's", http.StatusOK, s.as(others.Plaintext).Send("GET", s.keys(), nil))
			if listed := len(s.list("").Items); listed != map[bool]int{true: 2, false: 4}[c.ended] {
				t.Errorf("got %d keys in the list", listed)
			}
			for s.Relay() > 0 {
			}
			told := slices.ContainsFunc(s.Mails.Sent()[before:], func(m ses.Mail) bool {
				return m.To == s.Owner().Email && strings.Contains(m.Text, "till@example.com: Web shop, Reporting") &&
					strings.Contains(m.Subject, map[bool]string{true: "gelten nicht mehr", false: "gelten weiter"}[c.ended])
			})
			if !told {
				t.Errorf("got mails %+v, want one to the owner that names the keys", s.Mails.Sent()[before:])
			}
		})
	}
}
