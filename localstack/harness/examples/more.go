package examples

import (
	"net/url"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/contract/checker"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// FourShards is the prefix of the names of requests to a merchant with four shards.
const FourShards = "in four shards: "

// UnknownKey is the suffix of the name of the request with an unknown API key.
const UnknownKey = "unknown key"

// More lists requests that openapi.yaml does not show, or shows in another state.
var More = []struct {
	Name    string
	Request func(*Fixture) world.Request
}{
	{"POST /v0.1/checkouts, with an Idempotency-Key", func(fix *Fixture) world.Request {
		r := fix.shownRequest("createCheckout", "card")
		r.IdempotencyKey = "measured"
		return r
	}},
	{"GET /v0.1/checkouts, three of them", func(fix *Fixture) world.Request {
		for range 3 {
			fix.Create("10.10", nil)
		}
		return fix.shownRequest("listCheckouts", "")
	}},
	{FourShards + "GET /v0.1/checkouts, three of them", func(fix *Fixture) world.Request {
		fix.Command("update_merchant", map[string]any{"shards": 4})
		for range 3 {
			fix.Create("10.10", nil)
		}
		return fix.shownRequest("listCheckouts", "")
	}},
	{"GET /v0.1/checkouts?checkout_reference=", func(fix *Fixture) world.Request {
		fix.Create("10.10", map[string]any{"checkout_reference": "listed"})
		return world.Request{Method: "GET", Path: "/v0.1/checkouts?checkout_reference=listed"}
	}},
	{"GET /v0.1/checkouts, " + UnknownKey, func(fix *Fixture) world.Request {
		_, token, _ := identity.NewAPIKey(fix.Tenant(), identity.BootstrapKey(), fix.Clock.Now())
		return world.Request{Method: "GET", Path: "/v0.1/checkouts", APIKey: token}
	}},
	{"PUT /v0.1/checkouts/{id}, card with challenge", func(fix *Fixture) world.Request {
		fix.Open(nil)
		return fix.ByCard(world.Challenged)
	}},
	{"PUT /v0.1/checkouts/{id}, card saved for a customer", func(fix *Fixture) world.Request {
		fix.Open(map[string]any{"customer_id": fix.Customer()})
		return fix.ByCard(world.Frictionless)
	}},
	{"GET /v2.1/merchants/{merchant_code}/transactions?foreign_transaction_id=", func(fix *Fixture) world.Request {
		return world.Request{Method: "GET", Path: "/v2.1/merchants/" + fix.Merchant.Code +
			"/transactions?foreign_transaction_id=" + url.QueryEscape(fix.Sell("10.10").Reference)}
	}},
	{"GET /v2.1/merchants/{merchant_code}/transactions/history, a page of 100", func(fix *Fixture) world.Request {
		for range 100 {
			fix.Sell("10.10")
		}
		return world.Request{Method: "GET", Path: "/v2.1/merchants/" + fix.Merchant.Code + "/transactions/history?limit=100"}
	}},
	{"GET /v2.1/merchants/{merchant_code}/transactions/history, no changes since", func(fix *Fixture) world.Request {
		for range 10 {
			fix.Sell("10.10")
		}
		return world.Request{Method: "GET", Path: "/v2.1/merchants/" + fix.Merchant.Code +
			"/transactions/history?changes_since=" + fix.Clock.Now().Add(time.Second).Format(time.RFC3339)}
	}},
	{FourShards + "GET /v2.1/merchants/{merchant_code}/transactions/history, three", func(fix *Fixture) world.Request {
		fix.Command("update_merchant", map[string]any{"shards": 4})
		for range 3 {
			fix.Sell("10.10")
		}
		return world.Request{Method: "GET", Path: "/v2.1/merchants/" + fix.Merchant.Code + "/transactions/history"}
	}},
	{"GET /v0.1/me, with every part", func(fix *Fixture) world.Request {
		return world.Request{Method: "GET", Path: "/v0.1/me?include=operators,settings,doing_business_as,bank_accounts," +
			"app_settings,vat_rates,signup_flows,shelves,country_details,timeoffset_details,permissions"}
	}},
	{"GET /v1.1/receipts/{id}, again", func(fix *Fixture) world.Request {
		r := fix.shownRequest("retrieveReceipt", "")
		fix.Do(r)
		return r
	}},
}

func (fix *Fixture) shownRequest(operation, example string) world.Request {
	fix.Helper()
	all, _ := operations()
	at := slices.IndexFunc(all, func(o checker.Operation) bool { return o.OperationID == operation })
	return fix.Request(all[at], example)
}
