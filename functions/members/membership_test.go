package members_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// TestAKeyListsNoOtherMerchant: a key or a client of one merchant does not show at which other merchants the owner is a
// member. The owner's own token does.
func TestAKeyListsNoOtherMerchant(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	owner := s.Owner()
	s.Join(s.OtherShop(), owner, "role_accountant")
	for name, c := range map[string]struct {
		key  string
		want string
	}{"key": {s.NewKey("secret", "user.profile_readonly"), "1"}, "client": {s.Token(), "1"},
		"owner": {s.TokenOf(owner), "2"}} {
		got := s.WithKey(c.key).Send("GET", "/v0.1/memberships", nil)
		if total := world.Fields(t, got.Body)["total_count"]; got.Status != 200 || total != c.want {
			t.Errorf("%s: got %d %s, want %s memberships", name, got.Status, got.Body, c.want)
		}
	}
}
