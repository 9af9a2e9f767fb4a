package merchants

import (
	"cmp"

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/money"
)

// vatRateView is one of the merchant's VAT rates (contract §7.1).
type vatRateView struct {
	ID          int64         `json:"id"`
	Description string        `json:"description,omitempty"`
	Rate        money.Decimal `json:"rate"`
	Ordering    int           `json:"ordering"`
	Country     string        `json:"country"`
}

// shelfView is a shelf with its products and their prices (contract §7.1).
type shelfView struct {
	ID       int64         `json:"id"`
	Name     string        `json:"name"`
	Order    int           `json:"order"`
	Products []productView `json:"products"`
}

type productView struct {
	ID           int64       `json:"id"`
	ShelfID      int64       `json:"shelf_id"`
	Title        string      `json:"title"`
	Subtitle     string      `json:"subtitle,omitempty"`
	Availability string      `json:"availability,omitempty"`
	ImageURL     string      `json:"image_url,omitempty"`
	Stock        int         `json:"stock"`
	Prices       []priceView `json:"prices"`
	VATRateID    int64       `json:"vat_rate_id,omitempty"`
	ColorID      int         `json:"color_id,omitempty"`
}

type priceView struct {
	ID          int64         `json:"id"`
	ProductID   int64         `json:"product_id"`
	Description string        `json:"description,omitempty"`
	Net         money.Decimal `json:"net"`
}

func vatRates(p account.Profile, country string) []vatRateView {
	shown := make([]vatRateView, len(p.VATRates))
	for i, r := range p.VATRates {
		shown[i] = vatRateView{ID: r.ID, Description: r.Description, Rate: r.Rate, Ordering: r.Ordering,
			Country: cmp.Or(r.Country, country)}
	}
	return shown
}

func shelves(p account.Profile) []shelfView {
	shown := make([]shelfView, len(p.Shelves))
	for i, s := range p.Shelves {
		shown[i] = shelfView{ID: s.ID, Name: s.Name, Order: s.Order, Products: make([]productView, len(s.Products))}
		for j, product := range s.Products {
			shown[i].Products[j] = viewProduct(product, s.ID)
		}
	}
	return shown
}

func viewProduct(p account.Product, shelf int64) productView {
	v := productView{ID: p.ID, ShelfID: shelf, Title: p.Title, Subtitle: p.Subtitle, Availability: p.Availability,
		ImageURL: p.ImageURL, Stock: p.Stock, Prices: make([]priceView, len(p.Prices)), VATRateID: p.VATRateID,
		ColorID: p.ColorID}
	for i, price := range p.Prices {
		v.Prices[i] = priceView{ID: price.ID, ProductID: p.ID, Description: price.Description, Net: price.Net}
	}
	return v
}
