package files_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/member"
)

// TestFiles_RequiredScopes checks that one scope is enough for an operation, for keys, clients and people of any role.
func TestFiles_RequiredScopes(t *testing.T) {
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
		collection, file := s.createCollection("x"), s.NewFile(world.PDF, nil)
		by := s.as(c.credential)
		for i, r := range []world.Request{
			{Method: "GET", Path: s.CollectionsPath()}, {Method: "GET", Path: s.collection(collection.ID)},
			{Method: "POST", Path: s.CollectionsPath(), Body: fields{"name": "x"}},
			{Method: "PUT", Path: s.collection(collection.ID), Body: fields{"status": "closed"}},
			{Method: "GET", Path: s.FilesPath()}, {Method: "GET", Path: s.path(file.ID)},
			{Method: "POST", Path: s.FilesPath(), Body: fileBody(nil)},
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

// TestAudit_EachChange checks that each entry names the actor, and that no entry has an object's key.
func TestAudit_EachChange(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	owner := s.as(s.TokenOf(s.Owner()))
	c := owner.createCollection("Taxes")
	s.setStatus(c.ID, "open") // the collection is open already, so nothing changes
	f := owner.NewFile(world.PDF, fields{"collection_id": c.ID, "metadata": fields{"a": 1}})
	s.put("upload", 200, f.Upload, world.PDF)
	for range 2 { // the second request changes nothing
		s.Clock.Advance(time.Second) // because entries of the same moment have no order
		s.ShownFile(200, s.CompleteFile(f.ID))
	}
	s.Clock.Advance(time.Second)
	s.Want("move", 200, s.update(f.ID, fields{"collection_id": ""}))
	s.Clock.Advance(time.Second)
	s.Want("delete", 204, s.Send("DELETE", s.path(f.ID), nil))
	s.setStatus(c.ID, "closed")
	dropped := s.NewFile(world.PDF, nil)
	s.expireLinks()

	const collections, files = "/v0.1/merchants/{merchant_code}/collections", "/v0.1/merchants/{merchant_code}/files"
	got, _ := s.AuditOf("collection " + c.ID)
	want := []string{
		"test member " + s.Owner().Email + ": POST " + collections + ` {} {"name":"Taxes","status":"open"}`,
		"test api_key : PUT " + collections + `/{collection_id} {"status":"open"} {"status":"closed"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("collection (-want +got):\n%s", diff)
	}
	sum := `"checksum_sha256":"` + world.SHA256(world.PDF) + `",`
	rest := fmt.Sprintf(`"content_type":"application/pdf","filename":"contract.pdf","metadata":{"a":1},"size":%d,`,
		len(world.PDF))
	in := `"collection_id":"` + c.ID + `"`
	got, _ = s.AuditOf("file " + f.ID)
	want = []string{
		"test member " + s.Owner().Email + ": POST " + files + ` {} {` + in + "," + rest + `"status":"pending"}`,
		"test api_key : PUT " + files + `/{file_id} {"status":"pending"} {` + sum + `"status":"uploaded"}`,
		"test api_key : PUT " + files + `/{file_id} {` + in + `} {}`,
		"test api_key : DELETE " + files + `/{file_id} {` + sum + rest + `"status":"uploaded"} {}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
	if entries, operations := s.AuditOf("file " + dropped.ID); len(entries) != 2 || operations[1] != "sweep" {
		t.Errorf("dropped: got %v, want its creation, and its end by the sweep", entries)
	}
}
