package readers_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

var wholeFate = cmp.AllowUnexported(fate{})

func wantFate(c till, checkout string, want fate) {
	c.Helper()
	if diff := cmp.Diff(want, c.readFate(checkout), wholeFate); diff != "" {
		c.Errorf("-want +got:\n%s", diff)
	}
}

// TestReaderCheckout_EachWayToOutcome checks that a checkout is paid by the first event that finds the payment. The
// event is a read, the message of the first poll, the sweep without any message, or the reader's next checkout
// (contract §13.7, §13.9). Until then, no code sleeps.
func TestReaderCheckout_EachWayToOutcome(t *testing.T) {
	t.Parallel()
	for name, settle := range map[string]func(till, string){
		"read": func(c till, checkout string) {
			c.Clock.Advance(pays)
			c.Read(checkout)
		},
		"message of the poll": func(c till, _ string) {
			c.Clock.Advance(6 * time.Second)
			c.Relay()
		},
		"sweep alone": func(c till, _ string) {
			c.Clock.Advance(70 * time.Second)
			c.Tick("sweep")
		},
		"next checkout": func(c till, _ string) {
			c.Clock.Advance(pays)
			c.Begin(1010)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newTill(t)
			checkout := c.Begin(1010)
			c.Relay()
			settle(c, checkout)
			if name == "sweep alone" {
				c.Relay()
			}
			if got := c.CheckoutRecords(checkout); got.Captured != 1 || got.Transactions["SUCCESSFUL"] != 1 {
				t.Errorf("got %+v, want one payment", got)
			}
			wantFate(c, checkout, paid)
		})
	}
}

// TestRetrieveReaderCheckout_AllFields checks every field before and after the payment.
func TestRetrieveReaderCheckout_AllFields(t *testing.T) {
	t.Parallel()
	c := newTill(t)
	body := c.SaleBody(1010)
	maps.Copy(body, map[string]any{"description": "Coffee", "installments": 1, "tip_rates": []any{0.1, 0.05},
		"affiliate": map[string]any{"app_id": "till", "key": "s3cr3t-affiliate-key", "foreign_transaction_id": "till-1001",
			"tags": map[string]any{"floor": 1}}})
	c.Secret("affiliate's key", "s3cr3t-affiliate-key")
	at := c.Clock.Now().UTC()
	made := c.Send("POST", c.Path("/checkout"), body)
	stamp := func(after time.Duration) string { return at.Add(after).Format("2006-01-02T15:04:05.000Z") }
	shown := func() map[string]any {
		var reply struct{ Data map[string]any }
		if err := c.Read(made.Text("data.checkout_id")).Into(&reply); err != nil {
			t.Fatal(err)
		}
		return reply.Data
	}
	serial := c.Send("GET", c.Path(""), nil).Text("device.identifier")
	want := map[string]any{"checkout_id": made.Text("data.checkout_id"),
		"client_transaction_id": made.Text("data.client_transaction_id"), "created_at": stamp(0), "updated_at": stamp(0),
		"valid_until": stamp(150 * time.Second), "status": "pending", "payment_status": nil, "payment_type": "card",
		"card_type": nil, "installments": 1.0, "reader_firmware_version": "3.3.24.1", "reader_serial_number": serial,
		"total_amount": map[string]any{"currency": "EUR", "minor_unit": 2.0, "value": 1010.0}, "payment_failure_reason": nil}
	if diff := cmp.Diff(want, shown()); diff != "" {
		t.Errorf("waiting (-want +got):\n%s", diff)
	}
	query := "client_transaction_id=" + made.Text("data.client_transaction_id")
	if got := c.Transaction(query).Status; got != 404 {
		t.Errorf("transaction: got %d, want 404 before there is one", got)
	}
	c.Clock.Advance(pays)
	want["status"], want["payment_status"], want["updated_at"] = "successful", "SUCCESSFUL", stamp(pays)
	if diff := cmp.Diff(want, shown()); diff != "" {
		t.Errorf("paid (-want +got):\n%s", diff)
	}
	world.Holds(t, c.Transaction(query).Body, map[string]string{"amount": "10.60", "tip_amount": "0.50",
		"payment_type": `"POS"`, "foreign_transaction_id": `"till-1001"`, "product_summary": `"Coffee"`})
}

// TestCreateReaderCheckout_OtherSpellings checks integers in other spellings, and a body without the client's id.
func TestCreateReaderCheckout_OtherSpellings(t *testing.T) {
	t.Parallel()
	c := newTill(t)
	made := c.Must(201,
		c.Send("POST", c.Path("/checkout"), json.RawMessage(`{"total_amount":{"currency":"EUR","minor_unit":2.0,`+
			`"value":1010.0},"installments":1.0,"tip_rates":[1.0,0.5,0.10],"affiliate":{"app_id":"till","key":"k"}}`)))
	c.Clock.Advance(pays)
	c.Read(made.Text("data.checkout_id")) // this read asks the acquirer
	query := "client_transaction_id=" + made.Text("data.client_transaction_id")
	world.Holds(t, c.Transaction(query).Body, map[string]string{"amount": "11.11", "tip_amount": "1.01"})
	if text := string(c.Transaction(query).Body); strings.Contains(text, "foreign_transaction_id") {
		t.Errorf("got %s, want no foreign_transaction_id", text)
	}
	forint := c.Send("POST", c.Path("/checkout"), json.RawMessage(`{"total_amount":{"currency":"HUF","minor_unit":2,`+
		`"value":1010}}`))
	if !strings.Contains(string(forint.Body), "must be 0, the decimals of HUF") {
		t.Errorf("got %d %s, want that HUF has 0 decimals", forint.Status, forint.Body)
	}
}

// TestReaderCheckout_TestAmounts checks the amounts that decide the outcome in test mode (contract §12).
func TestReaderCheckout_TestAmounts(t *testing.T) {
	t.Parallel()
	notTaken := fate{"cancelled", "the acquirer did not take the payment", 1, 0, map[string]int{"CANCELLED": 1}}
	for value, want := range map[int64]fate{1100: declined, 4201: declined, 4276: declined, 4291: declined,
		4224: notTaken, 1010: paid} {
		c := newTill(t)
		checkout := c.Begin(value)
		wantFate(c, checkout, waits)
		c.Clock.Advance(pays)
		wantFate(c, checkout, want)
		c.PassMinute()
		wantFate(c, checkout, want)
	}
	c := newTill(t)
	checkout := c.Begin(4225)
	c.Clock.Advance(pays)
	wantFate(c, checkout, fate{"pending", "", 0, 0, map[string]int{"PENDING": 1}})
	wantRefusal(t, c.Do(c.SaleRequest(1010)), busy, "READER_BUSY")
	c.Clock.Advance(40 * time.Second)
	wantFate(c, checkout, paid)
}

// TestCreateReaderCheckout_Concurrent checks that a reader takes one checkout at a time. The reader is free once that
// checkout has ended (contract §13.9).
func TestCreateReaderCheckout_Concurrent(t *testing.T) {
	t.Parallel()
	c := newTill(t)
	if diff := cmp.Diff(map[int]int{201: 1, 422: 5}, c.DoConcurrently(6, c.SaleRequest(1010))); diff != "" {
		t.Errorf("at once (-want +got):\n%s", diff)
	}
	wantRefusal(t, c.Do(c.SaleRequest(1010)), busy, "READER_BUSY")
	c.Clock.Advance(pays)
	second := c.Begin(1100)
	c.Clock.Advance(pays)
	wantFate(c, second, declined)
	c.Begin(1010)
	wantFate(c, second, declined)
}

// TestCreateReaderCheckout_ReaderNotReady checks that only a paired reader with a reachable terminal takes checkouts.
func TestCreateReaderCheckout_ReaderNotReady(t *testing.T) {
	t.Parallel()
	c := newTill(t)
	c.SetOffline(true)
	wantRefusal(t, c.Do(c.SaleRequest(1010)), offline, "READER_OFFLINE")
	wantRefusal(t, c.Terminate(), offline, "READER_OFFLINE")
	c.SetOffline(false)
	checkout := c.Begin(1010)
	again := tillOf(c.Shop, "TILL0001")
	wantRefusal(t, c.Do(c.SaleRequest(1010)), offline, "READER_OFFLINE")
	again.Begin(1010)
	wantFate(c, checkout, fate{"cancelled", "the reader was unpaired", 1, 0, map[string]int{"CANCELLED": 1}})

	c = tillOf(c.Shop, "WAIT0001")
	wantRefusal(t, c.Do(c.SaleRequest(1010)), offline, "READER_OFFLINE")
	c.Clock.Advance(5 * time.Minute)
	wantRefusal(t, c.Do(c.SaleRequest(1010)), offline, "READER_OFFLINE")
	wantRefusal(t, c.Terminate(), offline, "READER_OFFLINE")
	c.ID = "rdr_00000000000000000000000000"
	wantRefusal(t, c.Do(c.SaleRequest(1010)), notFound, "")
	wantRefusal(t, c.Terminate(), notFound, "")
}

// TestIdempotencyKey_CreateReaderCheckout repeats a request while the reader is in several states. The requests create
// only one checkout.
func TestIdempotencyKey_CreateReaderCheckout(t *testing.T) {
	t.Parallel()
	c := newTill(t)
	request := c.SaleRequest(1010)
	request.Header = map[string]string{"Idempotency-Key": "sale-1"}
	first, second := c.Do(request), c.Do(request)
	if diff := cmp.Diff(string(first.Body), string(second.Body)); diff != "" || second.Status != 201 ||
		second.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("got %d, want the first reply again (-want +got):\n%s", second.Status, diff)
	}
	request.Body = c.SaleBody(2020)
	wantRefusal(t, c.Do(request), world.Refused(422, "IDEMPOTENCY_KEY_REUSED", "", "idempotency-key-reused"), "")
	request = c.SaleRequest(3030)
	request.Header = map[string]string{"Idempotency-Key": "sale-2"}
	wantRefusal(t, c.Do(request), busy, "READER_BUSY")
	c.Clock.Advance(pays)
	wantFate(c, first.Text("data.checkout_id"), paid)
	wantRefusal(t, c.Do(request), busy, "READER_BUSY") // this is the first reply again
}

// TestCreateReaderCheckout_Refused checks that a refusal names the faulty field. The status is 400, or 422 if the field
// does not fit the country.
func TestCreateReaderCheckout_Refused(t *testing.T) {
	t.Parallel()
	c := newTill(t)
	total := func(currency string, unit, value any) map[string]any {
		return map[string]any{"currency": currency, "minor_unit": unit, "value": value}
	}
	affiliate := map[string]any{"app_id": "till", "foreign_transaction_id": "1"}
	aade := map[string]any{"provider_id": "1", "signature": "s", "signature_data": "d"}
	for _, one := range []struct {
		field string
		value any
		want  world.Refusal
	}{
		{"total_amount", nil, world.Missing("total_amount")},
		{"total_amount", total("EUR", 2, nil), world.Missing("total_amount.value")},
		{"total_amount", total("EUR", nil, 100), world.Missing("total_amount.minor_unit")},
		{"total_amount", total("", 2, 100), world.Missing("total_amount.currency")},
		{"total_amount", total("EUR", 2, -1), world.Invalid("total_amount.value")},
		{"total_amount", total("EUR", 2, 1.5), world.Invalid("total_amount.value")},
		{"total_amount", total("EUR", 2, "100"), world.Invalid("total_amount.value")},
		{"total_amount", total("EUR", 2, 100_000_000_000), world.Invalid("total_amount.value")},
		{"total_amount", total("EUR", 0, 100), world.Invalid("total_amount.minor_unit")},
		{"total_amount", total("HUF", 2, 100), world.Invalid("total_amount.minor_unit")},
		{"total_amount", total("HUF", 0, 100), world.Invalid("total_amount.currency")},
		{"total_amount", total("XXX", 2, 100), world.Invalid("total_amount.currency")},
		{"affiliate", affiliate, world.Missing("affiliate.key")},
		{"affiliate", "none", world.Invalid("affiliate")},
		{"tip_rates", []any{0.1, 0.1}, world.Invalid("tip_rates")},
		{"tip_rates", []any{0}, world.Invalid("tip_rates")},
		{"tip_rates", []any{1.01}, world.Invalid("tip_rates")},
		{"tip_rates", []any{0.1, 0.05, 0.10}, world.Invalid("tip_rates")},
		{"tip_rates", []any{0.055}, world.Invalid("tip_rates")},
		{"tip_rates", []any{.01, .02, .03, .04, .05, .06, .07, .08, .09, .1, .11}, world.Invalid("tip_rates")},
		{"tip_timeout", 30, world.Invalid("tip_timeout")},
		{"tip_timeout", 29, world.Invalid("tip_timeout")},
		{"tip_timeout", 121, world.Invalid("tip_timeout")},
		{"return_url", "https://10.0.0.1/hook", world.Invalid("return_url")},
		{"return_url", "ftp://shop.example/hook", world.Invalid("return_url")},
		{"return_url", "", world.Invalid("return_url")},
		{"card_type", "prepaid", world.Invalid("card_type")},
		{"installments", 0, world.Invalid("installments")},
		{"installments", 13, world.Invalid("installments")},
		{"aade", map[string]any{}, world.Missing("aade.provider_id")},
		{"card_type", "debit", forOthers},
		{"installments", 2, forOthers},
		{"aade", aade, forOthers},
	} {
		body := c.SaleBody(1010)
		body[one.field] = one.value
		got := c.Send("POST", c.Path("/checkout"), body)
		one.want.Check(t, got)
		var shape struct{ Errors map[string]any }
		if err := got.Into(&shape); err != nil || (shape.Errors["detail"] == nil && shape.Errors[one.field] == nil) {
			t.Errorf("%s: got %s, %v, want errors in the shape of readers", one.field, got.Body, err)
		}
	}
	c.Begin(0)
}

// TestCreateReaderCheckout_CountryFields checks the fields that only some countries have (contract §13.7).
func TestCreateReaderCheckout_CountryFields(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	brazil := tillOf(s.NewShop("BR", "BRL", nil), "TILL0001")
	body := brazil.SaleBody(1010)
	body["card_type"], body["installments"] = "credit", 12
	made := brazil.Send("POST", brazil.Path("/checkout"), body)
	s.Clock.Advance(pays)
	got := brazil.Read(made.Text("data.checkout_id"))
	if got.Text("data.status") != "successful" || got.Text("data.card_type") != "credit" {
		t.Errorf("got %d %s, want a credit card's", got.Status, got.Body)
	}
	greece := tillOf(s.NewShop("GR", "EUR", nil), "TILL0001")
	body = greece.SaleBody(1010)
	body["aade"] = map[string]any{"provider_id": "1", "signature": "s", "signature_data": "d"}
	if made := greece.Send("POST", greece.Path("/checkout"), body); made.Status != 201 {
		t.Errorf("got %d %s, want 201", made.Status, made.Body)
	}
	hungary := tillOf(s.NewShop("HU", "HUF", nil), "TILL0001")
	body = hungary.SaleBody(1010)
	body["total_amount"].(map[string]any)["minor_unit"] = 0
	if made := hungary.Send("POST", hungary.Path("/checkout"), body); made.Status != 201 {
		t.Errorf("got %d %s, want 201", made.Status, made.Body)
	}
	body["total_amount"].(map[string]any)["value"] = 1_000_000_000
	world.Invalid("total_amount.value").Check(t, hungary.Send("POST", hungary.Path("/checkout"), body))
}
