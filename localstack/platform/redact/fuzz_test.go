package redact_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/platform/redact"
)

// FuzzRequest checks that requests, forms and texts show no API key and no full card number, and that replies show no
// API key.
func FuzzRequest(f *testing.F) {
	const key = "sk_test_0A1B2C3Dc3D4e5F6"
	card := regexp.MustCompile(`(?:^|[^0-9])4200000000000091(?:$|[^0-9])`) // a longer number is not the card's number
	for _, seed := range []string{`{"card":{"number":"4200000000000091"}}`, `["4200000000000091",{"":[1,{"a~/b":null}]}]`,
		"card.number=4200000000000091&a.b.c=sk_test_0A1B2C3Dc3D4e5F6", `{"a":"\u0034200000000000091"}`, `"`, "%"} {
		f.Add("application/json", seed)
		f.Add("application/x-www-form-urlencoded", seed)
	}
	f.Fuzz(func(t *testing.T, contentType, body string) {
		if shown := redact.Reply([]byte(body)); strings.Contains(shown, key) { // numbers in a reply come from the platform
			t.Errorf("%q: got reply %q, want no key in it", body, shown)
		}
		for _, shown := range []string{redact.Request(contentType, []byte(body)), redact.Form(body), redact.Text(body)} {
			if card.MatchString(shown) || strings.Contains(shown, key) {
				t.Errorf("%s %q: got %q, want no card number and no key in it", contentType, body, shown)
			}
		}
	})
}
