package main

import (
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/stripetest"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/stripe"
	"github.com/cashwrap/cashwrap/shared/identity"
)

func TestReport_StripeByHand(t *testing.T) {
	t.Parallel()
	b := newBasis(t, measured())
	want := map[string]float64{
		// The charge writes as much as the other charge, the notice 1 unit and a lease of 0.02 units.
		"DynamoDB writes": 1.02 * 0.625,
		// The notice computes for 5 ms and makes 3 calls of 10 ms. The charge and the notice make 6 requests to Stripe, but
		// one of them is the charge itself, which a payment elsewhere has, too.
		"Lambda GB-seconds": 0.25 * (5 + 3*10 + 5*500) / 1000 * 13.3334,
		"HTTP API requests": 1,
		// Three requests to Stripe and the answer to the notice have 2,000 bytes each.
		"sent, GB": 8 * 0.09,
	}
	for _, l := range b.stripe() {
		if dollars, ok := want[l.what]; ok && differs(l.dollars[0], dollars) {
			t.Errorf("%s: got %v, want %v", l.what, l.dollars[0], dollars)
		}
		delete(want, l.what)
	}
	if len(want) > 0 {
		t.Errorf("got no lines %v, want them", want)
	}
	limits, err := b.stripeLimits()
	if err != nil {
		t.Fatal(err)
	}
	perSecond := map[string]float64{}
	for _, l := range limits {
		perSecond[l.what] = l.perSecond
	}
	for what, want := range map[string]float64{"the account at Stripe": 100.0 / 3, "the API's stage": 5000.0 / 4,
		"the table's quota": 40000.0 / 4} {
		if differs(perSecond[what], want) {
			t.Errorf("%s: got %v, want %v", what, perSecond[what], want)
		}
	}
}

// TestAssumptions_LogBytesAtStripe measures the log of a payment at Stripe with its notice, as
// TestAssumptions_LogBytes does for a payment with the sandbox.
func TestAssumptions_LogBytesAtStripe(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	api := stripetest.New(w.Clock)
	w.GoLiveWith(stripetest.Start(t, api))
	shop := w.Shop().NewLiveShop().WithCallbacks()
	tenant := identity.Tenant{Mode: identity.Live, Merchant: shop.Merchant.Code}
	ofNotices := 0
	all := measureLog(shop, func(checkout string) {
		c, err := w.App.Store.AnyCheckout(t.Context(), tenant, checkout)
		if err != nil {
			t.Fatal(err)
		}
		header, body, err := api.Notify(acquirer.Hint{ID: c.Attempt.ID,
			Reference: acquirer.Reference{Tenant: tenant.String(), CheckoutID: checkout}})
		if err != nil {
			t.Fatal(err)
		}
		before := countLogged(shop)
		w.Must(200, w.Do(world.Request{Method: "POST", Path: "/acquirer/notices/live", APIKey: world.NoKey,
			Body: string(body), Header: map[string]string{stripe.SignatureHeader: header.Get(stripe.SignatureHeader)}}))
		ofNotices += countLogged(shop) - before
	})
	ofNotice := float64(ofNotices) / loggedPayments
	checkAssumption(t, all-ofNotice, "log.payment")
	checkAssumption(t, ofNotice, "log.notice")
}
