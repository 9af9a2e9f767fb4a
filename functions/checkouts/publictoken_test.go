package checkouts_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// inBrowsers returns the shop once for each kind of credential that payers' browsers use.
func inBrowsers(s world.Shop) map[string]world.Shop {
	return map[string]world.Shop{"public key": s.WithKey(s.NewKey("public")),
		"merchant token": s.WithKey(s.MerchantToken())}
}

// TestProcessCheckout_CardOfAnotherCustomer checks that a browser charges only cards of the checkout's own customer.
// For any other card the answer is always the same, even if the card does not exist. The state of the checkout makes no
// difference either (contract §2.1).
func TestProcessCheckout_CardOfAnotherCustomer(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	ada, eve := s.Customer(), s.Customer()
	mandated, saved, own := saveCardWithMandate(s, ada, world.Frictionless), saveCardByPayment(s, ada, "5200000000000007"),
		saveCardByPayment(s, eve, world.Frictionless)
	forget(s, ada, saveCardByPayment(s, ada, "5200000000000023"))
	soon := s.Clock.Now().Add(time.Minute).Format(time.RFC3339)
	checkouts := map[string]string{
		"guest's": s.Create("10.10", nil), "eve's": s.Create("10.10", fields{"customer_id": eve}),
		"paid": s.Create("10.10", nil), "failed": s.Create("10.10", nil), "challenged": s.Create("10.10", nil),
		"pending": s.Create("42.25", nil),
		"expired": s.Create("10.10", fields{"valid_until": soon}),
		"setup":   s.Create("10.10", fields{"customer_id": eve, "purpose": "SETUP_RECURRING_PAYMENT"}),
	}
	for name, number := range map[string]string{"paid": world.Frictionless, "failed": failingCards[0],
		"challenged": world.Challenged, "pending": world.Frictionless} {
		s.ProcessCheckout(checkouts[name], s.Card(number))
	}
	s.Clock.Advance(time.Minute)
	before := map[string]string{}
	for name, id := range checkouts {
		before[name] = s.Statuses(id)
	}
	said := map[string]bool{}
	for name, id := range checkouts {
		for _, body := range []map[string]any{
			byToken(ada, mandated), byToken(ada, saved), byToken(ada, "4f7d2f3c-0b1a-4c5d-8e9f-a0b1c2d3e4f5"),
			byToken("nobody", mandated),
			byToken(eve, mandated), byToken(ada, own), byToken(ada, cardOf(s, ada, "0023")),
		} {
			for _, browser := range inBrowsers(s) {
				got := browser.ProcessCheckout(id, body)
				invalid("token").Check(t, got)
				said[got.Text("message")] = true
			}
		}
		if after := s.Statuses(id); after != before[name] {
			t.Errorf("%s: got %s, want %s", name, after, before[name])
		}
	}
	if len(said) != 1 {
		t.Errorf("got messages %v, want one", said)
	}
	s.MustPay(checkouts["guest's"], byToken(ada, mandated)) // the mandate lets the merchant's server charge the card
}

// cardOf returns the token of a customer's card, which it finds by the card's last digits.
func cardOf(s world.Shop, customer, digits string) string {
	s.Helper()
	var cards []struct {
		Token string
		Card  struct {
			Digits string `json:"last_4_digits"`
		}
	}
	if err := s.Send("GET", "/v0.1/customers/"+customer+"/payment-instruments", nil).Into(&cards); err != nil {
		s.Fatal(err)
	}
	for _, c := range cards {
		if c.Card.Digits == digits {
			return c.Token
		}
	}
	s.Fatalf("got cards %v, want one that ends in %s", cards, digits)
	return ""
}

// TestProcessCheckout_SavedCardInBrowser checks that a payer who pays in a browser counts as present, even if the card
// has a mandate. So the issuer may challenge the payer, and the payment is not recurring.
func TestProcessCheckout_SavedCardInBrowser(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	for name, browser := range inBrowsers(s) {
		t.Run(name, func(t *testing.T) { chargeOwnCard(t, s, browser) })
	}
}

func chargeOwnCard(t *testing.T, s, browser world.Shop) {
	t.Helper()
	for name, keep := range map[string]func(world.Shop, string, string) string{
		"with a mandate":    saveCardWithMandate,
		"without a mandate": saveCardByPayment,
	} {
		t.Run(name, func(t *testing.T) {
			customer := s.Customer()
			paid, asked := s.Create("10.10", fields{"customer_id": customer}), s.Create("10.10", fields{"customer_id": customer})
			got := browser.MustPay(paid, byToken(customer, keep(s, customer, world.Frictionless)))
			world.Holds(t, got.Body, hidden)
			token := keep(s, customer, world.Challenged)
			started := browser.ProcessCheckout(asked, byToken(customer, token))
			if started.Status != 202 {
				t.Fatalf("got %d %s, want 202", started.Status, started.Body)
			}
			answer(s, asked, s.Challenge(started, "approve"))
			for _, id := range []string{paid, asked} {
				world.Holds(t, transactions(t, s.Checkout(id))[0],
					map[string]string{"payment_type": `"ECOM"`, "status": `"SUCCESSFUL"`})
				world.Holds(t, browser.Checkout(id).Body, hidden)
			}
			forget(s, customer, token)
			theirs := s.Create("10.10", fields{"customer_id": customer})
			unusable.Check(t, browser.ProcessCheckout(theirs, byToken(customer, token)))
		})
	}
}

// TestProcessCheckout_MandateInBrowser checks that a payment in a browser gives a mandate if the merchant asked for
// one, since the payer is present to consent. The browser does not see the card's token.
func TestProcessCheckout_MandateInBrowser(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	for name, browser := range inBrowsers(s) {
		t.Run(name, func(t *testing.T) { giveMandate(t, s, browser) })
	}
}

func giveMandate(t *testing.T, s, browser world.Shop) {
	t.Helper()
	customer := s.Customer()
	id := s.Create("10.10", fields{"customer_id": customer, "purpose": "SETUP_RECURRING_PAYMENT"})
	started := browser.Must(202, browser.ProcessCheckout(id, edited(s.Card(world.Challenged), consent)))
	answer(s, id, s.Challenge(started, "approve"))
	world.Holds(t, browser.Checkout(id).Body, hidden)
	world.Holds(t, s.Checkout(id).Body, map[string]string{"mandate": mandate(s, "active")})
	plain := s.Create("10.10", fields{"customer_id": customer})
	s.MustPay(plain, byToken(customer, savedToken(s, id)))
	world.Holds(t, transactions(t, s.Checkout(plain))[0], map[string]string{"payment_type": `"RECURRING"`})
}

// TestProcessCheckout_CustomerInBrowser checks that the customer in a browser's request has no effect. A card payment
// gets the same answer for any customer, and belongs to the checkout's customer.
func TestProcessCheckout_CustomerInBrowser(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	for name, browser := range inBrowsers(s) {
		t.Run(name, func(t *testing.T) { hideCustomer(t, s, browser) })
	}
}

func hideCustomer(t *testing.T, s, browser world.Shop) {
	t.Helper()
	ada, eve := s.Customer(), s.Customer()
	for i, named := range []string{ada, eve, "nobody"} {
		id := s.Create("10.10", fields{"customer_id": ada})
		browser.MustPay(id, edited(s.Card(world.Frictionless), change{"customer_id", named}))
		if cards := [2]int{len(cards(s, ada)), len(cards(s, eve))}; cards != [2]int{1, 0} {
			t.Errorf("%d: got %v cards saved, want [1 0]", i, cards)
		}
		refused := s.ProcessCheckout(s.Create("10.10", fields{"customer_id": ada}),
			edited(s.Card(world.Frictionless), change{"customer_id", named}))
		if want := map[bool]int{true: 200, false: 400}[named == ada]; refused.Status != want {
			t.Errorf("the merchant's server names %d: got %d %s, want %d", i, refused.Status, refused.Body, want)
		}
	}
}
