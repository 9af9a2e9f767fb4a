package receipts_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// whole is a receipt with every field of an online payment. Its times depend on the world's clock, which decides
// whether Berlin has summer time.
const whole = `{
	"transaction_data": {
		"transaction_code": "CODE", "transaction_id": "ID", "merchant_code": "MERCHANT",
		"amount": "10.10", "vat_amount": "0.00", "tip_amount": "0.00", "currency": "EUR",
		"timestamp": "AT", "status": "SUCCESSFUL", "payment_type": "ECOM", "entry_mode": "CUSTOMER_ENTRY",
		"verification_method": "none", "card": {"last_4_digits": "0091", "type": "VISA"}, "installments_count": 1,
		"products": [{"name": "Two coffees", "price": "10.10", "vat_rate": "0", "single_vat_amount": "0.00",
			"price_with_vat": "10.10",
			"vat_amount": "0.00", "quantity": 1, "total_price": "10.10", "total_with_vat": "10.10"}],
		"vat_rates": [{"gross": 10.10, "net": 10.10, "rate": 0, "vat": 0.00}],
		"events": [{"id": PAYOUT, "transaction_id": "ID", "type": "PAYOUT", "status": "SCHEDULED", "amount": "9.90",
			"timestamp": "AT"}],
		"receipt_no": "1"
	},
	"merchant_data": {
		"merchant_profile": {
			"merchant_code": "MERCHANT", "business_name": "Kaffeehaus am Ring", "company_registration_number": "HRB 1",
			"vat_id": "DE1",
			"website": "https://kaffee.example", "email": "kaffee@example.com", "language": "de",
			"address": {"address_line1": "Ring 1", "address_line2": "Hof", "city": "Wien", "country": "AT",
				"country_en_name": "Austria",
				"country_native_name": "Österreich", "region_name": "Wien", "post_code": "1010", "landline": "+43 1 1"}
		},
		"locale": "de-AT"
	},
	"emv_data": {},
	"acquirer_data": {"tid": "TID", "authorization_code": "AUTH", "return_code": "00", "local_time": "LOCAL"}
}`

func TestRetrieveReceipt_AllFields(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	s.Operate(fields{"command": "update_account", "merchant_code": s.Merchant.Code, "account": fields{
		"merchant_profile": fields{"company_registration_number": "HRB 1", "vat_id": "DE0",
			"website": "https://kaffee.example", "language": "de", "locale": "de-AT", "address": fields{"city": "Berlin"},
			"doing_business_as": fields{"business_name": "Kaffeehaus am Ring", "vat_id": "DE1",
				"address": fields{"address_line1": "Ring 1", "address_line2": "Hof", "city": "Wien", "region_name": "Wien",
					"post_code": "1010", "landline": "+43 1 1", "country": "AT"}}}}}, nil)
	p := charge(s, "10.10", fields{"description": "Two coffees"})
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := s.Clock.Now()
	got := receipt(s, p.Code, 0)
	authorized := got.Text("acquirer_data.authorization_code")
	terminal := got.Text("acquirer_data.tid")
	if authorized == "" || terminal == "" {
		t.Errorf("acquirer data: got %s, want an authorization_code and a tid", got.Body)
	}
	want := strings.NewReplacer("CODE", p.Code, "ID\"", p.ID+`"`, "MERCHANT", s.Merchant.Code, "PAYOUT,",
		fmt.Sprint(lastEvent(s, p, "PAYOUT"))+",",
		`"AT", "s`, at.UTC().Format(`"2006-01-02T15:04:05.000Z", "s`), `"AT"}`,
		at.UTC().Format(`"2006-01-02T15:04:05.000Z"}`),
		`"LOCAL"`, at.In(berlin).Format(`"2006-01-02T15:04:05.000-07:00"`), "AUTH", authorized, `"TID"`,
		`"`+terminal+`"`).Replace(whole)
	if same, text := compact(t, got.Body), compact(t, []byte(want)); same != text {
		t.Errorf("got  %s\nwant %s", same, text)
	}
	if byID := receipt(s, p.ID, 0); string(byID.Body) != string(got.Body) {
		t.Errorf("by id: got %s\nwant as by code: %s", byID.Body, got.Body)
	}
}

// TestRetrieveLegacyReceipt_Successor checks the replies and headers of the older operation (contract §2.10).
func TestRetrieveLegacyReceipt_Successor(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	code := s.Sell("10.10").Code
	successor := `<http://cashwrap.test/v1.1/receipts/` + code + `>; rel="successor-version"`
	for query, status := range map[string]int{"?mid=" + s.Merchant.Code: 200, "?mid=MC0A1B2C3D": 400} {
		got := s.Send("GET", "/v1.0/receipts/"+code+query, nil)
		if got.Status != status || got.Header.Get("Deprecation") != "@1793491200" || got.Header.Get("Link") != successor {
			t.Errorf("%s: got %d, Deprecation %q, Link %q, want %d, @1793491200, %q", query, got.Status,
				got.Header.Get("Deprecation"), got.Header.Get("Link"), status, successor)
		}
		if current := receipt(s, code, 0); status == 200 && string(got.Body) != string(current.Body) {
			t.Errorf("got %s\nwant as version 1.1: %s", got.Body, current.Body)
		}
	}
}

// compact sorts a body's members by name and removes blanks. Numbers stay as written.
func compact(t *testing.T, body []byte) string {
	t.Helper()
	var value any
	decoder := json.NewDecoder(strings.NewReader(string(body)))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("got %s: %v, want JSON", body, err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestRetrieveReceipt_MerchantWithoutProfile checks that the merchant's name and country are used if the account lacks
// such data.
func TestRetrieveReceipt_MerchantWithoutProfile(t *testing.T) {
	t.Parallel()
	home := world.NewShop(t)
	for _, c := range []struct {
		country, currency string
		more              fields
		want              string
	}{
		{"DE", "EUR", nil, `{"locale":"de-DE","language":"de","country":"DE","english":"Germany","native":"Deutschland"}`},
		{"CH", "CHF", nil, `{"locale":"de-CH","language":"de","country":"CH","english":"Switzerland","native":"Schweiz"}`},
		{"BR", "BRL", nil, `{"locale":"pt-BR","language":"pt","country":"BR","english":"Brazil","native":"Brasil"}`},
		{"JP", "USD", nil, `{"locale":"en-JP","language":"en","country":"JP","english":"","native":""}`},
		{"BE", "EUR", fields{"account": fields{"merchant_profile": fields{"language": "fr"}}},
			`{"locale":"fr","language":"fr","country":"BE","english":"Belgium","native":"België"}`},
		{"BE", "EUR", fields{"account": fields{"merchant_profile": fields{"locale": "fr-BE"}}},
			`{"locale":"fr-BE","language":"fr","country":"BE","english":"Belgium","native":"België"}`},
	} {
		s := home.NewShop(c.country, c.currency, c.more)
		got := receipt(s, s.Sell("5").ID, 0)
		const profile, address = "merchant_data.merchant_profile", "merchant_data.merchant_profile.address"
		shown := fmt.Sprintf(`{"locale":%q,"language":%q,"country":%q,"english":%q,"native":%q}`,
			got.Text("merchant_data.locale"),
			got.Text(profile+".language"), got.Text(address+".country"), got.Text(address+".country_en_name"),
			got.Text(address+".country_native_name"))
		if shown != c.want || got.Text(profile+".business_name") != "Filiale "+c.country ||
			got.Text(profile+".email") != "filiale@example.com" {
			t.Errorf("%s: got %s in %s\nwant %s, business_name Filiale %s, email filiale@example.com",
				c.country, shown, got.Body, c.want, c.country)
		}
	}
}

// TestRetrieveReceipt_MoneyAndTimes checks that amounts have exactly the currency's decimals, and that times have the
// merchant's offset (contract §2.4).
func TestRetrieveReceipt_MoneyAndTimes(t *testing.T) {
	t.Parallel()
	home := world.NewShop(t)
	for _, c := range []struct{ country, currency, amount, money, zone string }{
		{"DE", "EUR", "7", "7.00", "Europe/Berlin"},
		{"HU", "HUF", "1500", "1500", "Europe/Budapest"},
		{"CL", "CLP", "70000", "70000", "America/Santiago"},
		{"BR", "BRL", "0.5", "0.50", "America/Sao_Paulo"},
		{"JP", "USD", "3.3", "3.30", "UTC"},
	} {
		s := home.NewShop(c.country, c.currency, nil)
		p := s.Sell(c.amount)
		got := receipt(s, p.ID, 0)
		where, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		if local := s.Clock.Now().In(where).Format("2006-01-02T15:04:05.000-07:00"); got.Text(
			"acquirer_data.local_time") != local {
			t.Errorf("%s: got local time %s, want %s", c.country, got.Text("acquirer_data.local_time"), local)
		}
		if got.Text("transaction_data.amount") != c.money {
			t.Errorf("%s: got amount %s, want %s", c.currency, got.Text("transaction_data.amount"), c.money)
		}
	}
}

func TestRetrieveReceipt_NoDescription(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	var shown struct {
		Data struct{ Products []struct{ Name string } } `json:"transaction_data"`
	}
	got := receipt(s, charge(s, "5", fields{"description": nil, "checkout_reference": "order-x"}).ID, 0)
	if err := got.Into(&shown); err != nil || len(shown.Data.Products) != 1 || shown.Data.Products[0].Name != "order-x" {
		t.Errorf("got %+v, %v, want one product order-x", shown, err)
	}
}

func TestRetrieveReceipt_Refused(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	other := s.OtherShop()
	p, theirs := s.Sell("10"), other.Sell("10")
	refunded := refundEvent(s, p, "1")
	second := s.Sell("10")
	s.Operate(fields{"command": "charge_back", "merchant_code": s.Merchant.Code, "transaction": second.ID, "amount": "1"},
		nil)
	absent := world.Refused(404, "NOT_FOUND", "", "not-found")
	at := func(id, query string) string { return "/v1.1/receipts/" + id + query }
	for name, c := range map[string]struct {
		path string
		want world.Refusal
	}{
		"no mid":                {at(p.ID, ""), world.Missing("mid")},
		"empty mid":             {at(p.ID, "?mid="), world.Invalid("mid")},
		"empty event":           {receiptPath(s, p.ID, 0) + "&tx_event_id=", world.Invalid("tx_event_id")},
		"foreign mid":           {at(theirs.ID, "?mid="+other.Merchant.Code), world.Invalid("mid")},
		"bad mid":               {at(p.ID, "?mid=none"), world.Invalid("mid")},
		"event in text, no mid": {at(p.ID, "?tx_event_id=one"), world.Invalid("tx_event_id")},
		"event in text":         {receiptPath(s, p.ID, 0) + "&tx_event_id=one", world.Invalid("tx_event_id")},
		"event beyond 64 bits": {receiptPath(s, p.ID, 0) + "&tx_event_id=9223372036854775808",
			world.Invalid("tx_event_id")},
		"unknown id":                 {receiptPath(s, "6f1d2c3b-4a59-4e87-9c6d-7b8a9f0e1d2c", 0), absent},
		"unknown code":               {receiptPath(s, "T000000001", 0), absent},
		"no id at all":               {receiptPath(s, "x", 0), absent},
		"another's transaction":      {receiptPath(s, theirs.ID, 0), absent},
		"another's code":             {receiptPath(s, theirs.Code, 0), absent},
		"unknown event":              {receiptPath(s, p.ID, 1), absent},
		"event 0":                    {receiptPath(s, p.ID, 0) + "&tx_event_id=0", absent},
		"event of another of theirs": {receiptPath(s, second.ID, refunded), absent},
		"payout":                     {receiptPath(s, p.ID, lastEvent(s, p, "PAYOUT")), absent},
		"chargeback":                 {receiptPath(s, second.ID, lastEvent(s, second, "CHARGE_BACK")), absent},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.Main().DoUnchecked(world.Request{Method: "GET", Path: c.path, APIKey: s.Merchant.Key.Plaintext})
			c.want.Check(t, got)
			message := got.Text("message")
			const noEvent, badCode = "No such tx event ", "mid is not a valid merchant code."
			if got.Status == 404 && !strings.HasPrefix(message, noEvent) {
				t.Errorf("got message %q, want it to begin with %q", message, noEvent)
			}
			if c.want == world.Invalid("mid") && name != "empty mid" && message != badCode {
				t.Errorf("got message %q, want %q", message, badCode)
			}
		})
	}
	if first, next := receiptNumber(s, p.ID, 0), receiptNumber(s, second.ID, 0); first != "1" || next != "2" {
		t.Errorf("after the refusals: got numbers %s and %s, want 1 and 2", first, next)
	}
}

// TestRetrieveReceipt_Scopes checks the scopes that contract §1 lists for receipts.
func TestRetrieveReceipt_Scopes(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p := s.Sell("10")
	for scope, want := range map[string]int{"receipts.read": 200, "transactions.read": 200,
		"transactions.history": 200, "payments": 200,
		"checkouts.read": 403, "user.profile": 403} {
		s.Want(scope, want, s.WithKey(s.NewKey("secret", scope)).Send("GET", receiptPath(s, p.ID, 0), nil))
	}
	s.Want("without a key", 401, s.Do(world.Request{Method: "GET", Path: receiptPath(s, p.ID, 0), APIKey: world.NoKey}))
}
