package checkouts_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// newRecordedShop returns a live shop with the terms, and the charges that reach the acquirer.
func newRecordedShop(t *testing.T, terms fields) (world.Shop, *world.Charges) {
	t.Helper()
	s := world.NewShop(t)
	sent := s.RecordCharges()
	all := fields{"sandbox": false}
	maps.Copy(all, terms)
	return s.NewShop("DE", "EUR", all), sent
}

func wantSame(t testing.TB, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestCharge_SellerOfMerchant(t *testing.T) {
	t.Parallel()
	profile := fields{"merchant_category_code": "5812", "address": fields{"city": "Registered"},
		"doing_business_as": fields{"business_name": "Kaffee", "address": fields{"address_line1": "Am Markt 1",
			"city": "Bonn", "region_name": "Nordrhein-Westfalen", "post_code": "53111"}}}
	s, sent := newRecordedShop(t, fields{"acquirer_account": "acct_1", "account": fields{"merchant_profile": profile}})
	s.Sell("10.10")
	wantSame(t, "seller", sent.Last(t).Seller, acquirer.Seller{Account: "acct_1", Country: "DE", Trade: merchant.Trade{
		CategoryCode: "5812", Name: "Kaffee", Line1: "Am Markt 1", City: "Bonn", Region: "Nordrhein-Westfalen",
		PostCode: "53111"}})
	s.Command("update_account", fields{"account": fields{"merchant_profile": fields{
		"merchant_category_code": "5814", "doing_business_as": nil}}})
	s.Command("update_merchant", fields{"acquirer_account": ""})
	s.Sell("10.10")
	wantSame(t, "changed seller", sent.Last(t).Seller, acquirer.Seller{Country: "DE", Trade: merchant.Trade{
		CategoryCode: "5814", Name: "Filiale DE", City: "Registered"}})
}

// TestCharge_Payer checks that the acquirer gets the browser only if the payer's browser itself sends the request.
func TestCharge_Payer(t *testing.T) {
	t.Parallel()
	s, sent := newRecordedShop(t, nil)
	pay := func(key string) acquirer.Charge {
		customer := s.Customer()
		id := s.Create("10.10", fields{"customer_id": customer, "redirect_url": "https://shop.example/back"})
		s.Must(200, s.Do(world.Request{Method: "PUT", Path: "/v0.1/checkouts/" + id, APIKey: key, From: "203.0.113.7",
			Header: map[string]string{"User-Agent": "Firefox/1", "Accept": "text/html,*/*"},
			Body:   s.Card(world.Frictionless)}))
		c := sent.Last(t)
		if c.Customer != customer || !c.Store || c.Consent != nil || c.Agreement != nil ||
			!strings.HasPrefix(c.ReturnURL, "http://cashwrap.test/v0.1/checkouts/"+id+"/complete_payment?MD=") {
			t.Errorf("got %+v, want customer %s, to be stored, without consent", c, customer)
		}
		return c
	}
	wantSame(t, "of a merchant's server", pay(s.Merchant.Key.Plaintext).Browser, (*payments.Browser)(nil))
	wantSame(t, "of a browser", pay(s.MerchantToken()).Browser, &payments.Browser{IP: "203.0.113.7",
		UserAgent: "Firefox/1", Accept: "text/html,*/*"})
}

// TestCharge_Agreement checks that the consent reaches the acquirer once, and that each later charge names the
// network's id of the charge with the consent.
func TestCharge_Agreement(t *testing.T) {
	t.Parallel()
	s, sent := newRecordedShop(t, fields{"low_value_exemption": true})
	customer := s.Customer()
	setup := s.Create("10", fields{"customer_id": customer, "purpose": "SETUP_RECURRING_PAYMENT"})
	s.MustPay(setup, edited(s.Card(world.Frictionless), consent))
	first := sent.Last(t)
	wantSame(t, "consent", first.Consent, &payments.Consent{UserAgent: "test", IP: "192.0.2.1"})
	if first.Exemption != "" || first.Customer != customer {
		t.Errorf("got exemption %q and customer %q, want none and %s", first.Exemption, first.Customer, customer)
	}
	began, err := s.App.Acquirers[s.Tenant().Mode].LookUp(t.Context(), first.ID)
	if err != nil || began.NetworkTransactionID == "" {
		t.Fatalf("got %+v, %v, want a network transaction", began, err)
	}
	s.MustPay(s.Create("10", nil), byToken(customer, savedToken(s, setup)))
	later := sent.Last(t)
	wantSame(t, "agreement", later.Agreement, &acquirer.Agreement{NetworkTransactionID: began.NetworkTransactionID})
	if later.Customer != customer || later.Consent != nil || later.Exemption != "" || later.Browser != nil {
		t.Errorf("got %+v, want customer %s and only the agreement", later, customer)
	}
}

func TestCharge_LowValueExemption(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		terms    fields
		amount   string
		currency string
		want     acquirer.Exemption
	}{
		"at the limit":     {fields{"low_value_exemption": true}, "30", "EUR", acquirer.LowValue},
		"above the limit":  {fields{"low_value_exemption": true}, "30.01", "EUR", ""},
		"another currency": {fields{"low_value_exemption": true, "country": "US", "currency": "USD"}, "30", "USD", ""},
		"not wanted":       {nil, "30", "EUR", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, sent := newRecordedShop(t, c.terms)
			s.Currency = c.currency
			s.Pay(s.Create(c.amount, nil), edited(s.Card(world.Frictionless), change{"card.zip_code", "94105"}))
			if got := sent.Last(t).Exemption; got != c.want {
				t.Errorf("got exemption %q, want %q", got, c.want)
			}
		})
	}
}

func TestCharge_Wallet(t *testing.T) {
	t.Parallel()
	s, sent := newRecordedShop(t, nil)
	s.MustPay(s.Create("10.10", nil), fields{"payment_type": "google_pay",
		"google_pay": fields{"apiVersion": 2, "paymentMethodData": fields{"type": "CARD"}}})
	if got := sent.Last(t).Wallet.Reveal(); got != `{"apiVersion":2,"paymentMethodData":{"type":"CARD"}}` {
		t.Errorf("got %s, want the object", got)
	}
	s.Sell("10.10")
	if got := sent.Last(t).Wallet; !got.IsZero() {
		t.Error("got a wallet with a card, want none")
	}
}

// TestCharge_CardNumberElsewhere checks that the platform keeps nothing of a card number that a client sends in a field
// for something else. The world searches the table, the queues and the logs when it ends.
func TestCharge_CardNumberElsewhere(t *testing.T) {
	t.Parallel()
	const number = "4539578763621486"
	s := world.NewShop(t).WithCallbacks()
	s.Secret("card number", number)
	customer := s.Customer()
	bodies := map[string]any{
		"consent": edited(s.Card(world.Frictionless), change{"mandate", fields{"type": "recurrent", "user_agent": number,
			"user_ip": number}}),
		"wallet": fields{"payment_type": "google_pay", "google_pay": fields{"pan": number, number: 1}},
		"unused": edited(s.Card(world.Frictionless), change{"google_pay", fields{"pan": number}}),
	}
	for name, body := range bodies {
		for _, amount := range []string{"10.10", "42.24", "42.25", "11"} {
			more := fields{"customer_id": customer}
			if name == "consent" {
				more["purpose"] = "SETUP_RECURRING_PAYMENT"
			}
			got := s.Do(world.Request{Method: "PUT", Path: "/v0.1/checkouts/" + s.Create(amount, more), Body: body,
				Header: map[string]string{"User-Agent": number, "Accept": number}, APIKey: s.MerchantToken()})
			if strings.Contains(string(got.Body), number) || got.Status >= 500 {
				t.Errorf("%s of %s: got %d %s, want an answer without the number", name, amount, got.Status, got.Body)
			}
		}
	}
	s.PassMinute()
}

// TestCharge_ThreeDS checks what the transaction keeps of the authentication, for disputes.
func TestCharge_ThreeDS(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	for number, want := range map[string]payments.ThreeDS{
		world.Frictionless: {ECI: "05", LiabilityShift: true}, "5200000000000015": {ECI: "02", LiabilityShift: true},
	} {
		id := s.Create("10.10", nil)
		if started := s.ProcessCheckout(id, s.Card(number)); started.Status == 202 {
			s.Answer(id, s.Challenge(started, "approve"))
		}
		paid := world.Into[struct{ Transactions []world.Payment }](s, 200, s.Checkout(id)).Transactions[0]
		kept, err := s.App.Store.Transaction(t.Context(), s.Tenant(), paid.ID)
		if err != nil || kept.ThreeDS != want {
			t.Errorf("%s: got %+v, %v, want %+v", number[:1], kept.ThreeDS, err, want)
		}
	}
}

// TestSavedCard_RefusedForGood checks that a card is deactivated once its issuer forbids further charges, also if a
// poll learns it.
func TestSavedCard_RefusedForGood(t *testing.T) {
	t.Parallel()
	for name, learn := range map[string]func(world.Shop, string, fields){
		"by the charge": func(s world.Shop, id string, body fields) { s.ProcessCheckout(id, body) },
		"by a poll": func(s world.Shop, id string, body fields) {
			s.GoLive(func(a acquirer.Acquirer) acquirer.Acquirer { return world.Unheard{Acquirer: a} })
			s.ProcessCheckout(id, body)
			s.GoLive()
			s.Clock.Advance(time.Minute)
			s.PassMinute()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := newRecordedShop(t, nil)
			customer := s.Customer()
			setup := s.Create("10", fields{"customer_id": customer, "purpose": "SETUP_RECURRING_PAYMENT"})
			s.MustPay(setup, edited(s.Card(world.Frictionless), consent))
			token := savedToken(s, setup)
			id := s.Create(client.RefusedForGood, nil)
			learn(s, id, byToken(customer, token))
			wantStatuses(t, s, id, "FAILED FAILED")
			if got := cards(s, customer); len(got) != 1 || !strings.Contains(got[0], `"active":false`) ||
				!strings.Contains(got[0], mandate(s, "inactive")) {
				t.Errorf("got %v, want the card deactivated and its mandate ended", got)
			}
			s.Want("charge again", 402, s.ProcessCheckout(s.Create("10", nil), byToken(customer, token)))
			s.MustPay(s.Create("10", fields{"customer_id": customer}), s.Card(world.Frictionless))
			if got := cards(s, customer); len(got) != 1 || !strings.Contains(got[0], `"active":true`) {
				t.Errorf("saved again: got %v, want it active", got)
			}
		})
	}
}

// TestSavedCard_RefusedWithoutMandate checks that a card without a mandate is deactivated, too.
func TestSavedCard_RefusedWithoutMandate(t *testing.T) {
	t.Parallel()
	s, _ := newRecordedShop(t, nil)
	customer := s.Customer()
	saved := s.Create("10", fields{"customer_id": customer})
	s.MustPay(saved, s.Card(world.Frictionless))
	s.ProcessCheckout(s.Create(client.RefusedForGood, nil), byToken(customer, savedToken(s, saved)))
	if got := cards(s, customer); len(got) != 1 || !strings.Contains(got[0], `"active":false`) {
		t.Errorf("got %v, want the card deactivated", got)
	}
}

// TestSavedCard_SavedAgainBeforeRefusal checks that a late refusal does not end a card that was saved again.
func TestSavedCard_SavedAgainBeforeRefusal(t *testing.T) {
	t.Parallel()
	s, _ := newRecordedShop(t, nil)
	customer := s.Customer()
	setup := s.Create("10", fields{"customer_id": customer, "purpose": "SETUP_RECURRING_PAYMENT"})
	s.MustPay(setup, edited(s.Card(world.Frictionless), consent))
	s.GoLive(func(a acquirer.Acquirer) acquirer.Acquirer { return world.Unheard{Acquirer: a} })
	refused := s.Create(client.RefusedForGood, nil)
	s.ProcessCheckout(refused, byToken(customer, savedToken(s, setup)))
	s.GoLive()
	s.MustPay(s.Create("10", fields{"customer_id": customer}), s.Card(world.Frictionless))
	s.Clock.Advance(time.Minute)
	s.PassMinute()
	wantStatuses(t, s, refused, "FAILED FAILED")
	if got := cards(s, customer); len(got) != 1 || !strings.Contains(got[0], `"active":true`) {
		t.Errorf("got %v, want the card that was saved again to stay active", got)
	}
}
