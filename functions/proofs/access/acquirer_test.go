package access_test

import (
	"net/http"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/examples"
	"github.com/cashwrap/cashwrap/localstack/harness/stripetest"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// payAtStripe moves money at a stand-in for Stripe: in requests of payers and merchants, by polls, by the sweep and on
// the payment page. It then deletes a saved card.
func (e *everything) payAtStripe() {
	e.Helper()
	api := stripetest.New(e.Clock)
	e.GoLiveWith(stripetest.Start(e, api))
	live := e.newSales(e.NewLiveShop())
	at := &everything{&examples.Scenario{Shop: live.Shop}}
	for _, a := range examples.Actions {
		if !strings.Contains(a.Name, "complete") && !strings.Contains(a.Name, "fail a") { // on the sandbox's own page
			a.Prepare(at.Scenario)
			at.mustDo(a.Request(at.Scenario))
		}
	}
	for _, byPoll := range []bool{true, false} {
		live.ProcessCheckout(live.Create(world.Unanswered, nil), e.Card(world.Frictionless))
		live.refundParts(live.Sell("90"))
		api.SettleAll()
		if byPoll {
			e.ReadStream()
			e.Clock.Advance(45 * time.Second)
			e.DrainQueues()
		} else {
			e.Clock.Advance(2 * time.Minute)
			e.Tick("sweep")
		}
	}
	at.SaveCard()
	live.Must(http.StatusNoContent, live.Send("DELETE", "/v0.1/customers/"+at.CustomerID+"/payment-instruments/"+
		at.CardToken, nil))
	for _, b := range live.Reconcile().Breaks {
		if strings.HasSuffix(b.Tenant, live.Merchant.Code) {
			e.Errorf("got %+v, want no breaks", b)
		}
	}
	e.GoLive()
}
