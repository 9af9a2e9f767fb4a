package examples

import (
	"maps"
	"net/http"
	"net/url"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

var pagePlaceholders = map[string]placeholder{
	"7c2d91ab-58e0-4f36-9b1d-2a6c4e8f0d13": {"HOSTED_CHECKOUT_ID", func(fix *Fixture) string {
		fix.openHosted(nil)
		return fix.CheckoutID
	}},
}

// The requests of the payment page need a hosted checkout. Requests to pay also need the cookie and a form of the page.
func init() {
	maps.Copy(prepared, map[string]func(*Scenario) world.Request{
		"createPaymentPageAttempt card": func(t *Scenario) world.Request {
			t.openHosted(nil)
			return t.pageRequest(t.Card(world.Frictionless))
		},
		"createPaymentPageAttempt form": func(t *Scenario) world.Request {
			t.openHosted(nil)
			return t.formRequest(world.Frictionless)
		},
	})
	Actions = append(Actions,
		Action{"pay on the page", func(t *Scenario) { t.openHosted(nil) },
			func(t *Scenario) world.Request { return t.pageRequest(t.Card(world.Frictionless)) }},
		Action{"declined on the page", func(t *Scenario) { t.openHosted(map[string]any{"amount": 42.01}) },
			func(t *Scenario) world.Request { return t.formRequest(world.Frictionless) }},
		Action{"start a challenge on the page", func(t *Scenario) { t.openHosted(nil) },
			func(t *Scenario) world.Request { return t.pageRequest(t.Card(world.Challenged)) }},
		Action{"see the page at the payer's turn", func(t *Scenario) { t.openHosted(nil) },
			func(t *Scenario) world.Request {
				request := t.formRequest(world.Challenged)
				t.Do(request)
				return world.Request{Method: http.MethodGet, Path: t.hostedPage(), APIKey: world.NoKey, Header: request.Header}
			}},
	)
}

func (t *Scenario) openHosted(more map[string]any) {
	t.Helper()
	fields := map[string]any{"hosted_checkout": map[string]any{"enabled": true}}
	maps.Copy(fields, more)
	t.Open(fields)
}

func (t *Scenario) hostedPage() string { return "/pay/c-" + t.CheckoutID }

func (t *Scenario) formRequest(number string) world.Request {
	t.Helper()
	t.Secret("card number", number)
	return t.Visitor().Filled(t.hostedPage(), t.hostedPage()+"/attempts", url.Values{"payment_type": {"card"},
		"card.name": {"Ada Lovelace"}, "card.number": {number}, "card.expiry_month": {"12"},
		"card.expiry_year": {"2030"}, "card.cvv": {world.CVV}})
}

// pageRequest returns the request that the page's script sends for a payment.
func (t *Scenario) pageRequest(payment map[string]any) world.Request {
	t.Helper()
	form := t.formRequest(world.Frictionless)
	fields, _ := form.Body.(url.Values)
	payment["csrf_token"], payment["attempt_key"] = fields.Get("csrf_token"), fields.Get("attempt_key")
	form.Body = payment
	return form
}
