package payments_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/shared/payments"
)

func TestParseAcquirerHosts(t *testing.T) {
	t.Parallel()
	got, err := payments.ParseAcquirerHosts(" hooks.Stripe.com *.adyen.com\n*.eu.pay.example ")
	want := payments.AcquirerHosts{Patterns: []string{"hooks.stripe.com", "*.adyen.com", "*.eu.pay.example"}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("got error %v, hosts (-want +got):\n%s", err, diff)
	}
	if got, err := payments.ParseAcquirerHosts(""); err != nil || got.Patterns != nil {
		t.Errorf("no text: got %v, error %v; want no hosts", got, err)
	}
	for _, text := range []string{"*", "*.", "com", "*.com", "localhost", "*.test", "https://pay.example",
		"pay.example/path", "pay.example:443", "pay.example.", "*.*.pay.example",
		"a*.pay.example", "pay..example", "-a.pay.example", "a-.pay.example", "u@pay.example", "127.0.0.1", "*.0.0.1",
		"[::1]", "päy.example", "pay.example;script-src", "pay.example,other.example", "'self'", "pay.example *",
		strings.Repeat("a", 64) + ".example", strings.Repeat("a.", 127) + "example",
		strings.Repeat("pay.example ", 200)} {
		if got, err := payments.ParseAcquirerHosts(text); err == nil || len(got.Patterns) != 0 {
			t.Errorf("%.60q: got %v, want an error", text, got)
		}
	}
}

func TestAcquirerHosts_CheckSuffixes(t *testing.T) {
	t.Parallel()
	for text, refused := range map[string]bool{"*.co.uk": true, "co.uk": true, "*.github.io": true, "*.CO.uk": true,
		"pay.example.com *.github.io": true, "shop.co.uk *.shop.github.io pay.example": false, "": false} {
		hosts, err := payments.ParseAcquirerHosts(text)
		if err != nil {
			t.Fatalf("%s: got error %v, want hosts", text, err)
		}
		if err = hosts.CheckSuffixes(); (err != nil) != refused {
			t.Errorf("%s: got error %v, want one: %t", text, err, refused)
		}
	}
}

func TestAcquirerHosts_Check(t *testing.T) {
	t.Parallel()
	hosts, err := payments.ParseAcquirerHosts("pay.example *.acquirer.example")
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		"https://pay.example/a?b=%2F&c#d":      "https://pay.example/a?b=%2F&c#d",
		"HTTPS://PAY.example":                  "https://PAY.example",
		"https://pay.example:443/":             "https://pay.example:443/",
		"https://eu.test.acquirer.example/3ds": "https://eu.test.acquirer.example/3ds",
		"https://acquirer.example/3ds":         "",
		"https://evilacquirer.example/":        "",
		"https://pay.example.evil.example/":    "",
		"https://evil.example/pay.example":     "",
		"https://a.pay.example/":               "",
		"http://pay.example/":                  "",
		"//pay.example/":                       "",
		"https:pay.example":                    "",
		"https:///pay.example":                 "",
		"https:\\\\pay.example":                "",
		"https://evil.example\\.pay.example":   "",
		"https://evil.example\\@pay.example/":  "",
		"https://pay.example:8443/":            "",
		"https://pay.example./":                "",
		"https://u@pay.example/":               "",
		"https://pay.example@evil.example/":    "",
		"https://:@pay.example/":               "",
		"https://a\"b.acquirer.example/":       "",
		"https://a(b.acquirer.example/":        "",
		"https://.acquirer.example/":           "",
		"https://%70ay.example/":               "",
		" https://pay.example/":                "",
		"https://pay.example/\n":               "",
		"javascript:alert(1)":                  "",
		"javascript://pay.example/%0aalert(1)": "",
		"data:text/html,x":                     "",
		"http://localhost:1/":                  "",
		"https://127.0.0.1/":                   "",
		"/3ds/challenge":                       "",
		"":                                     "",
	} {
		got, err := hosts.Check(payments.Step{URL: address, Payload: map[string]string{"a": "b"}})
		if got.URL != want || (err == nil) != (want != "") || err == nil && got.Payload["a"] != "b" {
			t.Errorf("%q: got %+v, error %v; want the URL %q", address, got, err, want)
		}
	}
	if _, err := hosts.Check(payments.Step{URL: "https://evil.example/secret?token=secret"}); err == nil ||
		strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "evil.example") {
		t.Errorf("got error %v, want one that names only the host", err)
	}
	if _, err := hosts.Check(payments.Step{URL: "https://evil.example/%zz?secret"}); err == nil ||
		strings.Contains(err.Error(), "secret") {
		t.Errorf("got error %v, want one without the URL", err)
	}
}

// TestAcquirerHosts_Loopback checks that a developer's machine also allows itself, without TLS, but no other host.
func TestAcquirerHosts_Loopback(t *testing.T) {
	t.Parallel()
	hosts := payments.AcquirerHosts{Loopback: true}
	for address, want := range map[string]bool{"http://localhost:3000/a": true, "http://127.0.0.1:1/": true,
		"https://[::1]:8443/": true, "http://192.0.2.1/": false, "http://pay.example/": false,
		"http://u@localhost/": false, "ftp://localhost/": false, "http://localhost.evil.example/": false} {
		if _, err := hosts.Check(payments.Step{URL: address}); (err == nil) != want {
			t.Errorf("%s: got error %v, want it allowed: %t", address, err, want)
		}
	}
}

func TestAcquirerHosts_Sources(t *testing.T) {
	t.Parallel()
	hosts := payments.AcquirerHosts{Patterns: []string{"pay.example", "*.acquirer.example"}, Loopback: true}
	want := []string{"https://pay.example", "https://*.acquirer.example", "http://localhost:*", "http://127.0.0.1:*"}
	if diff := cmp.Diff(want, hosts.Sources()); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
}
