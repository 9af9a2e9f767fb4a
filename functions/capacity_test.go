package functions_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/world"
	"github.com/cashwrap/cashwrap/shared/identity"
)

const capacityFile = "CAPACITY.md"

const capacityHead = `# What each endpoint costs at the table

Made by ` + "`go test ./functions -run TestCapacity -update`" + `, which plays each request once in a warm process and reads
the consumed capacity that the engine reports, by the published rules and with indexes. Without ` + "`-update`" + ` the test
fails when a line no longer holds. RCU and WCU are read and write capacity units; of the WCU, list, due and history are
those of the three indexes. The rate limit adds at most 0.02 writes a request, and an Idempotency-Key two writes. The
sandbox acquirer's own books are another party's and are not counted.

| request | calls | RCU | WCU | list | due | history | which |
|---|---:|---:|---:|---:|---:|---:|---|
`

// measured is one line of the table.
type measured struct {
	name    string
	most    int // calls allowed
	request func(*tale) world.Request
}

var measuredRequests = []measured{
	{"POST /v0.1/checkouts", 2, func(t *tale) world.Request {
		return world.Request{Method: "POST", Path: "/v0.1/checkouts", Body: map[string]any{"checkout_reference": "measured", "amount": 10.10,
			"currency": "EUR", "merchant_code": t.Merchant.Code, "return_url": t.receiver.URL}}
	}},
	{"GET /v0.1/checkouts/{id}", 2, func(t *tale) world.Request {
		return world.Request{Method: "GET", Path: "/v0.1/checkouts/" + t.create(nil)}
	}},
	{"GET /v0.1/checkouts?checkout_reference=", 3, func(t *tale) world.Request {
		t.create(map[string]any{"checkout_reference": "listed"})
		return world.Request{Method: "GET", Path: "/v0.1/checkouts?checkout_reference=listed"}
	}},
	{"GET /v0.1/checkouts (three of them)", 3, func(*tale) world.Request {
		return world.Request{Method: "GET", Path: "/v0.1/checkouts"}
	}},
	{"PUT /v0.1/checkouts/{id}, card", 4, func(t *tale) world.Request {
		t.open(nil)
		return t.byCard(world.Frictionless)
	}},
	{"PUT /v0.1/checkouts/{id}, card with challenge", 4, func(t *tale) world.Request {
		t.open(nil)
		return t.byCard(world.Challenged)
	}},
	{"POST /v0.1/checkouts/{id}/complete_payment", 4, func(t *tale) world.Request {
		t.open(nil)
		t.challenge("approve")
		return t.complete()
	}},
	{"PUT /v0.1/checkouts/{id}, card saved for a customer", 4, func(t *tale) world.Request {
		t.open(map[string]any{"customer_id": t.Customer()})
		return t.byCard(world.Frictionless)
	}},
	{"PUT /v0.1/checkouts/{id}, saved card", 4, func(t *tale) world.Request {
		t.saveCard()
		t.open(nil)
		return t.bySavedCard()
	}},
	{"PATCH /v0.1/checkouts/{id}", 3, func(t *tale) world.Request {
		return world.Request{Method: "PATCH", Path: "/v0.1/checkouts/" + t.create(nil), Body: map[string]any{"amount": 11}}
	}},
	{"DELETE /v0.1/checkouts/{id}", 3, func(t *tale) world.Request {
		return world.Request{Method: "DELETE", Path: "/v0.1/checkouts/" + t.create(nil)}
	}},
	{"POST /v0.1/checkouts, with an Idempotency-Key", 4, func(t *tale) world.Request {
		return world.Request{Method: "POST", Path: "/v0.1/checkouts", Header: map[string]string{"Idempotency-Key": "measured"},
			Body: map[string]any{"checkout_reference": "measured once", "amount": 10.10, "currency": "EUR",
				"merchant_code": t.Merchant.Code, "return_url": t.receiver.URL}}
	}},
	{"GET /v0.1/checkouts/{id}/payment-methods", 2, func(t *tale) world.Request {
		return world.Request{Method: "GET", Path: "/v0.1/checkouts/" + t.create(nil) + "/payment-methods"}
	}},
	{"GET /v0.1/merchants/{merchant_code}/payment-methods", 1, func(t *tale) world.Request {
		return world.Request{Method: "GET", Path: "/v0.1/merchants/" + t.Merchant.Code + "/payment-methods"}
	}},
	{"POST /v0.1/customers", 2, func(*tale) world.Request {
		return world.Request{Method: "POST", Path: "/v0.1/customers", Body: map[string]any{"customer_id": "measured"}}
	}},
	{"GET /v0.1/customers/{customer_id}", 2, func(t *tale) world.Request {
		return world.Request{Method: "GET", Path: "/v0.1/customers/" + t.Customer()}
	}},
	{"PUT /v0.1/customers/{customer_id}", 3, func(t *tale) world.Request {
		return world.Request{Method: "PUT", Path: "/v0.1/customers/" + t.Customer(),
			Body: map[string]any{"personal_details": map[string]any{"first_name": "Ada"}}}
	}},
	{"GET /v0.1/customers/{customer_id}/payment-instruments", 3, func(t *tale) world.Request {
		return world.Request{Method: "GET", Path: "/v0.1/customers/" + t.Customer() + "/payment-instruments"}
	}},
	{"POST /v0.1/me/refund/{txn_id}", 5, func(t *tale) world.Request {
		return world.Request{Method: "POST", Path: "/v0.1/me/refund/" + t.pay(nil).Text("transaction_id"), Body: map[string]any{"amount": 1}}
	}},
	{"GET /v2.1/merchants/{merchant_code}/transactions?transaction_code=", 2, func(t *tale) world.Request {
		return t.detail("transaction_code", "transaction_code")
	}},
	{"GET /v2.1/merchants/{merchant_code}/transactions?foreign_transaction_id=", 4, func(t *tale) world.Request {
		return t.detail("foreign_transaction_id", "checkout_reference")
	}},
	{"GET /v2.1/merchants/{merchant_code}/transactions/history, a page of 100", 2, func(t *tale) world.Request {
		for range 100 {
			t.pay(nil)
		}
		return world.Request{Method: "GET", Path: "/v2.1/merchants/" + t.Merchant.Code + "/transactions/history?limit=100"}
	}},
	{"GET /v1.0/merchants/{merchant_code}/payouts, none yet", 2, func(t *tale) world.Request {
		return world.Request{Method: "GET", Path: "/v1.0/merchants/" + t.Merchant.Code + "/payouts?start_date=2026-01-01&end_date=2026-12-31"}
	}},
	{"GET /v1.1/receipts/{id}, for the first time", 5, func(t *tale) world.Request {
		return t.receipt()
	}},
	{"GET /v1.1/receipts/{id}, again", 3, func(t *tale) world.Request {
		request := t.receipt()
		t.Do(request)
		return request
	}},
	{"GET /v0.1/checkouts, unknown key", 1, func(t *tale) world.Request {
		_, token, _ := identity.NewAPIKey(identity.Tenant{Mode: identity.Test, Merchant: t.Merchant.Code}, identity.BootstrapKey(), t.Clock.Now())
		return world.Request{Method: "GET", Path: "/v0.1/checkouts", Key: token}
	}},
}

// receipt asks for the receipt of a new payment.
func (t *tale) receipt() world.Request {
	return world.Request{Method: "GET", Path: "/v1.1/receipts/" + t.pay(nil).Text("transaction_id") + "?mid=" + t.Merchant.Code}
}

// detail asks for a new payment by one of its identifiers.
func (t *tale) detail(identifier, of string) world.Request {
	return world.Request{Method: "GET",
		Path: "/v2.1/merchants/" + t.Merchant.Code + "/transactions?" + identifier + "=" + url.QueryEscape(t.pay(nil).Text(of))}
}

// warmUp has each function lease its first tokens of the rate limit.
func warmUp(w *world.World) {
	for path, want := range map[string]int{"/v0.1/checkouts": 200, "/v0.1/customers/nobody": 404, "/v0.1/artefacts/none/content": 404,
		"/v2.1/merchants/" + w.Merchant.Code + "/transactions?id=none": 404, "/v1.1/receipts/none?mid=" + w.Merchant.Code: 404,
		"/v1.0/merchants/" + w.Merchant.Code + "/payouts?start_date=2026-01-01&end_date=2026-01-01": 200} {
		if r := w.Do(world.Request{Method: "GET", Path: path}); r.Status != want {
			w.Fatalf("warm up: %d %s", r.Status, r.Body)
		}
	}
}

func TestCapacity(t *testing.T) {
	t.Parallel()
	one := newTale(t)
	warmUp(one.World)
	table := strings.Builder{}
	table.WriteString(capacityHead)
	for _, m := range measuredRequests {
		request := m.request(one)
		one.Main().Meter.Reset()
		if response := one.Do(request); response.Status >= 400 && request.Key == "" {
			t.Errorf("%s: %d %s", m.name, response.Status, response.Body)
		}
		use := one.Main().Meter.Reset()
		if len(use.Calls) > m.most {
			t.Errorf("%s: %d calls, aim %d: %v", m.name, len(use.Calls), m.most, use.Calls)
		}
		table.WriteString(line(m.name, use))
	}
	table.WriteString(measureEvents(t))
	if enginetest.OnDynamoDBLocal() { // it charges transactions and empty pages by rules of its own
		return
	}
	golden(t, capacityFile, table.String())
}
