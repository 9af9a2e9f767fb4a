package checkouts_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/world"
)

var consent = change{"mandate", map[string]any{"type": "recurrent", "user_agent": "test", "user_ip": "192.0.2.1"}}

// setUp saves a card with a mandate and answers its token.
func (s *shop) setUp(t *testing.T, customer, number string, changes ...change) string {
	t.Helper()
	changes = append([]change{{"customer_id", customer}, {"purpose", "SETUP_RECURRING_PAYMENT"}}, changes...)
	id := s.create(t, changes...)
	if got := s.put(id, s.card(number, consent)); got.Status == 202 {
		s.answer(t, id, s.Challenge(got, "approve"))
	}
	return s.saved(t, id)
}

// save pays with a customer's card and answers its token.
func (s *shop) save(t *testing.T, customer, number string) string {
	t.Helper()
	id := s.create(t, change{"customer_id", customer})
	if got := s.put(id, s.card(number)); got.Status == 202 {
		s.answer(t, id, s.Challenge(got, "approve"))
	}
	return s.saved(t, id)
}

// saved is the token of the card that a paid checkout shows.
func (s *shop) saved(t *testing.T, id string) string {
	t.Helper()
	read := s.get(id)
	token := read.Text("payment_instrument.token")
	if u, err := uuid.Parse(token); err != nil || u.Version() != 4 || read.Text("status") != "PAID" {
		t.Fatalf("no card was saved: %s", read.Body)
	}
	return token
}

// byToken is a body to pay with a saved card.
func byToken(customer, token string) map[string]any {
	return map[string]any{"payment_type": "card", "token": token, "customer_id": customer}
}

// cards are a customer's saved cards, each as it was sent.
func (s *shop) cards(t *testing.T, customer string) []string {
	t.Helper()
	var texts []string
	for _, c := range listed(t, s.Send("GET", "/v0.1/customers/"+customer+"/payment-instruments", nil)) {
		texts = append(texts, string(c))
	}
	return texts
}

func (s *shop) forget(customer, token string) world.Response {
	s.Helper()
	return s.Send("DELETE", "/v0.1/customers/"+customer+"/payment-instruments/"+token, nil)
}

func (s *shop) mandate(status string) string {
	return `{"type":"recurrent","status":"` + status + `","merchant_code":"` + s.Merchant.Code + `"}`
}

// TestRecurring is contract §4.6 from its beginning to its end.
func TestRecurring(t *testing.T) {
	t.Parallel()
	s := open(t)
	customer := s.Customer()
	setup := s.create(t, change{"customer_id", customer}, change{"purpose", "SETUP_RECURRING_PAYMENT"},
		change{"amount", 0})
	started := s.put(setup, s.card(world.Challenged, consent)) // the payer is there to be asked
	if started.Status != 202 || len(s.cards(t, customer)) != 0 {
		t.Fatalf("%d %s, saved %v", started.Status, started.Body, s.cards(t, customer))
	}
	s.answer(t, setup, s.Challenge(started, "approve"))
	token := s.saved(t, setup)
	world.Holds(t, s.get(setup).Body, map[string]string{"mandate": s.mandate("active"),
		"purpose": `"SETUP_RECURRING_PAYMENT"`})
	if n := s.told(setup); n != 1 || s.Books(setup).Captured != 0 {
		t.Errorf("told %d times, captured %d of a verification", n, s.Books(setup).Captured)
	}
	want := `{"token":"` + token + `","active":true,"type":"card","card":{"last_4_digits":"0042","type":"VISA"},` +
		`"mandate":` +
		s.mandate("active") + `,"created_at":"2026-11-20T12:00:00.000+00:00"}`
	if got := s.cards(t, customer); len(got) != 1 || got[0] != want {
		t.Errorf("saved %v\nwant %s", got, want)
	}
	for range 2 {
		s.Clock.Advance(10 * time.Minute)
		id := s.create(t)
		paid := s.pay(t, id, byToken(customer, token)) // a challenge card, but nobody is there
		world.Holds(t, transactions(t, paid)[0], map[string]string{"payment_type": `"RECURRING"`,
			"entry_mode": `"CUSTOMER_ENTRY"`})
		if s.told(id) != 1 || s.Books(id).Captured != 1 {
			t.Errorf("told %d times, captured %d", s.told(id), s.Books(id).Captured)
		}
	}
}

func TestAFailedSetupSavesNothing(t *testing.T) {
	t.Parallel()
	s := open(t)
	customer := s.Customer()
	id := s.create(t, change{"customer_id", customer}, change{"purpose", "SETUP_RECURRING_PAYMENT"}, change{"amount", 1})
	s.answer(t, id, s.Challenge(s.put(id, s.card(world.Challenged, consent)), "reject"))
	s.put(id, s.card(failingCards[0], consent))
	if got := s.cards(t, customer); s.seen(id) != "FAILED FAILED FAILED" || len(got) != 0 {
		t.Errorf("%s, saved %v", s.seen(id), got)
	}
	world.Holds(t, s.get(id).Body, map[string]string{"mandate": "", "payment_instrument": ""})
}

// TestACardSavedWithoutAMandate is charged with the payer present: it may be
// challenged.
func TestACardSavedWithoutAMandate(t *testing.T) {
	t.Parallel()
	s := open(t)
	customer := s.Customer()
	token := s.save(t, customer, world.Challenged)
	if got := s.cards(t, customer); len(got) != 1 || world.Members(t, []byte(got[0]))["mandate"] != "" {
		t.Errorf("saved %v", got)
	}
	id := s.create(t)
	started := s.put(id, byToken(customer, token))
	if started.Status != 202 {
		t.Fatalf("%d %s", started.Status, started.Body)
	}
	s.answer(t, id, s.Challenge(started, "approve"))
	world.Holds(t, transactions(t, s.get(id))[0], map[string]string{"payment_type": `"ECOM"`, "status": `"SUCCESSFUL"`})
	declined := s.create(t, change{"amount", 42.91})
	if s.put(declined, byToken(customer, token)); s.seen(declined) != "FAILED FAILED" {
		t.Errorf("a declined amount: %s", s.seen(declined))
	}
}

func TestTokensOfCards(t *testing.T) {
	t.Parallel()
	s := open(t)
	ada, grace := s.Customer(), s.Customer()
	theirs := s.neighbour()
	if made := theirs.Send("POST", "/v0.1/customers", map[string]any{"customer_id": ada}); made.Status != 201 {
		t.Fatalf("%d %s", made.Status, made.Body)
	}
	first := s.save(t, ada, world.Frictionless)
	for name, c := range map[string]struct {
		token string
		same  bool
	}{
		"again":            {s.save(t, ada, world.Frictionless), true},
		"with a mandate":   {s.setUp(t, ada, world.Frictionless), true},
		"another card":     {s.save(t, ada, "5200000000000007"), false},
		"another customer": {s.save(t, grace, world.Frictionless), false},
		"another merchant": {theirs.save(t, ada, world.Frictionless), false},
	} {
		if (c.token == first) != c.same {
			t.Errorf("%s: %s, the first is %s", name, c.token, first)
		}
	}
	got := s.cards(t, ada)
	if len(got) != 2 {
		t.Fatalf("saved %v", got)
	}
	for _, one := range got {
		want := map[string]string{"card": `{"last_4_digits":"0007","type":"MASTERCARD"}`, "mandate": ""}
		if world.Members(t, []byte(one))["token"] == `"`+first+`"` {
			want = map[string]string{"card": `{"last_4_digits":"0091","type":"VISA"}`, "mandate": s.mandate("active")}
		}
		world.Holds(t, []byte(one), want)
	}
}

func TestTokensThatAreNotTheCustomers(t *testing.T) {
	t.Parallel()
	s := open(t)
	ada, grace := s.Customer(), s.Customer()
	token := s.save(t, ada, world.Frictionless)
	theirs := s.neighbour()
	stranger := theirs.Customer()
	foreign := theirs.save(t, stranger, world.Frictionless)
	id := s.create(t)
	for _, body := range []map[string]any{byToken(grace, token), byToken("nobody", token), byToken(ada, "nothing"),
		byToken(stranger, foreign), byToken(ada, foreign)} {
		invalid("token").Check(t, s.put(id, body))
	}
	if got := s.seen(id); got != "PENDING" || s.told(id) != 0 {
		t.Errorf("%s", got)
	}
	noCheckout.Check(t, s.put("nothing", byToken(ada, token)))
}

// TestADeactivatedCard cannot be charged, and lives again when it is saved
// anew.
func TestADeactivatedCard(t *testing.T) {
	t.Parallel()
	s := open(t)
	customer := s.Customer()
	token := s.setUp(t, customer, world.Frictionless)
	for range 2 {
		if got := s.forget(customer, token); got.Status != 204 || len(got.Body) > 0 {
			t.Errorf("%d %s", got.Status, got.Body)
		}
	}
	world.Holds(t, []byte(s.cards(t, customer)[0]), map[string]string{"active": "false", "mandate": s.mandate("inactive"),
		"token": `"` + token + `"`})
	id := s.create(t)
	before := s.get(id)
	unusable.Check(t, s.put(id, byToken(customer, token)))
	if after := s.get(id); string(after.Body) != string(before.Body) || s.told(id) != 0 {
		t.Errorf("was %s\nis %s", before.Body, after.Body)
	}
	s.Clock.Advance(10 * time.Minute)
	if again := s.setUp(t, customer, world.Frictionless); again != token {
		t.Errorf("saved anew as %s, was %s", again, token)
	}
	world.Holds(t, []byte(s.cards(t, customer)[0]), map[string]string{"active": "true", "mandate": s.mandate("active"),
		"created_at": `"2026-11-20T12:00:00.000+00:00"`})
	s.pay(t, id, byToken(customer, token))
}

// TestAnInactiveMandate ends with the card; saving the card without a mandate
// does not bring it back, and a mandate may be given anew.
func TestAnInactiveMandate(t *testing.T) {
	t.Parallel()
	s := open(t)
	customer := s.Customer()
	token := s.setUp(t, customer, world.Frictionless)
	s.forget(customer, token)
	s.save(t, customer, world.Frictionless)
	world.Holds(t, []byte(s.cards(t, customer)[0]), map[string]string{"active": "true", "mandate": s.mandate("inactive")})
	id := s.create(t)
	unusable.Check(t, s.put(id, byToken(customer, token)))
	if got := s.seen(id); got != "PENDING" {
		t.Errorf("%s", got)
	}
	s.setUp(t, customer, world.Frictionless)
	s.pay(t, id, byToken(customer, token))
}

func TestAnExpiredCard(t *testing.T) {
	t.Parallel()
	s := open(t)
	customer := s.Customer()
	token := s.save(t, customer, world.Frictionless)
	id := s.create(t)
	s.Clock.Advance(time.Date(2031, 1, 1, 11, 59, 59, 0, time.UTC).Sub(world.Start))
	s.pay(t, s.create(t), byToken(customer, token))
	s.Clock.Advance(time.Second) // it is January 2031 everywhere on earth
	unusable.Check(t, s.put(id, byToken(customer, token)))
	if got := s.seen(id); got != "PENDING" {
		t.Errorf("%s", got)
	}
}
