package payments_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// TestProducts checks that there is one line, named after the description, with VAT 0 (contract §6.1).
func TestProducts(t *testing.T) {
	t.Parallel()
	tx := payments.Transaction{ProductSummary: "Two coffees", ForeignID: "order-1"}
	amount := money.MustParse("10.10", "EUR")
	want := []payments.Product{{Name: "Two coffees", Quantity: 1, VATRate: "0", Price: amount, VAT: eur("0"),
		PriceWithVAT: amount, Total: amount, TotalVAT: eur("0"), TotalWithVAT: amount}}
	if diff := differs(want, tx.Products(amount)); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	tx.ProductSummary, want[0].Name = "", "order-1"
	if diff := differs(want, tx.Products(amount)); diff != "" {
		t.Errorf("lines without a description (-want +got):\n%s", diff)
	}
}

func TestVATTotals(t *testing.T) {
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
	if diff := differs(want, got); diff != "" {
		t.Errorf("totals (-want +got):\n%s", diff)
	}
	if none := payments.VATTotals(nil); none != nil {
		t.Errorf("totals of no lines: got %+v, want none", none)
	}
}
