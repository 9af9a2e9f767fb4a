package oauth_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

// The code_verifier and code_challenge of the example in RFC 7636, appendix B.
const (
	verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

var holder = oauth.Holder{Client: "client_1", Kind: identity.User, Subject: "mem_1", User: "user",
	Tenant: identity.Tenant{Mode: identity.Live, Merchant: "MC0A1B2C3D"}, Scopes: []string{"email", "payments"},
	Password: "invitation"}

func TestVerifies(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		verifier, challenge string
		want                bool
	}{
		"its own":                  {verifier, challenge, true},
		"another":                  {verifier[1:] + "x", challenge, false},
		"none":                     {"", challenge, false},
		"the challenge itself":     {challenge, challenge, false}, // only the method plain would accept this
		"the verifier as its own":  {verifier, verifier, false},
		"none for none":            {"", "", false},
		"padded, as base64url may": {verifier, challenge + "=", false},
	} {
		if got := oauth.Verifies(test.verifier, test.challenge); got != test.want {
			t.Errorf("%s: got %t, want %t", name, got, test.want)
		}
	}
}

// TestCode_CheckRedeemable checks RFC 6749 §4.1.3, RFC 7636 §4.6 and RFC 9700 §2.1.1.
func TestCode_CheckRedeemable(t *testing.T) {
	t.Parallel()
	const redirect = "https://app.example/callback"
	code := oauth.Code{Holder: holder, RedirectURI: redirect, Challenge: challenge, ExpiresAt: now.Add(oauth.CodeLasts)}
	plain, unnamed := code, code
	plain.Challenge, unnamed.RedirectURI = "", ""
	several := oauth.Client{ID: "client_1", RedirectURIs: []string{redirect, redirect + "/x"}}
	one, another := several, several
	one.RedirectURIs, another.ID = several.RedirectURIs[:1], "client_2"
	changed := one
	changed.RedirectURIs = several.RedirectURIs[1:]
	for name, test := range map[string]struct {
		code               oauth.Code
		client             oauth.Client
		redirect, verifier string
		at                 time.Time
		refused            string // part of the error's description; "": the code is redeemable
	}{
		"as it was asked for":            {code, several, redirect, verifier, now, ""},
		"without PKCE":                   {plain, several, redirect, "", now, ""},
		"without a redirect_uri":         {unnamed, several, "", verifier, now, ""},
		"at the last":                    {code, several, redirect, verifier, now.Add(oauth.CodeLasts - 1), ""},
		"too late":                       {code, several, redirect, verifier, now.Add(oauth.CodeLasts), "expired"},
		"by another client":              {code, another, redirect, verifier, now, "another client"},
		"by another client, too late":    {code, another, redirect, verifier, now.Add(oauth.CodeLasts), "another client"},
		"with another redirect_uri":      {code, several, redirect + "/x", verifier, now, "redirect_uri differs"},
		"without it, with PKCE":          {code, several, "", verifier, now, ""},
		"without the only one":           {plain, one, "", "", now, ""},
		"without the only one before":    {plain, changed, "", "", now, "redirect_uri is missing"},
		"without one of two":             {plain, several, "", "", now, "redirect_uri is missing"},
		"with another than the only one": {plain, one, redirect + "/x", "", now, "redirect_uri differs"},
		"with one that was not named":    {unnamed, several, redirect, verifier, now, "redirect_uri differs"},
		"with another verifier":          {code, several, redirect, strings.Repeat("x", 43), now, "code_verifier"},
		"without its verifier":           {code, several, redirect, "", now, "code_verifier"},
		"with the challenge as verifier": {code, several, redirect, challenge, now, "code_verifier"},
		"with a verifier for none":       {plain, several, redirect, verifier, now, "no code_challenge"},
	} {
		err := test.code.CheckRedeemable(test.client, test.redirect, test.verifier, test.at)
		if (err != nil) != (test.refused != "") || err != nil &&
			(codeOf(err) != oauth.InvalidGrant || !strings.Contains(err.Error(), test.refused)) {
			t.Errorf("%s: got error %v, want %q", name, err, test.refused)
		}
	}
}

func TestHolder_Token(t *testing.T) {
	t.Parallel()
	g := holder.NewGrant("refresh", now)
	if diff := cmp.Diff(oauth.Grant{Holder: holder, Hash: "refresh", CreatedAt: now,
		ExpiresAt: now.AddDate(0, 0, 180)}, g); diff != "" {
		t.Errorf("grant (-want +got):\n%s", diff)
	}
	if !g.Valid(now) || !g.Valid(g.ExpiresAt.Add(-1)) || g.Valid(g.ExpiresAt) {
		t.Errorf("got it valid until another time than %s", g.ExpiresAt)
	}
	want := identity.AccessToken{Hash: "token", Kind: identity.User, Subject: "mem_1", User: "user", Client: "client_1",
		Grant: "refresh", Tenant: holder.Tenant, Scopes: []string{"email"}, CreatedAt: now, ExpiresAt: now.Add(time.Hour)}
	if diff := cmp.Diff(want, g.Token("token", g.Hash, []string{"email"}, now)); diff != "" {
		t.Errorf("token (-want +got):\n%s", diff)
	}
}

// TestRefused checks the code of RFC 6749 §5.2, and that the description has only allowed characters.
func TestRefused(t *testing.T) {
	t.Parallel()
	if err := oauth.Refused(oauth.InvalidScope, "No."); err.Code != "invalid_scope" || err.Message != "No." {
		t.Errorf("got %v, want invalid_scope", err)
	}
	if got := oauth.ErrClient.Code; got != "invalid_client" {
		t.Errorf("got %s, want invalid_client", got)
	}
}
