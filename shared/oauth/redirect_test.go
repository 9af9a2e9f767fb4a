package oauth_test

import (
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/oauth"
)

func TestCheckRedirectURI(t *testing.T) {
	t.Parallel()
	const base = "https://shop.example/"
	longest := base + strings.Repeat("a", 512-len(base))
	for _, c := range []struct {
		uri        string
		live, test bool
	}{
		{"https://shop.example/callback", true, true},
		{"https://shop.example", true, true},
		{"https://shop.example:8443/a/../b?x=1&y=%20;", true, true},
		{"https://SHOP.example/", true, true},
		{"https://192.0.2.1/", true, true},
		{"https://[2001:db8::1]:8443/", true, true},
		{"https://localhost/", true, true},
		{longest, true, true},
		{longest + "a", false, false},
		{"", false, false},
		{"http://127.0.0.1:8080/callback", false, true},
		{"http://[::1]/", false, true},
		{"http://localhost:1/", false, true},
		{"http://shop.example/", false, false},
		{"http://127.0.0.2/", false, false},
		{"http://127.0.0.1.evil.example/", false, false},
		{"http://localhost.evil.example/", false, false},
		{"http://localhost./", false, false},
		{"http://[::ffff:127.0.0.1]/", false, false},
		{"http://0x7f000001/", false, false},
		{"//shop.example/", false, false},
		{"/callback", false, false},
		{"shop.example/callback", false, false},
		{"https:shop.example", false, false},
		{"https:///callback", false, false},
		{"https://:443/", false, false},
		{"https://shop.example:/", false, false},
		{"https://shop.example:0/", false, false},
		{"https://shop.example:65536/", false, false},
		{"https://shop.example:http/", false, false},
		{"https://shop..example/", false, false},
		{"https://-shop.example/", false, false},
		{"https://shop_.example/", false, false},
		{"https://shop.example;script-src/", false, false},
		{"https://shop%2eexample/", false, false},
		{"https://[fe80::1%25en0]/", false, false},
		{"https://[shop.example]/", false, false},
		{"https://" + strings.Repeat("a", 64) + ".example/", false, false},
		{"https://shop.example/#", false, false},
		{"https://shop.example/#part", false, false},
		{"https://ada@shop.example/", false, false},
		{"https://ada:lovelace@shop.example/", false, false},
		{"https://@shop.example/", false, false},
		{"https://*.shop.example/", false, false},
		{"https://shop.example/*", false, false},
		{`https://shop.example\@evil.example/`, false, false},
		{"https://shop.example/a b", false, false},
		{"https://shop.example/\t", false, false},
		{"https://shop.example/\r\nSet-Cookie:x", false, false},
		{"https://shop.example/\x7f", false, false},
		{"https://caf\u00e9.example/", false, false},
		{"https://shop.example/caf\u00e9", false, false},
		{"https://shop.example/%zz", false, false},
		{`https://shop.example/"onload`, false, false},
		{"https://shop.example/<b>", false, false},
		{"javascript:alert(1)", false, false},
		{"javascript://localhost/%0aalert(1)", false, false},
		{"data:text/html,x", false, false},
		{"app.example:/callback", false, false},
		{"ftp://127.0.0.1/", false, false},
	} {
		for mode, want := range map[identity.Mode]bool{identity.Live: c.live, identity.Test: c.test} {
			if wrong := oauth.CheckRedirectURI(c.uri, mode); (wrong == "") != want {
				t.Errorf("%q in mode %s: got %q, want it taken: %t", c.uri, mode.Name(), wrong, want)
			}
		}
	}
}

// TestCheckRedirectURI_Messages checks the message for each rule, in each mode.
func TestCheckRedirectURI_Messages(t *testing.T) {
	t.Parallel()
	const loopback = "must be https, or http on 127.0.0.1, [::1] or localhost"
	for uri, want := range map[string]string{
		"": "must have 1 to 512 characters",
		"https://a.test/" + strings.Repeat("a", 512): "must have 1 to 512 characters",
		"https://*.a.test/":                          "must have no wildcard",
		"https://a.test/a b":                         "must have only the characters of a URI",
		`https://a.test\@b.test/`:                    "must have only the characters of a URI",
		"https://caf\u00e9.test/":                    "must have only the characters of a URI",
		"/callback":                                  "must be an absolute URI with a host",
		"a.test":                                     "must be an absolute URI with a host",
		"javascript:alert(1)":                        "must be an absolute URI with a host",
		"https://a.test/%zz":                         "must have two hexadecimal digits after each %",
		"https://a.test/#x":                          "must have no fragment",
		"https://ada@a.test/":                        "must have no user information",
		"https://a.test:/":                           "must have a port from 1 to 65535, or none",
		"https://a.test:0/":                          "must have a port from 1 to 65535, or none",
		"https://a.test:http/":                       "must have a port from 1 to 65535, or none",
		"https://a..test/":                           "must have the name or address of a host",
		"https://a%2eb.test/":                        "must have the name or address of a host",
		"http://a.test/":                             loopback,
		"http://127.0.0.1.evil.test/":                loopback,
		"ftp://127.0.0.1/":                           loopback,
	} {
		for _, mode := range identity.Modes {
			inMode := want
			if want == loopback && mode == identity.Live {
				inMode = "must be https"
			}
			if got := oauth.CheckRedirectURI(uri, mode); got != inMode {
				t.Errorf("%.40q in mode %s: got %q, want %q", uri, mode.Name(), got, inMode)
			}
		}
	}
}
