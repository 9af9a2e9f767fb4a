package merchant

// Profile is what a merchant's receipts and public profile show. All of it is
// optional; "" is unset.
type Profile struct {
	// BusinessName is shown in place of the merchant's name.
	BusinessName string `dynamo:"business_name,omitempty" json:"business_name" validate:"text=150"`

	// RegistrationNumber is the company's.
	RegistrationNumber string `dynamo:"company_registration_number,omitempty" json:"company_registration_number" validate:"text=255"` //nolint:lll // a tag is one line

	VATID    string  `dynamo:"vat_id,omitempty" json:"vat_id" validate:"text=255"`
	Website  string  `dynamo:"website,omitempty" json:"website" validate:"text=255 http-url"`
	Language string  `dynamo:"language,omitempty" json:"language" validate:"language"` // BCP 47; "": the locale's
	Locale   string  `dynamo:"locale,omitempty" json:"locale" validate:"language"`     // BCP 47; "": the country's
	Address  Address `dynamo:"address,omitempty" json:"address"`
}

// Address is where a merchant is (contract §7.1).
type Address struct {
	Line1    string `dynamo:"address_line1,omitempty" json:"address_line1" validate:"text=255"`
	Line2    string `dynamo:"address_line2,omitempty" json:"address_line2" validate:"text=255"`
	City     string `dynamo:"city,omitempty" json:"city" validate:"text=255"`
	Region   string `dynamo:"region_name,omitempty" json:"region_name" validate:"text=255"`
	PostCode string `dynamo:"post_code,omitempty" json:"post_code" validate:"text=255"`
	Landline string `dynamo:"landline,omitempty" json:"landline" validate:"text=255"`
	Country  string `dynamo:"country,omitempty" json:"country" validate:"country"` // ISO 3166-1; "": the merchant's
}
