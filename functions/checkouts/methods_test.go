package checkouts_test

import (
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// offered lists the expected methods of merchants by currency (contract §4.3).
var offered = map[string]struct{ country, methods string }{
	"EUR": {"DE", "card google_pay ideal bancontact eps mybank satispay"},
	"BRL": {"BR", "card google_pay boleto pix qr_code_pix"},
	"PLN": {"PL", "card google_pay blik p24"},
	"CHF": {"CH", "card google_pay twint"},
	"SEK": {"SE", "card google_pay"},
}

func TestListMerchantPaymentMethods_ByCurrency(t *testing.T) {
	t.Parallel()
	home := world.NewShop(t).WithCallbacks()
	for currency, want := range offered {
		s := home.NewShop(want.country, currency, nil)
		var ofCheckout struct{ Items []struct{ ID, Name string } }
		if got := s.Send("GET", "/v0.1/checkouts/"+s.Create("10.10", nil)+"/payment-methods", nil); got.Status != 200 ||
			got.Into(&ofCheckout) != nil {
			t.Errorf("%s: got %d %s, want 200 with items", currency, got.Status, got.Body)
		}
		var ids []string
		for _, item := range ofCheckout.Items {
			if ids = append(ids, item.ID); item.Name == "" {
				t.Errorf("%s: got item %+v, want a name", currency, item)
			}
		}
		if got := strings.Join(ids, " "); got != want.methods {
			t.Errorf("%s, of a checkout: got %s, want %s", currency, got, want.methods)
		}
		for _, query := range []string{"", "?currency=" + currency, "?amount=10&currency=" + currency} {
			if got := offers(s, query); got != want.methods {
				t.Errorf("%s, of the merchant: got %s, want %s", currency, got, want.methods)
			}
		}
		if got := offers(s, "?currency=USD"); got != "" {
			t.Errorf("%s, in dollars: got %s, want none", currency, got)
		}
	}
}

func methods(s world.Shop, query string) world.Response {
	s.Helper()
	return s.Send("GET", "/v0.1/merchants/"+s.Merchant.Code+"/payment-methods"+query, nil)
}

// offers returns the ids of the methods that a merchant may offer.
func offers(s world.Shop, query string) string {
	s.Helper()
	var body struct {
		Available []struct{ ID string } `json:"available_payment_methods"`
	}
	if got := methods(s, query); got.Status != 200 || got.Into(&body) != nil || body.Available == nil {
		s.Errorf("got %d %s, want 200 with available_payment_methods", got.Status, got.Body)
	}
	var ids []string
	for _, method := range body.Available {
		ids = append(ids, method.ID)
	}
	return strings.Join(ids, " ")
}

// TestListMerchantPaymentMethods_BadFilter checks the error object with details (contract §3.1, §13.2).
func TestListMerchantPaymentMethods_BadFilter(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	for query, want := range map[string]struct{ reference, message string }{
		"?amount=10":                   {"currency", "Currency must also be specified when filtering by amount"},
		"?currency=XXX":                {"currency", "currency must be one that the platform settles in."},
		"?currency=EUR&amount=0":       {"amount", "amount must be above 0 with at most the currency's decimals."},
		"?currency=EUR&amount=-1":      {"amount", "amount must be above 0 with at most the currency's decimals."},
		"?currency=EUR&amount=10.101":  {"amount", "amount must be above 0 with at most the currency's decimals."},
		"?currency=EUR&amount=1e1":     {"amount", "amount must be written without an exponent, such as 10.00."},
		"?currency=EUR&amount=ten":     {"amount", "amount must be above 0 with at most the currency's decimals."},
		"?currency=EUR&amount=%31%2C1": {"amount", "amount must be above 0 with at most the currency's decimals."},
	} {
		got := methods(s, query)
		world.Refused(400, "INVALID", want.reference, "validation-failed").Check(t, got)
		world.Holds(t, got.Body, map[string]string{"details": `"` + want.message + `"`,
			"title": `"Validation Failed"`, "status": "400",
			"failed_constraints": `[{"message":"` + want.message + `","reference":"` + want.reference + `"}]`})
	}
	for query, param := range map[string]string{
		"?currency=EUR&currency=EUR": "currency", "?currency=EUR&amount=1&amount=2": "amount",
		"?currency=EUR&amount=": "amount", "?currency=": "currency",
	} {
		invalid(param).Check(t, methods(s, query))
	}
}

func TestListMerchantPaymentMethods_OtherMerchant(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).WithCallbacks()
	for _, code := range []string{s.Other.Code, "MC00000000", "me"} {
		notFound.Check(t, s.Send("GET", "/v0.1/merchants/"+code+"/payment-methods", nil))
	}
	noCheckout.Check(t, s.Send("GET", "/v0.1/checkouts/"+s.OtherShop().Create("10.10", nil)+"/payment-methods", nil))
}

// TestListMerchantPaymentMethods_PayPal checks that PayPal is switched on and off for each merchant separately.
func TestListMerchantPaymentMethods_PayPal(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	other := s.NewShop("GB", "GBP", map[string]any{"paypal": true})
	for _, on := range []bool{false, true} {
		s.Operate(map[string]any{"command": "update_merchant", "merchant_code": s.Merchant.Code, "paypal": on}, nil)
		if got := offers(s, ""); strings.Contains(got, "paypal") != on {
			t.Errorf("switched on %t: got %s, want paypal only then", on, got)
		}
		got := s.Send("POST", "/v0.1/checkouts", edited(s.CheckoutBody("10.10"), change{"payment_type", "paypal"},
			change{"redirect_url", "https://shop.example"}))
		if (got.Status == 201) != on {
			t.Errorf("switched on %t: got %d %s, want 201 only then", on, got.Status, got.Body)
		}
	}
	if got := offers(other, ""); got != "card google_pay paypal" {
		t.Errorf("another merchant: got %s, want card google_pay paypal", got)
	}
}
