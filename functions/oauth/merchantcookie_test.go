package oauth_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// TestSignIn_RemembersMerchant checks that a browser gets a managed user's merchant code filled in, until a person
// without one signs in.
func TestSignIn_RemembersMerchant(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.employ(p.Tenant(), "till@example.com")
	p.join(p.Tenant(), ada)
	b := p.newBrowser()
	offered := func() string {
		t.Helper()
		b.cookie = ""
		b.open("/sign-in?mode=test")
		return b.filledForm("/sign-in", nil).Get("merchant_code")
	}
	b.open("/sign-in?mode=test")
	b.Want("a wrong password", 400,
		b.signIn("till@example.com", otherPassword, url.Values{"merchant_code": {p.Merchant.Code}}))
	if b.merchant != "" || offered() != "" {
		t.Errorf("before: got %q, want no code", b.merchant)
	}
	got := b.Must(http.StatusSeeOther,
		b.signIn("till@example.com", herPassword, url.Values{"merchant_code": {strings.ToLower(p.Merchant.Code)}}))
	if b.merchant != "merchant="+p.Merchant.Code || offered() != p.Merchant.Code {
		t.Errorf("got cookie %q, want the code", b.merchant)
	}
	const attributes = "; Path=/; Max-Age=7776000; HttpOnly; SameSite=Lax"
	if set := got.Header.Values("Set-Cookie"); !slices.Contains(set, b.merchant+attributes) {
		t.Errorf("got cookies %q, want one with the attributes %s", set, attributes)
	}
	for _, forged := range []string{"MC", "<script>", strings.Repeat("M", 40)} {
		b.merchant = "merchant=" + forged
		if got := offered(); got != "" {
			t.Errorf("a cookie %s: got %q offered, want nothing", forged, got)
		}
	}
	b.merchant = "merchant=" + p.Merchant.Code
	offered()
	got = b.Must(http.StatusSeeOther, b.signIn(ada, herPassword, url.Values{"merchant_code": {""}}))
	if !slices.ContainsFunc(got.Header.Values("Set-Cookie"), func(set string) bool {
		return strings.HasPrefix(set, "merchant=; ") && strings.Contains(set, "Max-Age=0")
	}) {
		t.Errorf("got cookies %q, want the code forgotten", got.Header.Values("Set-Cookie"))
	}
}
