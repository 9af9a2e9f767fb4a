package payments

import (
	"cmp"
	"slices"

	"github.com/cashwrap/cashwrap/shared/money"
)

// Product is one line of what was sold (contract §6.1).
type Product struct {
	Name         string
	Quantity     int
	VATRate      string       // decimal fraction of the price, "0.19" = 19 %
	Price        money.Amount // of one item, without VAT
	VAT          money.Amount // of one item
	PriceWithVAT money.Amount // of one item
	Total        money.Amount // of the line, without VAT
	TotalVAT     money.Amount // of the line
	TotalWithVAT money.Amount // of the line
}

// VATTotal sums up the lines with one VAT rate (contract §6.1).
type VATTotal struct {
	Rate            string // as Product's VATRate
	Net, VAT, Gross money.Amount
}

// noVAT is the VAT rate of every product, because a checkout has no rate.
const noVAT = "0"

// Sale returns the amount without the tip, which pays for no product.
func (t Transaction) Sale() money.Amount {
	if t.Tip.Currency() == "" {
		return t.Amount
	}
	return minus(t.Amount, t.Tip)
}

// Products returns the lines of the transaction, or of a refund of the transaction. Their sum is the amount. There is
// one line. Its name is the checkout's description, else the checkout's reference, else the transaction's code
// (contract §6.1).
func (t Transaction) Products(amount money.Amount) []Product {
	none := money.Zero(amount.Currency())
	line := Product{Name: cmp.Or(t.ProductSummary, t.ForeignID, t.Code), Quantity: 1, VATRate: noVAT,
		Price: amount, VAT: none, PriceWithVAT: amount,
		Total: amount, TotalVAT: none, TotalWithVAT: amount}
	return []Product{line}
}

// VATTotals sums up the lines by VAT rate, in the order of first appearance.
func VATTotals(lines []Product) []VATTotal {
	var totals []VATTotal
	for _, p := range lines {
		i := slices.IndexFunc(totals, func(v VATTotal) bool { return v.Rate == p.VATRate })
		if i < 0 {
			totals = append(totals, VATTotal{Rate: p.VATRate, Net: p.Total, VAT: p.TotalVAT, Gross: p.TotalWithVAT})
			continue
		}
		v := &totals[i]
		v.Net, v.VAT, v.Gross = plus(v.Net, p.Total), plus(v.VAT, p.TotalVAT), plus(v.Gross, p.TotalWithVAT)
	}
	return totals
}
