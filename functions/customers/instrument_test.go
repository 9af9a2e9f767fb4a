package customers_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// cards returns a customer's saved cards as raw JSON, by token.
func cards(s world.Shop, customer string) map[string]string {
	s.Helper()
	var all []json.RawMessage
	if got := s.Must(200, s.Send("GET", cardsOf(customer), nil)); got.Into(&all) != nil {
		s.Fatalf("got body %s, want a list of cards", got.Body)
	}
	byToken := map[string]string{}
	for _, text := range all {
		var one struct{ Token string }
		if err := json.Unmarshal(text, &one); err != nil {
			s.Fatal(err)
		}
		byToken[one.Token] = string(text)
	}
	return byToken
}

func mandate(s world.Shop, status string) string {
	return `"mandate":{"type":"recurrent","status":"` + status + `","merchant_code":"` + s.Merchant.Code + `"},`
}

func TestListPaymentInstruments_SavedCards(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	other := s.OtherShop()
	const ada = "ada/ü"
	s.Must(201, createCustomer(s, ada, nil))
	s.Must(201, createCustomer(s, "eve", nil))
	s.Must(201, createCustomer(other, ada, nil))
	if none := s.Must(200, s.Send("GET", cardsOf(ada), nil)); string(none.Body) != "[]" {
		t.Errorf("a new customer's cards: got %s, want []", none.Body)
	}
	plain := saveCard(s, ada, world.Frictionless, false)
	s.Clock.Advance(time.Second + 5*time.Millisecond)
	recurring := saveCard(s, ada, "374500262001008", true)
	got := cards(s, ada)
	want := map[string]string{
		plain: `{"token":"` + plain + `","active":true,"type":"card","card":{"last_4_digits":"0091","type":"VISA"},` +
			`"created_at":"2026-11-20T12:00:00.000+00:00"}`,
		recurring: `{"token":"` + recurring + `","active":true,"type":"card","card":{"last_4_digits":"1008","type":"AMEX"},` +
			mandate(s, "active") +
			`"created_at":"2026-11-20T12:00:01.005+00:00"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cards (-want +got):\n%s", diff)
	}
	if eves, theirs := cards(s, "eve"), cards(other, ada); len(eves) != 0 || len(theirs) != 0 {
		t.Errorf("got cards %v of another customer and %v of another merchant, want none", eves, theirs)
	}
}

func TestDeactivatePaymentInstrument_Valid(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	s.Must(201, createCustomer(s, "ada", nil))
	kept, token := saveCard(s, "ada", "5200000000000007", true), saveCard(s, "ada", world.Frictionless, true)
	before := cards(s, "ada")
	for range 2 {
		if got := s.Must(204, s.Send("DELETE", cardsOf("ada")+"/"+token, nil)); len(got.Body) > 0 {
			t.Errorf("got body %s, want none", got.Body)
		}
		want := map[string]string{
			kept: before[kept],
			token: `{"token":"` + token + `","active":false,"type":"card","card":{"last_4_digits":"0091","type":"VISA"},` +
				mandate(s, "inactive") +
				`"created_at":"2026-11-20T12:00:00.000+00:00"}`,
		}
		if diff := cmp.Diff(want, cards(s, "ada")); diff != "" || len(want) != 2 {
			t.Errorf("tokens %s and %s, want two; cards (-want +got):\n%s", kept, token, diff)
		}
	}
}

func TestDeactivatePaymentInstrument_Refused(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	other := s.OtherShop()
	for _, customer := range []string{"ada", "eve"} {
		s.Must(201, createCustomer(s, customer, nil))
	}
	s.Must(201, createCustomer(other, "ada", nil))
	token := saveCard(s, "ada", world.Frictionless, false)
	before := cards(s, "ada")
	notFound.Check(t, s.Send("DELETE", cardsOf("ada")+"/4e425463-3e1b-431d-83fa-1e51c2925e99", nil))
	notFound.Check(t, s.Send("DELETE", cardsOf("eve")+"/"+token, nil))
	notFound.Check(t, s.Send("DELETE", cardsOf("nobody")+"/"+token, nil))
	notFound.Check(t, other.Send("DELETE", cardsOf("ada")+"/"+token, nil))
	if after := cards(s, "ada"); after[token] != before[token] {
		t.Errorf("got card %s\nwant it unchanged: %s", after[token], before[token])
	}
}

// TestDeactivatePaymentInstrument_AcquirerDown checks that a deactivation fails if the acquirer does not delete the
// card. The card is already deactivated in our table, so it cannot be charged meanwhile. A repeated request deletes the
// card at the acquirer.
func TestDeactivatePaymentInstrument_AcquirerDown(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	s.Must(201, createCustomer(s, "ada", nil))
	p := s.Process()
	remove := func(token string) world.Response {
		return p.Do(world.Request{Method: "DELETE", Path: cardsOf("ada") + "/" + token})
	}
	s.Must(204, remove(saveCard(s, "ada", "5200000000000007", false))) // also fetches rate limit tokens for later requests
	p.Steps.Plan(0, faults.None)
	s.Must(204, remove(saveCard(s, "ada", "5200000000000023", false)))
	deletes := slices.Index(p.Steps.Taken(), "DeleteCard") + 1
	if deletes == 0 {
		t.Fatalf("got steps %v, want DeleteCard among them", p.Steps.Taken())
	}
	token := saveCard(s, "ada", world.Frictionless, false)
	p.Steps.Plan(deletes, faults.Throttle)
	got := remove(token)
	if world.Refused(424, "UPSTREAM_FAILED", "", "upstream-failed").Check(t, got); got.Header.Get("Retry-After") == "" {
		t.Errorf("got headers %v, want Retry-After among them", got.Header)
	}
	p.Steps.Plan(0, faults.None)
	s.Must(204, remove(token))
	if !slices.Contains(p.Steps.Taken(), "DeleteCard") {
		t.Errorf("repeat: got steps %v, want DeleteCard among them", p.Steps.Taken())
	}
	p.Steps.Plan(0, faults.None)
	s.Must(204, remove(token))
	if slices.Contains(p.Steps.Taken(), "DeleteCard") {
		t.Errorf("repeat of a success: got steps %v, want no DeleteCard", p.Steps.Taken())
	}
}

// TestScopes_EachOperation checks each operation's scopes, and that no caller sees another merchant's customer.
func TestScopes_EachOperation(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	other := s.OtherShop()
	s.Must(201, createCustomer(s, "ada", json.RawMessage(everything)))
	token := saveCard(s, "ada", world.Frictionless, false)
	rows := []struct {
		method, path string
		body         any
		scope        string // suffices, as does payment_instruments
		success      int
	}{
		{"POST", collection, map[string]any{"customer_id": "new"}, "customers.write", 201},
		{"GET", at("ada"), nil, "customers.read", 200},
		{"PUT", at("ada"), map[string]any{}, "customers.write", 200},
		{"GET", cardsOf("ada"), nil, "customers.read", 200},
		{"DELETE", cardsOf("ada") + "/" + token, nil, "customers.write", 204},
	}
	for _, scopes := range [][]string{{}, {"payments", "checkouts.write"}, {"customers.read"}, {"customers.write"},
		{"payment_instruments"}} {
		key := s.NewKey("secret", scopes...)
		for _, row := range rows {
			if row.method == "POST" {
				row.body = map[string]any{"customer_id": "new" + row.scope + key[len(key)-8:]}
			}
			got := s.WithKey(key).Send(row.method, row.path, row.body)
			if slices.Contains(scopes, row.scope) || slices.Contains(scopes, "payment_instruments") {
				if got.Status != row.success {
					t.Errorf("%v: %s %s: got %d %s, want %d", scopes, row.method, row.path, got.Status, got.Body, row.success)
				}
			} else if denied.Check(t, got); got.Text("error_message") != "request_not_allowed" {
				t.Errorf("got body %s, want error_message request_not_allowed", got.Body)
			}
		}
	}
	for _, row := range rows[1:] {
		notFound.Check(t, other.Send(row.method, row.path, row.body))
		world.Refused(401, "NOT_AUTHORIZED", "", "missing-token").Check(t,
			s.Do(world.Request{Method: row.method, Path: row.path, Body: row.body, APIKey: world.NoKey}))
	}
}
