package transactions_test

import (
	"encoding/json"
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// tippedSale is a contactless payment with a tip.
var tippedSale = world.Sale{Amount: "10.10", Tip: "0.10", Description: "Two coffees", ForeignID: "table-7"}

func TestRetrieveTransaction_AllFieldsAtReader(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p := s.PayAtReader(tippedSale)
	const place = `{"lat":52.5208,"lon":13.4094,"horizontal_accuracy":10}`
	for name, read := range map[string]world.Response{"": s.Transaction("id=" + p.ID),
		"legacy": legacyTransaction(s, "id="+p.ID)} {
		processAs := map[string]string{"": `"CREDIT"`, "legacy": `"credit"`}[name]
		world.Holds(t, read.Body, map[string]string{
			"id": quoted(p.ID), "transaction_code": quoted(p.Code), "foreign_transaction_id": `"table-7"`,
			"client_transaction_id": quoted(payments.ClientTransactionID(p.ID)), "amount": "11.11", "tip_amount": "1.01",
			"vat_amount": "0.00", "fee_amount": "0.22", "status": `"SUCCESSFUL"`, "simple_status": `"SUCCESSFUL"`,
			"payment_type": `"POS"`, "simple_payment_type": `"EMV"`, "entry_mode": `"CONTACTLESS"`,
			"verification_method": `"none"`, "card": `{"last_4_digits":"0091","type":"VISA"}`, "process_as": processAs,
			"installments_count": "1", "product_summary": `"Two coffees"`,
			"products": `[{"name":"Two coffees","price":10.10,"vat_rate":0,"single_vat_amount":0.00,"price_with_vat":10.10,` +
				`"vat_amount":0.00,"quantity":1,"total_price":10.10,"total_with_vat":10.10}]`,
			"vat_rates":     `[{"rate":0,"net":10.10,"vat":0.00,"gross":10.10}]`,
			"payouts_total": "1", "lat": "52.5208", "lon": "13.4094", "horizontal_accuracy": "10", "location": place,
			"device_info": "",
			"links": `[{"rel":"refund","href":"http://cashwrap.test/v1.0/merchants/` + s.Merchant.Code + `/payments/` + p.ID +
				`/refunds","type":"application/json","min_amount":0.01,"max_amount":11.11}]`,
		})
	}
}

// TestEntryMode_EachCardAtReader checks the fields that tell how the card was read and how the cardholder was verified
// (contract §2.7).
func TestEntryMode_EachCardAtReader(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	for _, c := range []struct {
		name string
		sale world.Sale
		want map[string]string
	}{
		{"a chip, a PIN", world.Sale{Amount: "50.01"}, map[string]string{"status": `"SUCCESSFUL"`, "entry_mode": `"CHIP"`,
			"verification_method": `"offline pin"`, "simple_payment_type": `"EMV"`, "tip_amount": "0.00",
			"foreign_transaction_id": "", "product_summary": ""}},
		{"a debit card's chip, a PIN", world.Sale{Amount: "50.01", CardType: "debit"}, map[string]string{
			"entry_mode": `"CHIP"`, "verification_method": `"online pin"`, "simple_payment_type": `"EMV"`}},
		{"a stripe, a signature", world.Sale{Amount: "10.66"}, map[string]string{"status": `"SUCCESSFUL"`,
			"entry_mode": `"MAGSTRIPE"`, "verification_method": `"signature"`, "simple_payment_type": `"CC_SIGNATURE"`}},
		{"declined", world.Sale{Amount: "42.01"}, map[string]string{"status": `"FAILED"`, "simple_status": `"FAILED"`,
			"entry_mode": `"CONTACTLESS"`, "card": `{"last_4_digits":"0091","type":"VISA"}`, "fee_amount": "0.00",
			"links": "[]", "events": "[]"}},
		{"unknown", world.Sale{Amount: "42.25"}, map[string]string{"status": `"PENDING"`, "simple_status": "",
			"entry_mode": `"CONTACTLESS"`, "links": "[]", "events": "[]"}},
		{"not taken", world.Sale{Amount: "42.24"}, map[string]string{"status": `"CANCELLED"`,
			"simple_status": `"CANCELLED"`, "payment_type": `"POS"`, "entry_mode": "", "simple_payment_type": "",
			"verification_method": "", "card": "", "lat": "", "location": "", "tip_amount": "0.00"}},
		{"instalments", world.Sale{Amount: "30.00", Installments: 3}, map[string]string{"status": `"SUCCESSFUL"`,
			"installments_count": "3"}},
		{"a code", world.Sale{Amount: "60.00", Tip: "0.10", Pix: true}, map[string]string{"status": `"SUCCESSFUL"`,
			"payment_type": `"POS"`, "entry_mode": `"QR_CODE_PIX"`, "simple_payment_type": "", "verification_method": "",
			"card": "", "process_as": "", "amount": "66.00", "tip_amount": "6.00", "lat": "52.5208"}},
	} {
		s := s
		if c.sale.Installments > 0 || c.sale.Pix || c.sale.CardType != "" {
			s = s.NewShop("BR", "BRL", nil)
		}
		p := s.PayAtReader(c.sale)
		for _, read := range []world.Response{s.Transaction("id=" + p.ID), legacyTransaction(s, "id="+p.ID)} {
			if world.Holds(t, read.Body, c.want); t.Failed() {
				t.Fatalf("%s: see above", c.name)
			}
		}
	}
}

// TestProducts_NamesAtReader checks the name that a product without a name gets. It is the client's id for the payment
// or, without such an id, the transaction code.
func TestProducts_NamesAtReader(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	named, nameless := s.PayAtReader(world.Sale{Amount: "1", ForeignID: "table-7"}), s.PayAtReader(world.Sale{Amount: "2"})
	for p, want := range map[world.Payment]string{named: "table-7", nameless: nameless.Code} {
		var shown struct{ Products []struct{ Name string } }
		if read := s.Transaction("id=" + p.ID); read.Into(&shown) != nil || len(shown.Products) != 1 ||
			shown.Products[0].Name != want {
			t.Errorf("got %+v, want one product named %s", shown, want)
		}
	}
}

// TestRetrieveTransaction_SharedForeignIDAtReaders checks that a foreign id of several payments finds the successful
// one, else the newest one. It never finds another merchant's payment (contract §6.1).
func TestRetrieveTransaction_SharedForeignIDAtReaders(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	other := s.OtherShop()
	sell := func(at world.Shop, amount string) world.Payment {
		return at.PayAtReader(world.Sale{Amount: amount, ForeignID: "table-7"})
	}
	const query = "foreign_transaction_id=table-7"
	find := func(at world.Shop, name string, want world.Payment) {
		t.Helper()
		for _, read := range []world.Response{at.Transaction(query), legacyTransaction(at, query)} {
			if got := read.Text("id"); got != want.ID {
				t.Errorf("%s: got %s, want %s", name, got, want.ID)
			}
		}
	}
	notFound.Check(t, s.Transaction(query))
	foreign := sell(other, "10.10")
	notFound.Check(t, s.Transaction(query))
	find(s, "declined", sell(s, "42.01"))
	find(s, "the newest that is declined", sell(s, "42.76"))
	find(s, "the newest is pending", sell(s, "42.25"))
	paid := sell(s, "20")
	find(s, "paid", paid)
	sell(s, "42.01")
	find(s, "paid, before one that is declined", paid)
	find(other, "of another merchant", foreign)
	online := s.Pay(s.Create("10.10", map[string]any{"checkout_reference": "table-7"}), s.Card(world.Frictionless))
	find(s, "the newest that is paid, online", online)
	find(s, "the newest that is paid, at a reader", sell(s, "30"))
}

// TestRetrieveTransaction_ForeignIDOfPendingPayment checks that the foreign id still finds a payment after its outcome,
// if the payment was pending before.
func TestRetrieveTransaction_ForeignIDOfPendingPayment(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p := s.PayAtReader(world.Sale{Amount: "42.25", ForeignID: "table-7"})
	s.PayAtReader(world.Sale{Amount: "42.01", ForeignID: "table-7"})
	s.Clock.Advance(2 * time.Minute)
	s.RunUntilIdle()
	s.PassMinute()
	read := s.Transaction("foreign_transaction_id=table-7")
	if read.Text("id") != p.ID || read.Text("status") != "SUCCESSFUL" {
		t.Errorf("got %s, want %s, SUCCESSFUL", read.Body, p.ID)
	}
}

// TestRefund_PaymentAtReader checks that a full refund gives the tip back to the payer, but not the fee to the
// merchant.
func TestRefund_PaymentAtReader(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p := s.PayAtReader(tippedSale)
	wantSummary(s, p, "SUCCESSFUL, left 11.11")
	s.Refund(p, "10.10")
	wantSummary(s, p, "REFUNDED, REFUND REFUNDED 10.10, left 1.01")
	s.Clock.Advance(time.Second)
	s.Refund(p, "1.01")
	wantSummary(s, p, "REFUNDED, REFUND REFUNDED 10.10, REFUND REFUNDED 1.01, PAYOUT_DEDUCTION PENDING 0.22")
	s.Want("more than was paid", 409, refundV0(s, p, "0.01"))
	unpaid := s.PayAtReader(world.Sale{Amount: "42.24"})
	s.Want("of one that is CANCELLED", 409, refundV0(s, unpaid, "1"))
}

// TestPix_AtReader checks that a Pix payment at a reader can be found by its entry mode and refunded, like an online
// Pix payment.
func TestPix_AtReader(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t).NewShop("BR", "BRL", nil)
	p := s.PayAtReader(world.Sale{Amount: "10.10", Pix: true})
	s.PayAtReader(world.Sale{Amount: "20.20"})
	s.Refund(p, "1.01")
	for query, want := range map[string]int{"": 3, "entry_modes[]=QR_CODE_PIX": 2, "entry_modes[]=PIX": 0,
		"entry_modes[]=QR_CODE_PIX&payment_types[]=POS&types[]=PAYMENT": 1} {
		page := world.Into[struct{ Items []json.RawMessage }](s, 200, s.Send("GET",
			"/v2.1/merchants/"+s.Merchant.Code+"/transactions/history?"+query, nil))
		if len(page.Items) != want {
			t.Errorf("%q: got %s, want %d items", query, page.Items, want)
		}
	}
	wantSummary(s, p, "REFUNDED, REFUND REFUNDED 1.01, left 9.09")
	s.Clock.Advance(time.Second)
	s.Refund(p, "9.09")
	s.Want("more than was paid", 409, refundV0(s, p, "0.01"))
}

func TestChargeback_PaymentAtReader(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p := s.PayAtReader(tippedSale)
	chargeback(s, p, "")
	wantSummary(s, p, "CHARGEBACK, CHARGE_BACK SUCCESSFUL 11.11, PAYOUT_DEDUCTION PENDING 0.22")
}

// TestListMyTransactions_ReaderFilters checks that filters by place and by reader find payments and their events. They
// find no payments without a place (contract §6.3).
func TestListMyTransactions_ReaderFilters(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	first, second := s.PayAtReader(tippedSale), s.PayAtReader(world.Sale{Amount: "50.01"})
	stopped := s.PayAtReader(world.Sale{Amount: "42.24"})
	online := s.Sell("10.10")
	s.Clock.Advance(time.Second)
	s.Refund(first, "1.01")
	serial := func(p world.Payment) string {
		r, err := s.App.Store.Transaction(s.Context(), s.Tenant(), p.ID)
		if err != nil || r.Reader == "" {
			t.Fatalf("got reader %q, %v, want one", r.Reader, err)
		}
		return r.Reader
	}
	allAtReaders := []string{first.Code, second.Code, stopped.Code, first.Code}
	for query, want := range map[string][]string{
		"readers[]=" + serial(first):                                        {first.Code, first.Code},
		"readers[]=" + serial(second) + "&readers[]=" + serial(stopped):     {second.Code, stopped.Code},
		"readers[]=" + serial(first) + "&types[]=PAYMENT":                   {first.Code},
		"readers[]=nobody":                                                  {},
		"geo_coordinates=13.4094,52.5208,13.4094,52.5208":                   {first.Code, second.Code, first.Code},
		"geo_coordinates=13.5,52.5,14,53":                                   {},
		"geo_coordinates=170,-90,14,90&types[]=REFUND":                      {first.Code}, // a box across the date line
		"geo_coordinates=13,52,14,53&readers[]=" + serial(second):           {second.Code},
		"geo_coordinates=13,52,14,53&readers[]=" + url.QueryEscape("R 1&2"): {},
		"payment_types[]=POS":                                               allAtReaders,
		"payment_types[]=ECOM":                                              {online.Code},
	} {
		var page struct {
			Items []struct {
				Code string `json:"transaction_code"`
			}
		}
		read := s.Send("GET", legacyHistory+"?"+query, nil)
		if err := json.Unmarshal(read.Body, &page); err != nil || read.Status != 200 {
			t.Fatalf("%s: got %d %s, %v, want 200", query, read.Status, read.Body, err)
		}
		got := []string{}
		for _, item := range page.Items {
			got = append(got, item.Code)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
}
