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

// effects are the only effects that a route may have for a credential in a payer's browser. Every visitor has the
// public key (contract §2.1), and an attacker may also have a merchant token (contract §8.5).
type effects struct {
	reads  string // dot paths of the fields that a reply may show
	causes string // kinds of items that a request may write, of the platform and the sandbox
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

	// hiddenFromPayers are the fields of a checkout that payers' browsers do not get.
	hiddenFromPayers = `pay_to_email user_id return_url customer_id payment_instrument.token mandate.type ` +
		`mandate.status mandate.merchant_code`
)

// publicKeys are the operations that accept a public key. Operations without authentication ignore the key, and all
// others refuse it.
var publicKeys = map[string]effects{
	"retrieveCheckout": {reads: shownCheckout + shownCode},
	"processCheckout": {reads: shownCheckout + shownCode + shownStep,
		causes: "CALLBACK CARD CHECKOUT CREDIT IDEMPOTENCY SANDBOX SESSION TRANSACTION payment"},
}

// merchantTokens are the operations that accept a merchant token.
var merchantTokens = map[string]effects{
	"retrieveCheckout": publicKeys["retrieveCheckout"],
	"processCheckout":  publicKeys["processCheckout"],
	"createCheckout":   {reads: shownNew, causes: "CHECKOUT IDEMPOTENCY REFERENCE"},
}

// browser is a payer's browser, in a world with all optional data.
type browser struct {
	*examples.Scenario
	key   string             // a credential of the scenario's shop
	may   map[string]effects // its rights, by operation
	reads []string           // the table calls that authenticate it

	shop    examples.Brazilian // in another country, with a boleto
	shopKey string
}

func newBrowser(t *testing.T, credential func(world.Shop) string, may map[string]effects, reads ...string) *browser {
	t.Helper()
	b := &browser{Scenario: examples.New(t), may: may, reads: reads}
	b.key, b.shop = credential(b.Shop), examples.NewBoleto(b.World)
	b.shopKey = credential(b.shop.Shop)
	b.setUp()
	b.MustPay(b.CheckoutID, b.mandateRequest().Body.(map[string]any))
	return b
}

// setUp opens a checkout with all optional fields.
func (b *browser) setUp() {
	b.CustomerID = b.Customer()
	b.Open(map[string]any{"customer_id": b.CustomerID, "purpose": "SETUP_RECURRING_PAYMENT",
		"pay_to_email": "kaffee@example.com",
		"description":  "Two coffees", "valid_until": "2027-01-01T00:00:00Z",
		"hosted_checkout": map[string]any{"enabled": true}})
}

// mandateRequest returns a request that pays the checkout and saves the card.
func (b *browser) mandateRequest() world.Request {
	r := b.ByCard(world.Frictionless)
	r.Body.(map[string]any)["mandate"] = map[string]any{"type": "recurrent", "user_agent": "test"}
	return r
}

// openAnother opens another checkout and returns a request on it.
func (b *browser) openAnother(request func(*examples.Scenario) world.Request) world.Request {
	another := &examples.Scenario{Shop: b.Shop}
	another.Open(nil)
	return request(another)
}

// makeRequests returns a browser's requests with the method. Together their answers have all possible fields.
func (b *browser) makeRequests(method string) []world.Request {
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
	all := []world.Request{b.mandateRequest(), b.openAnother((*examples.Scenario).ByIDEAL),
		b.openAnother(by(world.Challenged)), b.openAnother(by(world.Frictionless))}
	for i := range all {
		all[i].APIKey = b.key
	}
	all[0].IdempotencyKey = "set up"
	return append(all, world.Request{Method: "PUT", Path: at + b.shop.Create("10.10", nil),
		Body: examples.ByBoleto, APIKey: b.shopKey})
}

// TestBrowserCredentials checks all routes with each kind of credential that a payer's browser may have.
func TestBrowserCredentials(t *testing.T) {
	t.Parallel()
	t.Run("public key", func(t *testing.T) {
		t.Parallel()
		newBrowser(t, func(s world.Shop) string { return s.NewKey("public") }, publicKeys, "BatchGetItem").checkAll(t)
	})
	t.Run("merchant token", func(t *testing.T) {
		t.Parallel()
		newBrowser(t, world.Shop.MerchantToken, merchantTokens, "GetItem", "BatchGetItem").checkAll(t)
	})
}

func (b *browser) checkAll(t *testing.T) {
	t.Helper()
	fix := examples.FixtureOf(b.Shop)
	for _, o := range examples.All(t) {
		plain := world.Request{Method: o.Method, Path: fix.Path(o), APIKey: b.key}
		may, listed := b.may[o.OperationID]
		switch {
		case o.Public:
			b.checkIgnored(o, plain)
		case !listed:
			b.checkRefused(plain)
		default:
			b.checkExactEffects(o, may)
		}
	}
}

// checkRefused checks that the request reads only the credential and its merchant, and writes nothing.
func (b *browser) checkRefused(r world.Request) {
	b.Helper()
	b.Do(r) // records the key's use, once an hour
	b.Main().Meter.Reset()
	got := b.Do(r)
	if calls := b.Main().Meter.Reset().Calls; !slices.Equal(calls, b.reads) {
		b.Errorf("%s %s: got calls %q, want %q", r.Method, r.Path, calls, b.reads)
	}
	if got.Status != 403 || got.Text("error_message") != "request_not_allowed" {
		b.Errorf("%s %s: got %d %s, want 403 request_not_allowed", r.Method, r.Path, got.Status, got.Body)
	}
}

// freshText matches text that differs between replies: ids, the token of a form, and a nonce.
var freshText = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|(name="csrf_token" value|nonce)="[^"]*"`)

// checkIgnored checks that the answer is the same with and without the key, apart from fresh texts and the rate limit's
// occasional leases. The credential is not even read. A request of a page's form gets 403, because it lacks the form's
// token. Any other answer is neither 401 nor 403.
func (b *browser) checkIgnored(o checker.Operation, r world.Request) {
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
		return fmt.Sprintf("%d %s after %q", got.Status, freshText.ReplaceAllString(string(got.Body), ""), calls)
	}
	if with, without := reply(b.key), reply(world.NoKey); with != without {
		b.Errorf("%s %s:\n got %s\nwant as without the key %s", r.Method, r.Path, with, without)
	}
}

// checkExactEffects checks that the replies show exactly the listed fields, and that the requests write exactly the
// listed kinds.
func (b *browser) checkExactEffects(o checker.Operation, may effects) {
	b.Helper()
	requests, route := b.makeRequests(o.Method), o.Method+" "+o.Path
	shown, before := map[string]bool{}, b.readContents()
	for _, r := range requests {
		got := b.Do(r)
		if got.Status < 200 || got.Status > 202 {
			b.Errorf("%s: got %d %s, want 200, 201 or 202", route, got.Status, got.Body)
		}
		addPaths(shown, "", got.JSON())
	}
	caused := map[string]bool{}
	for key, item := range b.readContents() {
		if before[key] != item {
			caused[kindOf(key)] = true
		}
	}
	delete(caused, string(store.KindKeyUse)) // written once an hour for any request
	if want := slices.Sorted(strings.FieldsSeq(may.reads)); !slices.Equal(slices.Sorted(maps.Keys(shown)), want) {
		b.Errorf("%s shows:\n got %q\nwant %q", route, slices.Sorted(maps.Keys(shown)), want)
	}
	if want := strings.Fields(may.causes); !slices.Equal(slices.Sorted(maps.Keys(caused)), want) {
		b.Errorf("%s writes: got %q, want %q", route, slices.Sorted(maps.Keys(caused)), want)
	}
	full := map[string]bool{} // the members that the merchant's server gets
	addPaths(full, "", b.Checkout(b.CheckoutID).JSON())
	for _, member := range strings.Fields(hiddenFromPayers) {
		if !full[member] {
			b.Errorf("%s: got members %q for the merchant's server, want %s, or its absence shows nothing", route,
				slices.Sorted(maps.Keys(full)), member)
		}
	}
}

// addPaths adds the dot path of each text, number, boolean and null in a JSON value. Elements of a list share their
// paths.
func addPaths(paths map[string]bool, path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			addPaths(paths, strings.TrimPrefix(path+"."+name, "."), member)
		}
	case []any:
		for _, element := range v {
			addPaths(paths, path, element)
		}
	default:
		paths[path] = true
	}
}

// readContents returns all items as text by their keys, except for the items of the rate limit.
func (b *browser) readContents() map[string]string {
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

// kindOf returns an item's kind from its key.
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

// TestIdempotencyKey_GuessedByBrowser checks a browser that guesses the Idempotency-Key of a refund or payment. The
// browser can neither block the merchant's server nor get the answer that is meant for the server.
func TestIdempotencyKey_GuessedByBrowser(t *testing.T) {
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
