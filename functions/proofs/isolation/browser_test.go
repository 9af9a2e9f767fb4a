package isolation_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/examples"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/contract/checker"
	"github.com/cashwrap/cashwrap/shared/store"
)

// public is what a credential in a payer's browser may do with a route. Every visitor has the public key
// (contract §2.1); a merchant token may be an attacker's, too (contract §8.5).
type public struct {
	reads  string // dot paths of all that a reply may show
	causes string // kinds of all items that a request may write, the platform's and the sandbox's
}

const (
	shownCheckout = `id checkout_reference amount currency merchant_code merchant_name merchant_country merchant_sandbox
		description purpose checkout_type redirect_url status date valid_until transaction_code transaction_id
		transactions.id transactions.transaction_code transactions.amount transactions.currency transactions.timestamp
		transactions.status transactions.payment_type transactions.entry_mode transactions.installments_count
		transactions.merchant_code transactions.vat_amount transactions.tip_amount transactions.auth_code
		transactions.internal_id
		hosted_checkout.enabled hosted_checkout_url`
	shownCode = ` boleto.barcode boleto.url boleto.valid_until
		artefacts.name artefacts.content_type artefacts.location artefacts.content artefacts.created_at`
	shownStep = ` next_step.url next_step.method next_step.redirect_url next_step.mechanism next_step.full
		next_step.payload.PaReq next_step.payload.MD next_step.payload.TermUrl next_step.payload.payment_type`

	shownNew = `id checkout_reference amount currency merchant_code merchant_name merchant_country merchant_sandbox
		description purpose checkout_type redirect_url status date valid_until hosted_checkout.enabled`

	// hiddenFromPayers are the members of a checkout that a payer's browser is not shown.
	hiddenFromPayers = `pay_to_email user_id return_url customer_id payment_instrument.token mandate.type ` +
		`mandate.status mandate.merchant_code`
)

// publicKeys are the routes that take one, by their operations. Where none is
// needed it is ignored, and everywhere else it is refused.
var publicKeys = map[string]public{
	"retrieveCheckout": {reads: shownCheckout + shownCode},
	"processCheckout": {reads: shownCheckout + shownCode + shownStep,
		causes: "CALLBACK CARD CHECKOUT CREDIT IDEMPOTENCY SANDBOX SESSION TRANSACTION payment"},
}

// merchantTokens are the routes that take one, likewise.
var merchantTokens = map[string]public{
	"retrieveCheckout": publicKeys["retrieveCheckout"],
	"processCheckout":  publicKeys["processCheckout"],
	"createCheckout":   {reads: shownNew, causes: "CHECKOUT IDEMPOTENCY REFERENCE"},
}

// browser is a payer's, in a world where everything that can be set is.
type browser struct {
	*examples.Scenario
	key   string            // a credential of the shop
	may   map[string]public // what it may do, by operations
	reads []string          // the calls that authenticate it

	shop    examples.Brazilian // of another country, with a boleto
	shopKey string
}

func newBrowser(t *testing.T, credential func(world.Shop) string, may map[string]public, reads ...string) *browser {
	t.Helper()
	b := &browser{Scenario: examples.New(t), may: may, reads: reads}
	b.key, b.shop = credential(b.Shop), examples.NewBoleto(b.World)
	b.shopKey = credential(b.shop.Shop)
	b.setUp()
	b.MustPay(b.CheckoutID, b.mandated().Body.(map[string]any))
	return b
}

// setUp opens a checkout that has all optional members.
func (b *browser) setUp() {
	b.CustomerID = b.Customer()
	b.Open(map[string]any{"customer_id": b.CustomerID, "purpose": "SETUP_RECURRING_PAYMENT",
		"pay_to_email": "kaffee@example.com",
		"description":  "Two coffees", "valid_until": "2027-01-01T00:00:00Z",
		"hosted_checkout": map[string]any{"enabled": true}})
}

// mandated is a request to pay the checkout and to leave the card.
func (b *browser) mandated() world.Request {
	r := b.ByCard(world.Frictionless)
	r.Body.(map[string]any)["mandate"] = map[string]any{"type": "recurrent", "user_agent": "test"}
	return r
}

// onAnother is a request on another checkout than the scenario's.
func (b *browser) onAnother(request func(*examples.Scenario) world.Request) world.Request {
	another := &examples.Scenario{Shop: b.Shop}
	another.Open(nil)
	return request(another)
}

// requests are those of a route that a payer's browser may use, which between them
// are answered with all that there is.
func (b *browser) requests(method string) []world.Request {
	const at = "/v0.1/checkouts/"
	if method == http.MethodPost {
		body := b.CheckoutBody("10.10")
		maps.Copy(body, map[string]any{"description": "Two coffees", "redirect_url": "https://shop.example/done",
			"valid_until": "2027-01-01T00:00:00Z", "hosted_checkout": map[string]any{"enabled": false},
			"personal_details": map[string]any{"email": "ada@example.com"}})
		delete(body, "return_url")
		return []world.Request{{Method: "POST", Path: "/v0.1/checkouts", APIKey: b.key, Body: body, IdempotencyKey: "new"}}
	}
	if method == http.MethodGet {
		return []world.Request{{Method: "GET", Path: at + b.CheckoutID, APIKey: b.key},
			{Method: "GET", Path: at + b.shop.CheckoutID, APIKey: b.shopKey}}
	}
	b.setUp()
	by := func(card string) func(*examples.Scenario) world.Request {
		return func(t *examples.Scenario) world.Request { return t.ByCard(card) }
	}
	all := []world.Request{b.mandated(), b.onAnother((*examples.Scenario).ByIDEAL), b.onAnother(by(world.Challenged)),
		b.onAnother(by(world.Frictionless))}
	for i := range all {
		all[i].APIKey = b.key
	}
	all[0].IdempotencyKey = "set up"
	return append(all, world.Request{Method: "PUT", Path: at + b.shop.Create("10.10", nil),
		Body: examples.ByBoleto, APIKey: b.shopKey})
}

// TestWhatABrowserMay goes through all routes there are with each credential that a payer's browser may have.
func TestWhatABrowserMay(t *testing.T) {
	t.Parallel()
	t.Run("public key", func(t *testing.T) {
		t.Parallel()
		newBrowser(t, func(s world.Shop) string { return s.NewKey("public") }, publicKeys, "BatchGetItem").goesThroughAll(t)
	})
	t.Run("merchant token", func(t *testing.T) {
		t.Parallel()
		newBrowser(t, world.Shop.MerchantToken, merchantTokens, "GetItem", "BatchGetItem").goesThroughAll(t)
	})
}

func (b *browser) goesThroughAll(t *testing.T) {
	t.Helper()
	fix := examples.FixtureOf(b.Shop)
	for _, o := range examples.All(t) {
		plain := world.Request{Method: o.Method, Path: fix.Path(o), APIKey: b.key}
		may, listed := b.may[o.OperationID]
		switch {
		case o.Public:
			b.isIgnored(o, plain)
		case !listed:
			b.isRefused(plain)
		default:
			b.isLimitedTo(o, may)
		}
	}
}

// isRefused: nothing but the credential is read, with its merchant, and nothing
// is written.
func (b *browser) isRefused(r world.Request) {
	b.Helper()
	b.Do(r) // notes once an hour that the key is used
	b.Main().Meter.Reset()
	got := b.Do(r)
	if calls := b.Main().Meter.Reset().Calls; !slices.Equal(calls, b.reads) {
		b.Errorf("%s %s: got calls %q, want %q", r.Method, r.Path, calls, b.reads)
	}
	if got.Status != 403 || got.Text("error_message") != "request_not_allowed" {
		b.Errorf("%s %s: got %d %s, want 403 request_not_allowed", r.Method, r.Path, got.Status, got.Body)
	}
}

// fresh is what no two replies share: ids, the token of a form, and a nonce.
var fresh = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|(name="csrf_token" value|nonce)="[^"]*"`)

// isIgnored: with the key all is as without, but for what is fresh, and what the rate
// limit leases now and then; the credential is not even read. Only what a page's form
// sends is forbidden, without the form's token.
func (b *browser) isIgnored(o checker.Operation, r world.Request) {
	b.Helper()
	ofPage := slices.ContainsFunc(o.Inputs, func(i checker.Input) bool { return i.Path == "csrf_token" && i.Required })
	reply := func(key string) string {
		r.APIKey = key
		b.Main().Meter.Reset()
		got := b.Do(r)
		calls := slices.DeleteFunc(b.Main().Meter.Reset().Calls, func(call string) bool { return call == "UpdateItem" })
		if got.Status == 401 || got.Status == 403 && !ofPage {
			b.Errorf("%s %s: got %d %s, want neither 401 nor 403", r.Method, r.Path, got.Status, got.Body)
		}
		return fmt.Sprintf("%d %s after %q", got.Status, fresh.ReplaceAllString(string(got.Body), ""), calls)
	}
	if with, without := reply(b.key), reply(world.NoKey); with != without {
		b.Errorf("%s %s:\n got %s\nwant as without the key %s", r.Method, r.Path, with, without)
	}
}

// isLimitedTo: the replies show, and the requests write, exactly what is listed.
func (b *browser) isLimitedTo(o checker.Operation, may public) {
	b.Helper()
	requests, route := b.requests(o.Method), o.Method+" "+o.Path
	shown, before := map[string]bool{}, b.contents()
	for _, r := range requests {
		got := b.Do(r)
		if got.Status < 200 || got.Status > 202 {
			b.Errorf("%s: got %d %s, want 200, 201 or 202", route, got.Status, got.Body)
		}
		note(shown, "", got.JSON())
	}
	caused := map[string]bool{}
	for key, item := range b.contents() {
		if before[key] != item {
			caused[kindOf(key)] = true
		}
	}
	delete(caused, string(store.KindKeyUse)) // once an hour, whatever the request
	if want := slices.Sorted(strings.FieldsSeq(may.reads)); !slices.Equal(slices.Sorted(maps.Keys(shown)), want) {
		b.Errorf("%s shows:\n got %q\nwant %q", route, slices.Sorted(maps.Keys(shown)), want)
	}
	if want := strings.Fields(may.causes); !slices.Equal(slices.Sorted(maps.Keys(caused)), want) {
		b.Errorf("%s writes: got %q, want %q", route, slices.Sorted(maps.Keys(caused)), want)
	}
	full := map[string]bool{} // what the merchant's server is shown
	note(full, "", b.Checkout(b.CheckoutID).JSON())
	for _, member := range strings.Fields(hiddenFromPayers) {
		if !full[member] {
			b.Errorf("%s: got members %q for the merchant's server, want %s, or its absence shows nothing", route,
				slices.Sorted(maps.Keys(full)), member)
		}
	}
}

// note adds the dot paths of all members of a JSON value that are no objects;
// those of a list are one another's.
func note(paths map[string]bool, path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			note(paths, strings.TrimPrefix(path+"."+name, "."), member)
		}
	case []any:
		for _, element := range v {
			note(paths, path, element)
		}
	default:
		paths[path] = true
	}
}

// contents are all items, as text by their keys, but for the rate limit's.
func (b *browser) contents() map[string]string {
	b.Helper()
	var items []map[string]any
	_, table := b.App.Store.Raw()
	if err := table.Scan().All(b.Context(), &items); err != nil {
		b.Fatal(err)
	}
	all := map[string]string{}
	for _, item := range items {
		text, err := json.Marshal(item)
		if err != nil {
			b.Fatal(err)
		}
		if key := item["pk"].(string) + " " + item["sk"].(string); kindOf(key) != "RATE" {
			all[key] = string(text)
		}
	}
	return all
}

// kindOf is the kind of an item, by its key.
func kindOf(key string) string {
	pk, sk, _ := strings.Cut(key, " ")
	if strings.HasPrefix(pk, "SANDBOX#") {
		return "SANDBOX"
	}
	if strings.HasPrefix(pk, "TERMINAL#") {
		return "TERMINAL"
	}
	kind, _, _ := strings.Cut(sk, "#")
	return kind
}

// TestAPublicKeyTakesNoKeyOfTheMerchants: a browser that guesses the
// Idempotency-Key of a refund, or of a payment, neither stops the merchant's
// server nor gets its answer.
func TestAPublicKeyTakesNoKeyOfTheMerchants(t *testing.T) {
	t.Parallel()
	one := examples.New(t)
	key, guessed := one.NewKey("public"), "order-4711"
	one.SaveCard()
	paid := one.Checkout(one.CheckoutID).Text("transaction_id")
	one.CheckoutID = "4e425463-3e1b-431d-83fa-1e51c2925e99"
	squat := one.ByCard(world.Frictionless)
	squat.APIKey, squat.IdempotencyKey = key, guessed
	one.Want("a random checkout", 404, one.Do(squat))
	refund := world.Request{Method: "POST", Path: "/v0.1/me/refund/" + paid, IdempotencyKey: guessed}
	one.Want("refund", 204, one.Do(refund))
	one.Open(map[string]any{"customer_id": one.CustomerID})
	request := one.BySavedCard()
	request.IdempotencyKey = "order-4712"
	if got := one.Do(request); got.Text("payment_instrument.token") != one.CardToken {
		t.Errorf("process: got %d %s, want token %s", got.Status, got.Body, one.CardToken)
	}
	request.APIKey = key
	if got := one.Do(request); got.Status != 409 || got.Header.Get("Idempotency-Replayed") != "" ||
		strings.Contains(string(got.Body), one.CardToken) {
		t.Errorf("the same with a public key: got %d %s, Idempotency-Replayed %q; want 409 without the header and token %s",
			got.Status, got.Body, got.Header.Get("Idempotency-Replayed"), one.CardToken)
	}
}
