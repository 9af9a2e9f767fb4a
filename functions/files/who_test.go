package files_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/localstack/world"
	"github.com/cashwrap/cashwrap/shared/member"
)

// TestWhoMayUseFiles: a scope is enough, of keys, clients and people alike, whatever their roles.
func TestWhoMayUseFiles(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	all := []int{200, 200, 201, 200, 200, 200, 201, 200, 204}
	reads := []int{200, 200, 403, 403, 200, 200, 403, 403, 403}
	none := []int{403, 403, 403, 403, 403, 403, 403, 403, 403}
	employee := s.Employ("e@example.com", member.Permissions{})
	for name, c := range map[string]struct {
		credential string
		want       []int
	}{
		"a key":                {s.Merchant.Key.Plaintext, all},
		"a key to write":       {s.NewKey("secret", "files.write"), all},
		"a key to read":        {s.NewKey("secret", "files.read"), reads},
		"a key of all else":    {s.NewKey("secret", "payments", "user.subaccounts", "readers.write"), none},
		"a public key":         {s.NewKey("public"), none},
		"a client":             {s.Token(), all},
		"the owner":            {s.TokenOf(s.Owner()), all},
		"an employee":          {s.TokenOf(employee, "files.write"), all},
		"an employee who sees": {s.TokenOf(employee, "files.read"), reads},
		"an employee, by less": {s.TokenOf(employee, "payments"), none},
	} {
		collection, file := s.collect("x"), s.NewFile(world.PDF, nil)
		by := s.as(c.credential)
		for i, r := range []world.Request{
			{Method: "GET", Path: s.CollectionsPath()}, {Method: "GET", Path: s.collection(collection.ID)},
			{Method: "POST", Path: s.CollectionsPath(), Body: fields{"name": "x"}},
			{Method: "PUT", Path: s.collection(collection.ID), Body: fields{"status": "closed"}},
			{Method: "GET", Path: s.FilesPath()}, {Method: "GET", Path: s.path(file.ID)},
			{Method: "POST", Path: s.FilesPath(), Body: given(nil)},
			{Method: "PUT", Path: s.path(file.ID), Body: fields{"collection_id": ""}},
			{Method: "DELETE", Path: s.path(file.ID)},
		} {
			got := by.Send(r.Method, r.Path, r.Body)
			if got.Status != c.want[i] {
				t.Errorf("%s, %s %s: got %d %s, want %d", name, r.Method, r.Path, got.Status, got.Body, c.want[i])
			} else if got.Status == 403 {
				notAllowed.Check(t, got)
			}
		}
	}
}
