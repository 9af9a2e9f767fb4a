package capacity_test

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/examples"
	"github.com/cashwrap/cashwrap/localstack/harness/golden"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/rest"
)

const (
	capacityPage = "../../CAPACITY.md"
	capacityData = "../../capacity.json" // for programs
)

// maxCalls is the maximum number of calls to the table per request.
const maxCalls = 4

// aims are the maximums of requests that need more or fewer calls than maxCalls. The key is a request's name, or its
// part before the comma.
var aims = map[string]int{
	"POST /v0.1/checkouts, card":      2, // a shop's server waits for this reply at every order
	"POST /v0.1/checkouts, recurring": 3, // also reads the customer
	// A refund request finds the transaction and claims the refund before it asks the acquirer.
	"POST /v0.1/me/refund/{txn_id}":                                          5,
	"POST /v1.0/merchants/{merchant_code}/payments/{transaction_id}/refunds": 5,
	// If another password was set shortly before, counting the new password takes a second call.
	"PUT /v0.1/me/accounts/{operator_id}":       5,
	"PUT /v0.1/me/accounts/{operator_id}/reset": 5,
	// These operations read the API keys that the operator made, and the count of keys.
	"DELETE /v0.1/me/accounts/{operator_id}":       5,
	"POST /v0.1/me/accounts/{operator_id}/disable": 5,
	// The answer has the member's user and its second factor.
	"PUT /v0.1/merchants/{merchant_code}/members/{member_id}": 6,
	"POST /v0.1/merchants/{merchant_code}/members":            5,
	// Each read depends on the one before: the invitation leads to its member, and the member's address to the user. A
	// password takes a token from a bucket before it is checked.
	"GET /invitations/{token}":  5,
	"POST /invitations/{token}": 8,
	// A request for a link takes tokens from two buckets, and reads the address and the user. A new password ends the
	// user's access at each merchant before and after it is stored.
	"POST /password":         5,
	"POST /password/{token}": 17,
	// A person signs in a few times a day. Each read depends on the one before: for example, an address leads to its user.
	// A password to sign in takes a token from two buckets. A bucket that was used a moment ago needs a second call.
	// POST /sign-in also reads and writes the known network address. Creating a test profile reads all profiles, to check
	// their number, and takes a token for the password.
	"POST /sign-in":                         10,
	"POST /sign-in/second-factor, app":      8,
	"POST /sign-in/second-factor, recovery": 8,
	"POST /account/second-factor, confirm":  6,
	"POST /account/second-factor, disable":  7,
	"POST /authorize":                       8,
	// Session and account first, then the account's leads. A deletion looks for more leads afterwards.
	"GET /account":                                       6,
	"POST /account/sessions":                             6,
	"POST /account/applications":                         6,
	"POST /token, password":                              8,
	"POST /v0.1/merchants/{merchant_code}/test-profiles": 5,
	// The file's record is deleted first, then the content at S3. Then the content's entry is read and updated. The entry
	// stays until the upload link has expired.
	"DELETE /v0.1/merchants/{merchant_code}/files/{file_id}": 6,
	// A code or refresh token leads to its grant, the grant to the member, and a user's member to the password.
	"POST /token, authorizationCode": 5,
	"POST /token, refreshToken":      5,
	"POST /introspect, refresh":      5,
	"POST /introspect, asJSON":       5,
	// The first read also numbers the receipt. The receipt shows the merchant's account.
	"GET /v1.1/receipts/{id}":        5,
	"GET /v1.0/receipts/{id}":        5,
	"POST /v1.1/receipts/{id}/links": 5,
	// The page's id first leads to its merchant. Then the payment is made as by processing a checkout.
	"POST /pay/c-{checkout_id}/attempts": 6,
	// The mail also numbers the receipt, and its text needs the account. A repeated request finds its link, and two
	// buckets count the request.
	"POST /v1.1/receipts/{id}/emails": 9,
	// Queries of the changes, of the payouts that changed payments, and of what was created since. A process reads the
	// birth of the index once.
	"GET /v2.1/merchants/{merchant_code}/transactions/history, no changes since": 5,
	// The shards of a merchant with several shards are read in parallel.
	examples.FourShards + "GET /v0.1/checkouts":                                      6,
	examples.FourShards + "GET /v2.1/merchants/{merchant_code}/transactions/history": 6,
	// Stripe's package reads the charge, pins the intent and stores the outcome: three calls more. Before it cancels an
	// intent that failed, it stores why. A charge that waits for its payer has no outcome yet. A card to store also needs
	// its customer at Stripe, who is read and stored.
	atStripe + "PUT /v0.1/checkouts/{id}, card":                      7,
	atStripe + "PUT /v0.1/checkouts/{id}, card declined":             8,
	atStripe + "PUT /v0.1/checkouts/{id}, card with challenge":       6,
	atStripe + "PUT /v0.1/checkouts/{id}, card saved for a customer": 9,
	// It reads the merchant's balance by three calls. Stripe's package reads the refund and its charge, and stores the
	// refund before and after the request.
	atStripe + "POST /v0.1/me/refund/{txn_id}, part": 12,
}

// warmUp lets each family lease its first tokens of the rate limit, for the shop's key and address. Its requests name
// no existing things.
func warmUp(fix *examples.Fixture) {
	fix.Helper()
	for _, f := range functions.All {
		warm := map[bool]bool{} // true for open routes
		for _, route := range examples.Routes(fix.App, f) {
			if open := route.Access == rest.Open; !warm[open] {
				warm[open] = true
				path := strings.ReplaceAll(route.Path, "{merchant_code}", fix.Merchant.Code)
				fix.Do(world.Request{Method: route.Method, Path: pathParameter.ReplaceAllString(path, "none")})
			}
		}
	}
}

var pathParameter = regexp.MustCompile(`\{\w+\}`)

// measure prepares a request and then measures the request alone. The request comes a tenth of a second later, so that
// it changes what was created before.
func measure(t *testing.T, fix *examples.Fixture, name string, asking func(*examples.Fixture) world.Request) world.Use {
	t.Helper()
	warmUp(fix)
	r := asking(fix)
	fix.Clock.Advance(100 * time.Millisecond)
	relayed := fix.Relayed()
	fix.Main().Meter.Reset()
	response := fix.Do(r)
	use := fix.Main().Meter.Reset()
	use.Relayed = fix.Relayed() - relayed
	if response.Status >= 400 && !strings.HasSuffix(name, examples.UnknownKey) {
		t.Errorf("%s: got %d %s, want a status below 400", name, response.Status, response.Body)
	}
	request, _, _ := strings.Cut(name, ", ")
	if most := cmp.Or(aims[name], aims[request], maxCalls); len(use.Calls) > most {
		t.Errorf("%s: got %d calls %v, want at most %d", name, len(use.Calls), use.Calls, most)
	}
	return use
}

// TestCapacity measures all requests, live payments, events without a request, and the items that remain. It takes
// seconds, because each request is prepared separately.
func TestCapacity(t *testing.T) {
	t.Parallel()
	enginetest.InMemory(t)
	w := world.New(t)
	shop := w.Shop().WithCallbacks()
	var found capacity
	for _, s := range examples.EveryShown(t) {
		found.addUse(s.String(), measure(t, examples.NewFixture(shop), s.String(), func(fix *examples.Fixture) world.Request {
			return fix.Request(s.Operation, s.Example)
		}))
	}
	for _, m := range examples.More {
		found.addUse(m.Name, measure(t, examples.NewFixture(shop), m.Name, m.Request))
	}
	found.measureEvents(t)
	found.measureStripe(t)
	for name, aim := range aims {
		var got []int
		for _, r := range found.Uses {
			if strings.HasPrefix(r.Name, name) {
				got = append(got, len(r.inOrder))
			}
		}
		if !slices.Contains(got, aim) {
			t.Errorf("%s: got %v calls, want %d in one of them: correct its aim", name, got, aim)
		}
	}
	golden.Check(t, capacityPage, found.renderPage())
	golden.Check(t, capacityData, found.renderData(t))
}
