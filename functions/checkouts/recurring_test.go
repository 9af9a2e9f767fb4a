package checkouts_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

var consent = change{"mandate", map[string]any{"type": "recurrent", "user_agent": "test", "user_ip": "192.0.2.1"}}

// saveCardWithMandate saves a card with a mandate and returns the card's token.
func saveCardWithMandate(s world.Shop, customer, number string) string {
	s.Helper()
	id := s.Create("10.10", fields{"customer_id": customer, "purpose": "SETUP_RECURRING_PAYMENT"})
	if got := s.ProcessCheckout(id, edited(s.Card(number), consent)); got.Status == 202 {
		answer(s, id, s.Challenge(got, "approve"))
	}
	return savedToken(s, id)
}

// saveCardByPayment pays a checkout with a customer's card, and returns the token of the card that the payment saved.
func saveCardByPayment(s world.Shop, customer, number string) string {
	s.Helper()
	id := s.Create("10.10", fields{"customer_id": customer})
	if got := s.ProcessCheckout(id, s.Card(number)); got.Status == 202 {
		answer(s, id, s.Challenge(got, "approve"))
	}
	return savedToken(s, id)
}

// savedToken returns the saved card's token, which the paid checkout shows.
func savedToken(s world.Shop, id string) string {
	s.Helper()
	read := s.Checkout(id)
	token := read.Text("payment_instrument.token")
	if u, err := uuid.Parse(token); err != nil || u.Version() != 4 || read.Text("status") != "PAID" {
		s.Fatalf("got %s, want PAID and a saved card", read.Body)
	}
	return token
}

// byToken returns a request body for a payment with a saved card.
func byToken(customer, token string) map[string]any {
	return map[string]any{"payment_type": "card", "token": token, "customer_id": customer}
}

// cards returns a customer's saved cards, each as JSON.
func cards(s world.Shop, customer string) []string {
	s.Helper()
	var texts []string
	for _, c := range listed(s, s.Send("GET", "/v0.1/customers/"+customer+"/payment-instruments", nil)) {
		texts = append(texts, string(c))
	}
	return texts
}

func forget(s world.Shop, customer, token string) world.Response {
	s.Helper()
	return s.Send("DELETE", "/v0.1/customers/"+customer+"/payment-instruments/"+token, nil)
}

func mandate(s world.Shop, status string) string {
	return `{"type":"recurrent","status":"` + status + `","merchant_code":"` + s.Merchant.Code + `"}`
}

// TestRecurringPayment_WholeLife follows contract §4.6 from beginning to end.
func TestRecurringPayment_WholeLife(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	customer := s.Customer()
	setup := s.Create("0", fields{"customer_id": customer, "purpose": "SETUP_RECURRING_PAYMENT"})
	started := s.ProcessCheckout(setup, edited(s.Card(world.Challenged), consent)) // the payer is present
	if started.Status != 202 || len(cards(s, customer)) != 0 {
		t.Fatalf("got %d %s, saved %v, want 202 and no card", started.Status, started.Body, cards(s, customer))
	}
	answer(s, setup, s.Challenge(started, "approve"))
	token := savedToken(s, setup)
	world.Holds(t, s.Checkout(setup).Body, map[string]string{"mandate": mandate(s, "active"),
		"purpose": `"SETUP_RECURRING_PAYMENT"`})
	wantOutcome(t, s, setup, outcome{"PAID SUCCESSFUL", 1, 0}) // verifying a card captures no money
	want := []string{`{"token":"` + token + `","active":true,"type":"card",` +
		`"card":{"last_4_digits":"0042","type":"VISA"},"mandate":` +
		mandate(s, "active") + `,"created_at":"2026-11-20T12:00:00.000+00:00"}`}
	if diff := cmp.Diff(want, cards(s, customer)); diff != "" {
		t.Errorf("saved cards (-want +got):\n%s", diff)
	}
	for range 2 {
		s.Clock.Advance(10 * time.Minute)
		id := s.Create("10.10", nil)
		paid := s.MustPay(id, byToken(customer, token)) // no challenge, because the payer is absent
		world.Holds(t, transactions(t, paid)[0], map[string]string{"payment_type": `"RECURRING"`,
			"entry_mode": `"CUSTOMER_ENTRY"`})
		wantOutcome(t, s, id, outcome{"PAID SUCCESSFUL", 1, 1})
	}
}

func TestRecurringPayment_FailedSetup(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	customer := s.Customer()
	id := s.Create("1", fields{"customer_id": customer, "purpose": "SETUP_RECURRING_PAYMENT"})
	answer(s, id, s.Challenge(s.ProcessCheckout(id, edited(s.Card(world.Challenged), consent)), "reject"))
	s.ProcessCheckout(id, edited(s.Card(failingCards[0]), consent))
	if got := cards(s, customer); s.Statuses(id) != "FAILED FAILED FAILED" || len(got) != 0 {
		t.Errorf("got %s, saved %v, want FAILED FAILED FAILED and no card", s.Statuses(id), got)
	}
	world.Holds(t, s.Checkout(id).Body, map[string]string{"mandate": "", "payment_instrument": ""})
}

// TestSavedCard_WithoutMandate checks that the issuer may challenge the payer of a saved card without a mandate,
// because the payer is present.
func TestSavedCard_WithoutMandate(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	customer := s.Customer()
	token := saveCardByPayment(s, customer, world.Challenged)
	if got := cards(s, customer); len(got) != 1 || world.Fields(t, []byte(got[0]))["mandate"] != "" {
		t.Errorf("got cards %v, want one without a mandate", got)
	}
	id := s.Create("10.10", nil)
	started := s.Must(202, s.ProcessCheckout(id, byToken(customer, token)))
	answer(s, id, s.Challenge(started, "approve"))
	world.Holds(t, transactions(t, s.Checkout(id))[0],
		map[string]string{"payment_type": `"ECOM"`, "status": `"SUCCESSFUL"`})
	declined := s.Create("42.91", nil)
	s.ProcessCheckout(declined, byToken(customer, token))
	wantStatuses(t, s, declined, "FAILED FAILED")
}

func TestSavedCard_SameToken(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	ada, grace := s.Customer(), s.Customer()
	theirs := s.OtherShop()
	theirs.Must(201, theirs.Send("POST", "/v0.1/customers", map[string]any{"customer_id": ada}))
	first := saveCardByPayment(s, ada, world.Frictionless)
	for name, c := range map[string]struct {
		token string
		same  bool
	}{
		"again":            {saveCardByPayment(s, ada, world.Frictionless), true},
		"with a mandate":   {saveCardWithMandate(s, ada, world.Frictionless), true},
		"another card":     {saveCardByPayment(s, ada, "5200000000000007"), false},
		"another customer": {saveCardByPayment(s, grace, world.Frictionless), false},
		"another merchant": {saveCardByPayment(theirs, ada, world.Frictionless), false},
	} {
		if (c.token == first) != c.same {
			t.Errorf("%s: got %s, the first is %s; want the same: %t", name, c.token, first, c.same)
		}
	}
	got := cards(s, ada)
	if len(got) != 2 {
		t.Fatalf("got cards %v, want 2", got)
	}
	for _, one := range got {
		want := map[string]string{"card": `{"last_4_digits":"0007","type":"MASTERCARD"}`, "mandate": ""}
		if world.Fields(t, []byte(one))["token"] == `"`+first+`"` {
			want = map[string]string{"card": `{"last_4_digits":"0091","type":"VISA"}`, "mandate": mandate(s, "active")}
		}
		world.Holds(t, []byte(one), want)
	}
}

func TestSavedCard_TokenOfAnotherCustomer(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	ada, grace := s.Customer(), s.Customer()
	token := saveCardByPayment(s, ada, world.Frictionless)
	theirs := s.OtherShop()
	stranger := theirs.Customer()
	foreign := saveCardByPayment(theirs, stranger, world.Frictionless)
	id := s.Create("10.10", nil)
	for _, body := range []map[string]any{byToken(grace, token), byToken("nobody", token), byToken(ada, "nothing"),
		byToken(stranger, foreign), byToken(ada, foreign)} {
		invalid("token").Check(t, s.ProcessCheckout(id, body))
	}
	wantOutcome(t, s, id, outcome{"PENDING", 0, 0})
	noCheckout.Check(t, s.ProcessCheckout("nothing", byToken(ada, token)))
}

// TestSavedCard_Deactivated checks that a deactivated card cannot be charged until it is saved again.
func TestSavedCard_Deactivated(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	customer := s.Customer()
	token := saveCardWithMandate(s, customer, world.Frictionless)
	for range 2 {
		if got := forget(s, customer, token); got.Status != 204 || len(got.Body) > 0 {
			t.Errorf("got %d %s, want 204 without a body", got.Status, got.Body)
		}
	}
	world.Holds(t, []byte(cards(s, customer)[0]), map[string]string{"active": "false", "mandate": mandate(s, "inactive"),
		"token": `"` + token + `"`})
	id := s.Create("10.10", nil)
	before := s.Checkout(id)
	unusable.Check(t, s.ProcessCheckout(id, byToken(customer, token)))
	if after := s.Checkout(id); string(after.Body) != string(before.Body) || s.CallbacksReceived(id) != 0 {
		t.Errorf("got %s, %d callbacks\nwant no callback, and it unchanged: %s", after.Body, s.CallbacksReceived(id),
			before.Body)
	}
	s.Clock.Advance(10 * time.Minute)
	if again := saveCardWithMandate(s, customer, world.Frictionless); again != token {
		t.Errorf("saved again: got %s, want %s", again, token)
	}
	world.Holds(t, []byte(cards(s, customer)[0]), map[string]string{"active": "true", "mandate": mandate(s, "active"),
		"created_at": `"2026-11-20T12:00:00.000+00:00"`})
	s.MustPay(id, byToken(customer, token))
}

// TestMandate_Inactive checks that a mandate ends with its card. If the card is saved again without a mandate, the old
// mandate stays inactive. The payer may give a new mandate.
func TestMandate_Inactive(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	customer := s.Customer()
	token := saveCardWithMandate(s, customer, world.Frictionless)
	forget(s, customer, token)
	saveCardByPayment(s, customer, world.Frictionless)
	world.Holds(t, []byte(cards(s, customer)[0]), map[string]string{"active": "true", "mandate": mandate(s, "inactive")})
	id := s.Create("10.10", nil)
	unusable.Check(t, s.ProcessCheckout(id, byToken(customer, token)))
	wantStatuses(t, s, id, "PENDING")
	saveCardWithMandate(s, customer, world.Frictionless)
	s.MustPay(id, byToken(customer, token))
}

func TestSavedCard_Expired(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	customer := s.Customer()
	token := saveCardByPayment(s, customer, world.Frictionless)
	id := s.Create("10.10", nil)
	s.Clock.Advance(time.Date(2031, 1, 1, 11, 59, 59, 0, time.UTC).Sub(world.Start))
	s.MustPay(s.Create("10.10", nil), byToken(customer, token))
	s.Clock.Advance(time.Second) // the card's last month has ended in all time zones
	unusable.Check(t, s.ProcessCheckout(id, byToken(customer, token)))
	wantStatuses(t, s, id, "PENDING")
}
