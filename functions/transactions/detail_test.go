package transactions_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// queries returns a query for the payment with each of the five identifiers.
func queries(s world.Shop, p world.Payment) map[string]string {
	s.Helper()
	client := s.Transaction("id=" + p.ID).Text("client_transaction_id")
	if client == "" {
		s.Fatalf("client_transaction_id of %s: got %q, want some", p.ID, client)
	}
	return map[string]string{
		"id": p.ID, "transaction_code": p.Code, "internal_id": fmt.Sprint(p.InternalID),
		"foreign_transaction_id": p.Reference, "client_transaction_id": client,
	}
}

func TestRetrieveTransaction_InternalIDNotNumber(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	for _, value := range []string{"abc", "1.0", "-1", "0x1", "12345678901234567890"} {
		world.Invalid("internal_id").Check(t, s.Transaction("internal_id="+value))
		world.Invalid("internal_id").Check(t, legacyTransaction(s, "internal_id="+value))
	}
}

// TestRetrieveTransaction_EachIdentifier checks that each identifier finds the payment in both versions, directly after
// the reply of processCheckout.
func TestRetrieveTransaction_EachIdentifier(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p, other := s.Sell("10.10"), s.Sell("20.20")
	for name, value := range queries(s, p) {
		query := name + "=" + url.QueryEscape(value)
		read, legacy := s.Transaction(query), legacyTransaction(s, query)
		if read.Status != 200 || read.Text("id") != p.ID {
			t.Errorf("%s: got %d %s, want 200, id %s", name, read.Status, read.Body, p.ID)
		}
		if legacy.Status != 200 || legacy.Text("id") != p.ID || other.ID == p.ID {
			t.Errorf("%s, legacy: got %d %s, want 200, id %s, not %s", name, legacy.Status, legacy.Body, p.ID, other.ID)
		}
		notFound.Check(t, s.OtherShop().Transaction(query))
		notFound.Check(t, legacyTransaction(s.OtherShop(), query))
	}
	notFound.Check(t, s.Send("GET", "/v2.1/merchants/"+s.Other.Code+"/transactions?id="+p.ID, nil))
}

func TestRetrieveTransaction_UnknownIdentifier(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p := s.Sell("10.10")
	near := queriesNear(queries(s, p))
	for _, query := range append(near, "internal_id=0", "internal_id=9007199254740992", "internal_id=9223372036854775808",
		"client_transaction_id=x", "client_transaction_id=ffffffff-ffff-4fff-bfff-ffffffffffff", "id=x", "transaction_code=x",
		"foreign_transaction_id="+strings.Repeat("x", 3000), "id="+strings.Repeat("x", 3000)) {
		notFound.Check(t, s.Transaction(query))
		notFound.Check(t, legacyTransaction(s, query))
	}
}

// queriesNear returns queries with similar identifiers, which no transaction has.
func queriesNear(names map[string]string) []string {
	var near []string
	for name, value := range names {
		last := value[len(value)-1:]
		changed := "0"
		if last == "0" {
			changed = "1"
		}
		near = append(near, name+"="+url.QueryEscape(value[:len(value)-1]+changed), name+"="+url.QueryEscape(value+"0"))
	}
	return near
}

func TestRetrieveTransaction_IdentifierCount(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p := s.Sell("10.10")
	const identifiers = "id, internal_id, transaction_code, foreign_transaction_id, client_transaction_id."
	for _, query := range []string{"", "order=1", "id=" + p.ID + "&transaction_code=" + p.Code,
		"foreign_transaction_id=" + p.Reference + "&client_transaction_id=x"} {
		got := s.Transaction(query)
		noReason.Check(t, got)
		if want := "Give exactly one of " + identifiers; got.Text("message") != want {
			t.Errorf("%s: got %s, want message %q", query, got.Body, want)
		}
	}
	if got, want := legacyTransaction(s, ""), "Give at least one of "+identifiers; got.Text("message") != want {
		t.Errorf("legacy: got %s, want message %q", got.Body, want)
	}
	invalid("id").Check(t, s.Transaction("id="+p.ID+"&id="+p.ID))
	invalid("id").Check(t, s.Transaction("id=&transaction_code="+p.Code))
}

func TestRetrieveTransaction_AllFields(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	setTimeZone(s, "America/Sao_Paulo")
	p := s.Pay(s.Create("10.10", map[string]any{"description": "Two coffees"}), s.Card(world.Frictionless))
	world.Holds(t, s.Transaction("id="+p.ID).Body, map[string]string{
		"id": quoted(p.ID), "transaction_code": quoted(p.Code), "foreign_transaction_id": quoted(p.Reference),
		"internal_id": fmt.Sprint(p.InternalID), "merchant_code": quoted(s.Merchant.Code),
		"merchant_id": fmt.Sprint(payments.MerchantNumericID(s.Merchant.Code)), "username": `"kaffee@example.com"`,
		"amount": "10.10", "currency": `"EUR"`, "vat_amount": "0.00", "tip_amount": "0.00", "fee_amount": "0.20",
		"tax_enabled": "false", "timestamp": `"2026-11-20T12:00:00.000Z"`, "local_time": `"2026-11-20T09:00:00.000-03:00"`,
		"status": `"SUCCESSFUL"`, "simple_status": `"SUCCESSFUL"`, "payment_type": `"ECOM"`, "entry_mode": `"CUSTOMER_ENTRY"`,
		"simple_payment_type": `"CC_CUSTOMER_ENTERED"`, "verification_method": `"none"`, "process_as": "",
		"card": `{"last_4_digits":"0091","type":"VISA"}`, "installments_count": "1", "product_summary": `"Two coffees"`,
		"products": `[{"name":"Two coffees","price":10.10,"vat_rate":0,"single_vat_amount":0.00,"price_with_vat":10.10,` +
			`"vat_amount":0.00,"quantity":1,"total_price":10.10,"total_with_vat":10.10}]`,
		"vat_rates":   `[{"rate":0,"net":10.10,"vat":0.00,"gross":10.10}]`,
		"payout_plan": `"SINGLE_PAYMENT"`, "payout_type": `"BANK_ACCOUNT"`, "payout_date": `"2026-11-21"`,
		"payouts_total": "1", "payouts_received": "0",
		"links": `[{"rel":"refund","href":"http://cashwrap.test/v1.0/merchants/` + s.Merchant.Code + `/payments/` + p.ID +
			`/refunds","type":"application/json","min_amount":0.01,"max_amount":10.10}]`,
	})
	if code := s.Transaction("id=" + p.ID).Text("auth_code"); code == "" {
		t.Errorf("auth_code: got %q, want some", code)
	}
}

// TestTaxEnabled_Snapshot checks that a transaction shows the setting from the time when its checkout was created
// (contract §6.1).
func TestTaxEnabled_Snapshot(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	taxed := func(of world.Shop, p world.Payment, want string) {
		t.Helper()
		world.Holds(t, of.Transaction("id="+p.ID).Body, map[string]string{"tax_enabled": want})
	}
	live := s.NewLiveShop()
	live.Command("update_settings", map[string]any{"mode": "live", "tax_enabled": true})
	inTestMode := live.WithTestKey()
	taxed(inTestMode, inTestMode.Sell("5"), "false")

	before := s.Create("10.10", nil)
	s.Command("update_settings", map[string]any{"tax_enabled": true})
	during := s.Create("10.10", nil)
	taxed(s, s.Pay(before, s.Card(world.Frictionless)), "true")
	taxed(s, s.Pay(s.Create("42.01", nil), s.Card(world.Frictionless)), "true") // a declined payment
	taxed(s, s.PayAtReader(world.Sale{Amount: "10.66"}), "true")
	sold := s.WithKey(s.Token()).Sell("5")

	s.Command("update_settings", map[string]any{"tax_enabled": false})
	s.Refund(sold, "1")
	taxed(s, sold, "true")
	for _, p := range []world.Payment{s.Pay(during, s.Card(world.Frictionless)), s.Sell("5"),
		s.PayAtReader(world.Sale{Amount: "10"})} {
		taxed(s, p, "false")
	}
}

func quoted(text string) string { return `"` + text + `"` }

// TestLocalTime_MerchantZone checks that local_time has the offset of the merchant's time zone at that time (contract
// §2.4).
func TestLocalTime_MerchantZone(t *testing.T) {
	t.Parallel()
	for zone, want := range map[string]string{
		"Europe/Berlin": "2026-11-20T13:00:00.000+01:00", "Asia/Kolkata": "2026-11-20T17:30:00.000+05:30",
		"UTC": "2026-11-20T12:00:00.000+00:00",
	} {
		s := world.NewShop(t)
		setTimeZone(s, zone)
		p := s.Sell("10.10")
		if got := s.Transaction("id=" + p.ID).Text("local_time"); got != want {
			t.Errorf("%s: got %s, want %s", zone, got, want)
		}
	}
}

func TestRetrieveTransaction_Unpaid(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	declined := s.Pay(s.Create("42.01", nil), s.Card(world.Frictionless))
	waiting := s.Pay(s.Create("10.10", map[string]any{"redirect_url": "https://shop.example/done"}),
		s.Card(world.Challenged))
	nothing := map[string]string{"fee_amount": "0.00", "payouts_total": "0", "payouts_received": "0", "payout_type": "",
		"payout_date": "", "transaction_events": "[]", "events": "[]", "links": "[]"}
	for p, status := range map[world.Payment][2]string{declined: {`"FAILED"`, `"FAILED"`}, waiting: {`"PENDING"`, ""}} {
		for _, read := range [][]byte{s.Transaction("id=" + p.ID).Body, legacyTransaction(s, "id="+p.ID).Body} {
			world.Holds(t, read, nothing)
			world.Holds(t, read, map[string]string{"status": status[0], "simple_status": status[1]})
		}
	}
}

// TestRetrieveTransaction_SharedForeignID checks that a foreign id of several transactions finds the successful one,
// else the newest one (contract §6.1).
func TestRetrieveTransaction_SharedForeignID(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	checkout := s.Create("10.10", nil)
	const failing = "4012001037461114"
	first := s.Pay(checkout, s.Card(failing))
	s.Clock.Advance(time.Second)
	second := s.Pay(checkout, s.Card(failing))
	query := "foreign_transaction_id=" + first.Reference
	if got := s.Transaction(query).Text("id"); got != second.ID {
		t.Errorf("of failed ones: got %s, want the newest, %s", got, second.ID)
	}
	s.Clock.Advance(time.Second)
	paid := s.Pay(checkout, s.Card(world.Frictionless))
	if got := s.Transaction(query).Text("id"); got != paid.ID || paid.Status != "SUCCESSFUL" {
		t.Errorf("got %s, want the one that is SUCCESSFUL, %+v", got, paid)
	}
	if got := legacyTransaction(s, query+"&id="+first.ID).Text("id"); got != first.ID {
		t.Errorf("with its id: got %s, want %s", got, first.ID)
	}
}

// TestRetrieveTransaction_RenamedCheckout checks that a transaction keeps the reference that its checkout had at the
// time of the payment.
func TestRetrieveTransaction_RenamedCheckout(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	checkout := s.Create("42.01", nil)
	failed := s.Pay(checkout, s.Card(world.Frictionless))
	renamed := map[string]any{"checkout_reference": "renamed", "amount": 10}
	s.Must(200, s.Send("PATCH", "/v0.1/checkouts/"+checkout, renamed))
	notFound.Check(t, s.Transaction("foreign_transaction_id=renamed"))
	paid := s.Pay(checkout, s.Card(world.Frictionless))
	for reference, want := range map[string]string{failed.Reference: failed.ID, "renamed": paid.ID} {
		if got := s.Transaction("foreign_transaction_id=" + reference).Text("id"); got != want {
			t.Errorf("%s: got %s, want %s", reference, got, want)
		}
	}
}

func TestRetrieveTransaction_Scope(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p := s.Sell("10.10")
	for scope, want := range map[string]int{"transactions.history": 200, "transactions.read": 200, "payments": 403,
		"refunds.write": 403} {
		other := withScope(s, scope)
		for _, path := range []string{"/v2.1/merchants/" + s.Merchant.Code + "/transactions?id=" + p.ID,
			"/v0.1/me/transactions?id=" + p.ID} {
			if got := other.Send("GET", path, nil); got.Status != want {
				t.Errorf("%s with %s: got %d, want %d", path, scope, got.Status, want)
			}
		}
	}
}
