package checkouts_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/world"
)

// browser is a payer's: it has the shop's public key, and whatever it guessed
// or overheard.
func (s *shop) browser() *shop { return &shop{s.WithKey(s.NewKey("public")), s.receiver} }

// TestAPublicKeyChargesNoCardOfAnother customer, without a customer, or on
// another customer's checkout, whatever became of it; and it hears the same
// whether there is such a card or not (contract §2.1).
func TestAPublicKeyChargesNoCardOfAnother(t *testing.T) {
	t.Parallel()
	s := open(t)
	browser, ada, eve := s.browser(), s.Customer(), s.Customer()
	mandated, saved, own := s.setUp(t, ada, world.Frictionless), s.save(t, ada, "5200000000000007"),
		s.save(t, eve, world.Frictionless)
	s.forget(ada, s.save(t, ada, "5200000000000023"))
	soon := change{"valid_until", s.Clock.Now().Add(time.Minute).Format(time.RFC3339)}
	checkouts := map[string]string{
		"guest's": s.create(t), "eve's": s.create(t, change{"customer_id", eve}),
		"paid": s.create(t), "failed": s.create(t), "challenged": s.create(t),
		"pending": s.create(t, change{"amount", 42.25}),
		"expired":   s.create(t, soon), "setup": s.create(t, change{"customer_id", eve},
			change{"purpose", "SETUP_RECURRING_PAYMENT"}),
	}
	for name, number := range map[string]string{"paid": world.Frictionless, "failed": failingCards[0],
		"challenged": world.Challenged, "pending": world.Frictionless} {
		s.put(checkouts[name], s.card(number))
	}
	s.Clock.Advance(time.Minute)
	before := map[string]string{}
	for name, id := range checkouts {
		before[name] = s.seen(id)
	}
	said := map[string]bool{}
	for name, id := range checkouts {
		for _, body := range []map[string]any{
			byToken(ada, mandated), byToken(ada, saved), byToken(ada, "4f7d2f3c-0b1a-4c5d-8e9f-a0b1c2d3e4f5"),
			byToken("nobody", mandated),
			byToken(eve, mandated), byToken(ada, own), byToken(ada, s.cardOf(t, ada, "0023")),
		} {
			got := browser.put(id, body)
			invalid("token").Check(t, got)
			said[got.Text("message")] = true
		}
		if after := s.seen(id); after != before[name] {
			t.Errorf("%s: was %s, is %s", name, before[name], after)
		}
	}
	if len(said) != 1 {
		t.Errorf("refusals differ: %v", said)
	}
	s.pay(t, checkouts["guest's"], byToken(ada, mandated)) // by the merchant's server, under the mandate
}

// cardOf is the token of a customer's card, by its last digits.
func (s *shop) cardOf(t *testing.T, customer, digits string) string {
	t.Helper()
	var cards []struct {
		Token string
		Card  struct {
			Digits string `json:"last_4_digits"`
		}
	}
	if err := s.Send("GET", "/v0.1/customers/"+customer+"/payment-instruments", nil).Into(&cards); err != nil {
		t.Fatal(err)
	}
	for _, c := range cards {
		if c.Card.Digits == digits {
			return c.Token
		}
	}
	t.Fatalf("no card %s in %v", digits, cards)
	return ""
}

// TestAPublicKeyChargesACardOfTheCheckoutsCustomer with the payer present,
// mandate or not: the issuer may ask, and it is no recurring payment.
func TestAPublicKeyChargesACardOfTheCheckoutsCustomer(t *testing.T) {
	t.Parallel()
	s := open(t)
	browser := s.browser()
	for name, keep := range map[string]func(*testing.T, string, string) string{
		"with a mandate":    func(t *testing.T, customer, number string) string { return s.setUp(t, customer, number) },
		"without a mandate": s.save,
	} {
		t.Run(name, func(t *testing.T) {
			customer := s.Customer()
			paid, asked := s.create(t, change{"customer_id", customer}), s.create(t, change{"customer_id", customer})
			got := browser.pay(t, paid, byToken(customer, keep(t, customer, world.Frictionless)))
			world.Holds(t, got.Body, hidden)
			token := keep(t, customer, world.Challenged)
			started := browser.put(asked, byToken(customer, token))
			if started.Status != 202 {
				t.Fatalf("%d %s", started.Status, started.Body)
			}
			s.answer(t, asked, s.Challenge(started, "approve"))
			for _, id := range []string{paid, asked} {
				world.Holds(t, transactions(t, s.get(id))[0], map[string]string{"payment_type": `"ECOM"`, "status": `"SUCCESSFUL"`})
				world.Holds(t, browser.get(id).Body, hidden)
			}
			s.forget(customer, token)
			unusable.Check(t, browser.put(s.create(t, change{"customer_id", customer}), byToken(customer, token)))
		})
	}
}

// TestAPublicKeyGivesAMandate where the merchant has asked for one: the payer
// is there to be asked, and is not shown the card's token.
func TestAPublicKeyGivesAMandate(t *testing.T) {
	t.Parallel()
	s := open(t)
	browser, customer := s.browser(), s.Customer()
	id := s.create(t, change{"customer_id", customer}, change{"purpose", "SETUP_RECURRING_PAYMENT"})
	started := browser.put(id, s.card(world.Challenged, consent))
	if started.Status != 202 {
		t.Fatalf("%d %s", started.Status, started.Body)
	}
	s.answer(t, id, s.Challenge(started, "approve"))
	world.Holds(t, browser.get(id).Body, hidden)
	world.Holds(t, s.get(id).Body, map[string]string{"mandate": s.mandate("active")})
	plain := s.create(t, change{"customer_id", customer})
	s.pay(t, plain, byToken(customer, s.saved(t, id)))
	world.Holds(t, transactions(t, s.get(plain))[0], map[string]string{"payment_type": `"RECURRING"`})
}

// TestAPublicKeyDoesNotLearnWhoseCheckoutItIs: with a card, whomever it names, the
// answer is the same, and the checkout's customer counts.
func TestAPublicKeyDoesNotLearnWhoseCheckoutItIs(t *testing.T) {
	t.Parallel()
	s := open(t)
	browser, ada, eve := s.browser(), s.Customer(), s.Customer()
	for i, named := range []string{ada, eve, "nobody"} {
		id := s.create(t, change{"customer_id", ada})
		browser.pay(t, id, s.card(world.Frictionless, change{"customer_id", named}))
		if cards := [2]int{len(s.cards(t, ada)), len(s.cards(t, eve))}; cards != [2]int{1, 0} {
			t.Errorf("%d: cards saved %v", i, cards)
		}
		refused := s.put(s.create(t, change{"customer_id", ada}), s.card(world.Frictionless, change{"customer_id", named}))
		if want := map[bool]int{true: 200, false: 400}[named == ada]; refused.Status != want {
			t.Errorf("the merchant's server names %d: %s", i, fmt.Sprint(refused.Status, " ", string(refused.Body)))
		}
	}
}
