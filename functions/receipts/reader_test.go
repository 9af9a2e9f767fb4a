package receipts_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
)

// TestRetrieveReceipt_AtReader checks the fields of payments at a reader (contract §6.6). A tip is part of the amount,
// but of no product.
func TestRetrieveReceipt_AtReader(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	const (
		tip   = `[{"gross":10.10,"net":10.10,"rate":0,"vat":0.00}]`
		emv   = "emv_data"
		about = "transaction_data"
	)
	for _, c := range []struct {
		name string
		sale world.Sale
		want map[string]string // fields of transaction_data
		emv  map[string]string
	}{
		{"contactless, with a tip", world.Sale{Amount: "10.10", Tip: "0.10", Description: "Two coffees"},
			map[string]string{"amount": `"11.11"`, "tip_amount": `"1.01"`, "vat_amount": `"0.00"`, "payment_type": `"POS"`,
				"entry_mode": `"CONTACTLESS"`, "verification_method": `"none"`, "vat_rates": tip, "receipt_no": `"1"`,
				"products": `[{"name":"Two coffees","price":"10.10","vat_rate":"0","single_vat_amount":"0.00",` +
					`"price_with_vat":"10.10","vat_amount":"0.00","quantity":1,"total_price":"10.10","total_with_vat":"10.10"}]`},
			map[string]string{"aid": `"A0000000031010"`, "application_label": `"VISA CREDIT"`}},
		{"on credit", world.Sale{Amount: "10.66", CardType: "credit"}, map[string]string{"process_as": `"CREDIT"`},
			map[string]string{"aid": ""}},
		{"by debit, a PIN", world.Sale{Amount: "50.01", CardType: "debit"},
			map[string]string{"process_as": `"DEBIT"`, "verification_method": `"PIN"`},
			map[string]string{"aid": `"A0000000043060"`}},
		{"a PIN", world.Sale{Amount: "50.01"},
			map[string]string{"amount": `"50.01"`, "tip_amount": `"0.00"`, "entry_mode": `"CHIP"`,
				"verification_method": `"PIN"`, "card": `{"last_4_digits":"0007","type":"MASTERCARD"}`},
			map[string]string{"aid": `"A0000000041010"`, "application_label": `"MASTERCARD"`}},
		{"a signature", world.Sale{Amount: "10.66"},
			map[string]string{"entry_mode": `"MAGSTRIPE"`, "verification_method": `"signature"`},
			map[string]string{"aid": "", "application_label": "", "cryptogram": ""}},
		{"cancelled", world.Sale{Amount: "42.24"},
			map[string]string{"status": `"CANCELLED"`, "entry_mode": "", "verification_method": "", "card": "",
				"receipt_no": ""},
			map[string]string{"aid": ""}},
		{"a code", world.Sale{Amount: "10.10", Pix: true},
			map[string]string{"entry_mode": `"QR_CODE_PIX"`, "verification_method": "", "card": "", "payment_type": `"POS"`},
			map[string]string{"aid": ""}},
	} {
		s := s
		if c.sale.Pix || c.sale.CardType != "" {
			s = s.NewShop("BR", "BRL", nil)
		}
		p := s.PayAtReader(c.sale)
		r, err := s.App.Store.Transaction(s.Context(), s.Tenant(), p.ID)
		if err != nil {
			t.Fatal(err)
		}
		c.want["card_reader"] = `{"code":"` + r.Reader + `","type":"virtual-solo"}`
		var parts map[string]jsonText
		if err := receipt(s, p.ID, 0).Into(&parts); err != nil {
			t.Fatal(err)
		}
		world.Holds(t, parts[about], c.want)
		world.Holds(t, parts[emv], c.emv)
		if hasChip := c.emv["aid"] != ""; hasChip != (receipt(s, p.ID, 0).Text("emv_data.cryptogram") != "") {
			t.Errorf("%s: got %s, want a cryptogram: %t", c.name, parts[emv], hasChip)
		}
	}
}

// TestRetrieveReceipt_RefundAtReader checks that a refund's receipt has the refunded amount and the reader, but no tip.
func TestRetrieveReceipt_RefundAtReader(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p := s.PayAtReader(world.Sale{Amount: "10.10", Tip: "0.10", Description: "Two coffees"})
	event := refundEvent(s, p, "11.11")
	var parts map[string]jsonText
	if err := receipt(s, p.ID, event).Into(&parts); err != nil {
		t.Fatal(err)
	}
	world.Holds(t, parts["transaction_data"], map[string]string{"amount": `"11.11"`, "tip_amount": `"0.00"`,
		"vat_rates": `[{"gross":11.11,"net":11.11,"rate":0,"vat":0.00}]`, "payment_type": `"POS"`, "receipt_no": `"1"`})
}
