package account

import "github.com/cashwrap/cashwrap/shared/money"

// VATRate is a rate for the merchant's products.
type VATRate struct {
	ID          int64         `dynamo:"id" json:"id" validate:"required min=1 max=9007199254740991"`
	Description string        `dynamo:"description,omitempty" json:"description,omitzero" validate:"text=255"`
	Rate        money.Decimal `dynamo:"rate" json:"rate" validate:"required pattern=^0(\\.[0-9]{1,6})?$"` // 0.19 is 19 %
	Ordering    int           `dynamo:"ordering,omitempty" json:"ordering,omitzero" validate:"min=0 max=1000"`
	Country     string        `dynamo:"country,omitempty" json:"country,omitzero" validate:"country"` // ISO 3166-1 code
}

// Shelf is a group of products.
type Shelf struct {
	ID       int64     `dynamo:"id" json:"id" validate:"required min=1 max=9007199254740991"`
	Name     string    `dynamo:"name" json:"name" validate:"required text=255"`
	Order    int       `dynamo:"order,omitempty" json:"order,omitzero" validate:"min=0 max=1000"`
	Products []Product `dynamo:"products,omitempty" json:"products,omitempty" validate:"items=100"`
}

// Product is a product on a shelf.
type Product struct {
	ID           int64   `dynamo:"id" json:"id" validate:"required min=1 max=9007199254740991"`
	Title        string  `dynamo:"title" json:"title" validate:"required text=255"`
	Subtitle     string  `dynamo:"subtitle,omitempty" json:"subtitle,omitzero" validate:"text=255"`
	Availability string  `dynamo:"availability,omitempty" json:"availability,omitzero" validate:"text=32"`
	ImageURL     string  `dynamo:"image_url,omitempty" json:"image_url,omitzero" validate:"http-url"`
	Stock        int     `dynamo:"stock,omitempty" json:"stock,omitzero" validate:"min=0 max=1000000000"`
	Prices       []Price `dynamo:"prices,omitempty" json:"prices,omitempty" validate:"items=10"`
	VATRateID    int64   `dynamo:"vat_rate_id,omitempty" json:"vat_rate_id,omitzero"` // one of the profile's VATRates
	ColorID      int     `dynamo:"color_id,omitempty" json:"color_id,omitzero" validate:"min=0 max=1000"`
}

// Price is one price of a product, without VAT.
type Price struct {
	ID          int64  `dynamo:"id" json:"id" validate:"required min=1 max=9007199254740991"`
	Description string `dynamo:"description,omitempty" json:"description,omitzero" validate:"text=255"`
	// Net is in the merchant's currency, with its decimals.
	Net money.Decimal `dynamo:"net" json:"net" validate:"required"`
}
