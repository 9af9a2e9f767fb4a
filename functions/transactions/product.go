package transactions

import (
	"encoding/json"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// product is a line of products (contract §6.1).
type product struct {
	Name            string       `json:"name"`
	Price           money.Amount `json:"price"`
	VATRate         json.Number  `json:"vat_rate"`
	SingleVATAmount money.Amount `json:"single_vat_amount"`
	PriceWithVAT    money.Amount `json:"price_with_vat"`
	VATAmount       money.Amount `json:"vat_amount"`
	Quantity        int          `json:"quantity"`
	TotalPrice      money.Amount `json:"total_price"`
	TotalWithVAT    money.Amount `json:"total_with_vat"`
}

// vatRate is what was paid under one rate (contract §6.1).
type vatRate struct {
	Rate  json.Number  `json:"rate"`
	Net   money.Amount `json:"net"`
	VAT   money.Amount `json:"vat"`
	Gross money.Amount `json:"gross"`
}

// showProducts shows what was sold, to which a tip does not belong.
func (v *transaction) showProducts(t payments.Transaction) {
	lines := t.Products(t.Sale())
	for _, p := range lines {
		v.Products = append(v.Products, product{Name: p.Name, Price: p.Price, VATRate: json.Number(p.VATRate),
			SingleVATAmount: p.VAT, PriceWithVAT: p.PriceWithVAT, VATAmount: p.TotalVAT, Quantity: p.Quantity,
			TotalPrice: p.Total, TotalWithVAT: p.TotalWithVAT})
	}
	for _, r := range payments.VATTotals(lines) {
		v.VATRates = append(v.VATRates, vatRate{Rate: json.Number(r.Rate), Net: r.Net, VAT: r.VAT, Gross: r.Gross})
	}
}
