package rest

import (
	"net/http/httptest"
	"testing"
)

// TestCanonicalPath checks that a path has the same form in each spelling, and that no two paths share a form.
func TestCanonicalPath(t *testing.T) {
	t.Parallel()
	spelling := func(path string) string {
		return (&exchange{request: httptest.NewRequest("POST", path, nil)}).canonicalPath()
	}
	for _, same := range [][2]string{{"/orders/1", "/%6frders/%31"}, {"/a%00", "/%61%00"}, {"/a@b", "/a%40b"}} {
		if spelling(same[0]) != spelling(same[1]) {
			t.Errorf("got %q for %s, %q for %s, want one", spelling(same[0]), same[0], spelling(same[1]), same[1])
		}
	}
	seen := map[string]string{}
	for _, path := range []string{
		"/a/b", "/a%2Fb", "/a%00b", "/a%00/b", "/a/%00b", "/a%01/b", "/a%01%00b", "/a%00%01b", "/a%01%01b", "/a%01b", "/a",
		"/a/", "/a%00", "/a%01",
	} {
		if other, ok := seen[spelling(path)]; ok {
			t.Errorf("got one spelling %q for %s and %s, want two", spelling(path), path, other)
		}
		seen[spelling(path)] = path
	}
}
