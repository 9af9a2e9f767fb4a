package members_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// TestListMemberships_ByKey checks that the owner's token shows the owner's other merchants. A key or a client does
// not.
func TestListMemberships_ByKey(t *testing.T) {
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
