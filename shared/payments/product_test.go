package payments_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// Contract §6.1: one line named after the description, VAT 0.
func TestATransactionIsOneProductWithoutVAT(t *testing.T) {
	t.Parallel()
	tx := payments.Transaction{ProductSummary: "Two coffees", ForeignID: "order-1"}
	amount := money.MustParse("10.10", "EUR")
	lines := tx.Products(amount)
	if len(lines) != 1 {
		t.Fatalf("%d lines", len(lines))
	}
	p := lines[0]
	for name, got := range map[string]money.Amount{"price": p.Price, "price with VAT": p.PriceWithVAT,
		"total": p.Total, "total with VAT": p.TotalWithVAT} {
		if got != amount {
			t.Errorf("%s is %s", name, got)
		}
	}
	if p.Name != "Two coffees" || p.Quantity != 1 || p.VATRate != "0" || !p.VAT.IsZero() || !p.TotalVAT.IsZero() ||
		p.VAT.Currency() != "EUR" {
		t.Errorf("line %+v", p)
	}
	tx.ProductSummary = ""
	if name := tx.Products(amount)[0].Name; name != "order-1" {
		t.Errorf("without a description it is named %q", name)
	}
}

func TestLinesAreSummedUpByVATRate(t *testing.T) {
	t.Parallel()
	line := func(rate, net, vat, gross string) payments.Product {
		return payments.Product{VATRate: rate, Total: eur(net), TotalVAT: eur(vat), TotalWithVAT: eur(gross)}
	}
	got := payments.VATTotals([]payments.Product{
		line("0.19", "10.00", "1.90", "11.90"), line("0.07", "1.00", "0.07", "1.07"), line("0.19", "0.50", "0.10", "0.60")})
	want := []payments.VATTotal{
		{Rate: "0.19", Net: eur("10.50"), VAT: eur("2.00"), Gross: eur("12.50")},
		{Rate: "0.07", Net: eur("1.00"), VAT: eur("0.07"), Gross: eur("1.07")},
	}
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%+v", got)
	}
	if none := payments.VATTotals(nil); none != nil {
		t.Errorf("of no lines: %+v", none)
	}
}
