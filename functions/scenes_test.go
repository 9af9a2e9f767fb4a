package functions_test

import (
	"encoding/json"
	"net/url"
	"path"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/world"
)

// role is what a value of the document's examples stands for, where no
// collection makes it.
type role struct {
	name string // of what an event leaves open, as in ${MERCHANT_CODE}; "": it keeps the document's value
	play func(*cast) string
}

// roles are by the value. It is a function's, so that they may speak of each
// other.
var roles map[string]role

func init() {
	roles = map[string]role{
		"MC0A1B2C3D": {"MERCHANT_CODE", func(c *cast) string { return c.Merchant.Code }},
		"https://shop.example.com/callbacks/payments": {"", func(c *cast) string { return c.receiver.URL }},
		// A card that the customer of the examples has saved.
		"8c9d6b0e-52c4-4f0a-9d8e-3f5f8a2f6f01": {"TOKEN", func(c *cast) string {
			c.payer = c.real("customer-77")
			return c.payAndSave()
		}},
		"T1A2B3C4D5":                           {"TRANSACTION_CODE", func(c *cast) string { return c.sold().Code }},
		"6f1d2c3b-4a59-4e87-9c6d-7b8a9f0e1d2c": {"TRANSACTION_ID", func(c *cast) string { return c.sold().ID }},
		"0d3f1f86-9b5b-4c38-8d0f-6f1f2a0b7c55": {"SESSION_ID", func(c *cast) string {
			c.open(nil)
			return path.Base(c.Do(c.byIDEAL()).Text("next_step.url"))
		}},
	}
}

// sold is a payment.
func (c *cast) sold() world.Payment { return c.Sell("10.10") }

// queried names the parameter, of several of which one is needed, that an
// operation is asked by.
var queried = map[string]string{"retrieveTransaction": "transaction_code", "retrieveMyTransaction": "transaction_code"}

// scenes are operations, with the example of their body where they have one,
// that need more than what their examples name.
var scenes = map[string]func(*tale) world.Request{
	"processCheckout recurring": func(t *tale) world.Request {
		t.open(map[string]any{"customer_id": t.Customer(), "purpose": "SETUP_RECURRING_PAYMENT"})
		body := t.Card(world.Challenged)
		body["mandate"] = map[string]any{"type": "recurrent", "user_agent": "Mozilla/5.0", "user_ip": "203.0.113.7"}
		return t.put(body)
	},
	"processCheckout boleto": func(t *tale) world.Request {
		t.Shop = t.Abroad("BR", "BRL", nil)
		t.open(nil)
		return t.put(byBoleto)
	},
	"completePayment answered": func(t *tale) world.Request {
		t.open(nil)
		t.challenge("approve")
		return t.complete()
	},
	"show3dsChallenge challenge": func(t *tale) world.Request {
		return world.Request{Path: "/3ds/challenge", Body: t.asked()}
	},
	"decide3dsChallenge approve": func(t *tale) world.Request {
		form := t.asked()
		form.Set("decision", "approve")
		return world.Request{Path: "/3ds/challenge/decision", Body: form}
	},
	"downloadBoleto": func(t *tale) world.Request {
		return world.Request{Path: newBoleto(t.World).link()}
	},
	"downloadArtefact": func(t *tale) world.Request {
		b := newBoleto(t.World)
		var read struct{ Artefacts []struct{ Location string } }
		if err := b.Send("GET", "/v0.1/checkouts/"+b.checkout, nil).Into(&read); err != nil || len(read.Artefacts) == 0 {
			t.Fatalf("%v, %+v", err, read)
		}
		return world.Request{Path: strings.TrimPrefix(read.Artefacts[0].Location, "http://cashwrap.test")}
	},
}

// asked is the form with which the payer's browser comes to the issuer.
func (t *tale) asked() url.Values {
	t.Helper()
	t.open(nil)
	var started struct {
		NextStep struct{ Payload map[string]string } `json:"next_step"`
	}
	got := t.Do(t.byCard(world.Challenged))
	if err := json.Unmarshal(got.Body, &started); err != nil || got.Status != 202 {
		t.Fatalf("start: %d %s", got.Status, got.Body)
	}
	form := url.Values{}
	for name, value := range started.NextStep.Payload {
		form.Set(name, value)
	}
	return form
}
