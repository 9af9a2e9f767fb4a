package isolation_test

import (
	"fmt"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// countBuckets counts the token buckets in the table.
func countBuckets(s world.Shop) int {
	s.Helper()
	return s.CountItems("sk = ?", "RATE")
}

// TestRateLimit_NoSharedBucket checks that two merchants never use the same bucket: the second merchant's requests
// create as many new buckets as the first one's.
func TestRateLimit_NoSharedBucket(t *testing.T) {
	t.Parallel()
	first := world.NewShop(t)
	other := first.OtherShop()
	for _, c := range []struct {
		what string
		want int
		do   func(world.Shop) world.Response
	}{
		{"a request", 2, func(s world.Shop) world.Response { return s.Send("GET", "/v0.1/me", nil) }},
		{"a payer's request", 2, func(s world.Shop) world.Response {
			return s.Do(world.Request{Method: "GET", Path: "/v0.1/checkouts/" + s.Create("10", nil), APIKey: s.NewKey("public")})
		}},
		{"a password that it sets", 1, func(s world.Shop) world.Response {
			return s.Send("POST", "/v0.1/me/accounts", map[string]any{"username": fmt.Sprint(s.Merchant.Code, "@example.com"),
				"password": "correct horse battery"})
		}},
		{"a mail with a receipt", 2, func(s world.Shop) world.Response {
			path := "/v1.1/receipts/" + s.Sell("10").ID + "/emails?mid=" + s.Merchant.Code
			return s.Send("POST", path, map[string]any{"email": "ada@example.com"})
		}},
	} {
		use := func(who string, s world.Shop) {
			before := countBuckets(s)
			got := c.do(s)
			if used := countBuckets(s) - before; got.Status >= 300 || used != c.want {
				t.Errorf("%s, %s: got %d %s and %d more buckets, want success and %d", c.what, who, got.Status, got.Body, used,
					c.want)
			}
		}
		use("the first merchant", first)
		use("another", other)
	}
}
