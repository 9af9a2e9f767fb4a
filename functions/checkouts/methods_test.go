package checkouts_test

import (
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/world"
)

// offered is what each currency's merchants may offer (contract §4.3).
var offered = map[string]struct{ country, methods string }{
	"EUR": {"DE", "card google_pay ideal bancontact eps mybank satispay"},
	"BRL": {"BR", "card google_pay boleto pix qr_code_pix"},
	"PLN": {"PL", "card google_pay blik p24"},
	"CHF": {"CH", "card google_pay twint"},
	"SEK": {"SE", "card google_pay"},
}

func TestMethodsByCurrency(t *testing.T) {
	t.Parallel()
	home := open(t)
	for currency, want := range offered {
		s := home.abroad(want.country, currency)
		var ofCheckout struct{ Items []struct{ ID, Name string } }
		if got := s.Send("GET", "/v0.1/checkouts/"+s.create(t)+"/payment-methods", nil); got.Status != 200 ||
			got.Into(&ofCheckout) != nil {
			t.Errorf("%d %s", got.Status, got.Body)
		}
		var ids []string
		for _, item := range ofCheckout.Items {
			if ids = append(ids, item.ID); item.Name == "" {
				t.Errorf("%s has no name", item.ID)
			}
		}
		if got := strings.Join(ids, " "); got != want.methods {
			t.Errorf("%s: a checkout offers %s, want %s", currency, got, want.methods)
		}
		for _, query := range []string{"", "?currency=" + currency, "?amount=10&currency=" + currency} {
			if got := s.offers(t, query); got != want.methods {
				t.Errorf("%s: the merchant offers %s, want %s", currency, got, want.methods)
			}
		}
		if got := s.offers(t, "?currency=USD"); got != "" {
			t.Errorf("%s: offers %s in dollars", currency, got)
		}
	}
}

func (s *shop) methods(query string) world.Response {
	s.Helper()
	return s.Send("GET", "/v0.1/merchants/"+s.Merchant.Code+"/payment-methods"+query, nil)
}

// offers are the ids a merchant may offer.
func (s *shop) offers(t *testing.T, query string) string {
	t.Helper()
	var body struct {
		Available []struct{ ID string } `json:"available_payment_methods"`
	}
	if got := s.methods(query); got.Status != 200 || got.Into(&body) != nil || body.Available == nil {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	var ids []string
	for _, method := range body.Available {
		ids = append(ids, method.ID)
	}
	return strings.Join(ids, " ")
}

// TestConstraintsOfMethods come in the details shape (contract §3.1, §13.2).
func TestConstraintsOfMethods(t *testing.T) {
	t.Parallel()
	s := open(t)
	for query, want := range map[string]struct{ reference, message string }{
		"?amount=10":                   {"currency", "Currency must also be specified when filtering by amount"},
		"?currency=XXX":                {"currency", "Currency must be one that the service settles in"},
		"?currency=EUR&amount=0":       {"amount", "Amount must be above 0 with at most the currency's decimals"},
		"?currency=EUR&amount=-1":      {"amount", "Amount must be above 0 with at most the currency's decimals"},
		"?currency=EUR&amount=10.101":  {"amount", "Amount must be above 0 with at most the currency's decimals"},
		"?currency=EUR&amount=1e1":     {"amount", "Amount must be written without an exponent, such as 10.00"},
		"?currency=EUR&amount=ten":     {"amount", "Amount must be above 0 with at most the currency's decimals"},
		"?currency=EUR&amount=%31%2C1": {"amount", "Amount must be above 0 with at most the currency's decimals"},
	} {
		got := s.methods(query)
		world.Refused(400, "INVALID", want.reference, "validation-failed").Check(t, got)
		world.Holds(t, got.Body, map[string]string{"details": `"` + want.message + `"`,
			"title": `"Validation Failed"`, "status": "400",
			"failed_constraints": `[{"message":"` + want.message + `","reference":"` + want.reference + `"}]`})
	}
	for query, param := range map[string]string{
		"?currency=EUR&currency=EUR": "currency", "?currency=EUR&amount=1&amount=2": "amount",
		"?currency=EUR&amount=": "amount", "?currency=": "currency",
	} {
		invalid(param).Check(t, s.methods(query))
	}
}

func TestMethodsOfOthers(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, code := range []string{s.Other.Code, "MC00000000", "me"} {
		notFound.Check(t, s.Send("GET", "/v0.1/merchants/"+code+"/payment-methods", nil))
	}
	noCheckout.Check(t, s.Send("GET", "/v0.1/checkouts/"+s.neighbour().create(t)+"/payment-methods", nil))
}
