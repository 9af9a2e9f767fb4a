package capacity_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/examples"
	"github.com/cashwrap/cashwrap/localstack/harness/stripetest"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/stripe"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// atStripe is the prefix of the names of rows about live payments at Stripe.
const atStripe = "at Stripe: "

// liveFixture is a live merchant whose platform charges at a stand-in for Stripe.
type liveFixture struct {
	*examples.Fixture
	api *stripetest.StandIn
}

func newLiveFixture(t *testing.T) liveFixture {
	w := world.New(t)
	api := stripetest.New(w.Clock)
	w.GoLiveWith(stripetest.Start(t, api))
	return liveFixture{examples.FixtureOf(w.Shop().WithCallbacks().NewLiveShop()), api}
}

// liveRequests lists the measured requests about live payments.
var liveRequests = []struct {
	name    string
	item    string // state of the largest of Stripe's items after the request; "": not shown
	request func(liveFixture) world.Request
}{
	{"PUT /v0.1/checkouts/{id}, card", "charge, approved", func(fix liveFixture) world.Request {
		fix.Open(nil)
		return fix.ByCard(world.Frictionless)
	}},
	{"PUT /v0.1/checkouts/{id}, card declined", "charge, declined", func(fix liveFixture) world.Request {
		fix.Open(nil)
		return fix.ByCard(stripetest.DecliningCard)
	}},
	{"PUT /v0.1/checkouts/{id}, card with challenge", "charge, pinned", func(fix liveFixture) world.Request {
		fix.Open(nil)
		return fix.ByCard(world.Challenged)
	}},
	{"PUT /v0.1/checkouts/{id}, card saved for a customer", "", func(fix liveFixture) world.Request {
		fix.Open(map[string]any{"customer_id": fix.Customer()})
		return fix.ByCard(world.Frictionless)
	}},
	{"POST /v0.1/me/refund/{txn_id}, part", "", func(fix liveFixture) world.Request {
		return fix.halfBack(fix.Sell("10.10"))
	}},
	{"POST /acquirer/notices/{mode}, payment known", "", func(fix liveFixture) world.Request {
		return fix.notice(fix.hint(fix.Sell("10.10").Checkout))
	}},
	{"POST /acquirer/notices/{mode}, payment open", "", func(fix liveFixture) world.Request {
		checkout := fix.Create(world.Unanswered, nil)
		fix.Pay(checkout, fix.Card(world.Frictionless))
		fix.api.SettleAll()
		return fix.notice(fix.hint(checkout))
	}},
	{"POST /acquirer/notices/{mode}, refund known", "", func(fix liveFixture) world.Request {
		sold := fix.Sell("10.10")
		fix.Must(http.StatusNoContent, fix.Do(fix.halfBack(sold)))
		fix.Clock.Advance(time.Minute) // the refund's own request has surely ended
		h := fix.hint(sold.Checkout)
		record, err := fix.App.Store.Transaction(fix.Context(), fix.tenant(), sold.ID)
		if err != nil || len(record.Events) != 1 {
			fix.Fatalf("got %+v, error %v; want a payment with one refund", record, err)
		}
		h.ID, h.IsRefund = record.Events[0].ID, true
		return fix.notice(h)
	}},
}

// halfBack returns a request to refund about half of a payment.
func (fix liveFixture) halfBack(sold world.Payment) world.Request {
	return world.Request{Method: "POST", Path: "/v0.1/me/refund/" + sold.ID, Body: map[string]any{"amount": 5}}
}

func (fix liveFixture) tenant() identity.Tenant {
	return identity.Tenant{Mode: identity.Live, Merchant: fix.Merchant.Code}
}

// hint returns the hint about the latest attempt of a checkout.
func (fix liveFixture) hint(checkout string) acquirer.Hint {
	fix.Helper()
	c, err := fix.App.Store.AnyCheckout(fix.Context(), fix.tenant(), checkout)
	if err != nil || c.Attempt == nil {
		fix.Fatalf("got %+v, error %v; want a checkout with an attempt", c, err)
	}
	return acquirer.Hint{Reference: acquirer.Reference{Tenant: fix.tenant().String(), CheckoutID: checkout},
		ID: c.Attempt.ID}
}

// notice returns the request by which Stripe sends a notice.
func (fix liveFixture) notice(h acquirer.Hint) world.Request {
	fix.Helper()
	header, body, err := fix.api.Notify(h)
	if err != nil {
		fix.Fatal(err)
	}
	return world.Request{Method: "POST", Path: "/acquirer/notices/live", APIKey: world.NoKey, Body: string(body),
		Header: map[string]string{stripe.SignatureHeader: header.Get(stripe.SignatureHeader)}}
}

// asked returns the number of requests to Stripe so far.
func (fix liveFixture) asked() int {
	return fix.api.Count(http.MethodGet, "") + fix.api.Count(http.MethodPost, "")
}

// measureStripe measures live payments.
func (c *capacity) measureStripe(t *testing.T) {
	for _, r := range liveRequests {
		fix := newLiveFixture(t)
		before := 0
		use := measure(t, fix.Fixture, atStripe+r.name, func(*examples.Fixture) world.Request {
			made := r.request(fix)
			before = fix.asked()
			return made
		})
		use.Acquirer = fix.asked() - before
		c.addUse(atStripe+r.name, use)
		if r.item != "" {
			c.addItem(t, "STRIPE "+r.item, measuredScenario{fix.Scenario}.sizeOfLargest("STRIPE"))
		}
	}
}
