package account

import (
	"cmp"
	"strings"

	"github.com/cashwrap/cashwrap/shared/country"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// Profile is a merchant's business. The name, email, country and currency are in merchant.Merchant, because each
// request needs them.
type Profile struct {
	Website   string    `dynamo:"website,omitempty" json:"website,omitzero" validate:"text=255 http-url"`
	LegalType LegalType `dynamo:"legal_type" json:"legal_type,omitzero"`
	// CategoryCode follows ISO 18245.
	CategoryCode string `dynamo:"merchant_category_code,omitempty" json:"merchant_category_code,omitzero" validate:"pattern=^[0-9]{4}$"` //nolint:lll // a tag is one line
	MobilePhone  string `dynamo:"mobile_phone,omitempty" json:"mobile_phone,omitzero" validate:"phone"`

	// RegistrationNumber is the company's number in its register.
	RegistrationNumber string `dynamo:"company_registration_number,omitempty" json:"company_registration_number,omitzero" validate:"text=255"` //nolint:lll // a tag is one line

	VATID            string       `dynamo:"vat_id,omitempty" json:"vat_id,omitzero" validate:"text=255"`
	Identifiers      []Identifier `dynamo:"identifiers,omitempty" json:"identifiers,omitempty" validate:"items=32"`
	CertificateCode  string       `dynamo:"permanent_certificate_access_code,omitempty" json:"permanent_certificate_access_code,omitzero" validate:"text=255"` //nolint:lll // a tag is one line
	NatureAndPurpose string       `dynamo:"nature_and_purpose,omitempty" json:"nature_and_purpose,omitzero" validate:"text=1000"`                              //nolint:lll // a tag is one line
	// Language is a BCP 47 tag; "": the locale's language.
	Language string `dynamo:"language,omitempty" json:"language,omitzero" validate:"language"`
	// Locale is a BCP 47 tag; "": the recorded language, or else the country's locale.
	Locale string `dynamo:"locale,omitempty" json:"locale,omitzero" validate:"language"`

	Address        merchant.Address  `dynamo:"address" json:"address,omitzero"`
	TradingAddress merchant.Address  `dynamo:"trading_address" json:"trading_address,omitzero"`
	Attributes     map[string]string `dynamo:"attributes,omitempty" json:"attributes,omitempty" validate:"own"`

	DoingBusinessAs DoingBusinessAs `dynamo:"doing_business_as" json:"doing_business_as,omitzero"`
	VATRates        []VATRate       `dynamo:"vat_rates,omitempty" json:"vat_rates,omitempty" validate:"items=32"`
	Shelves         []Shelf         `dynamo:"shelves,omitempty" json:"shelves,omitempty" validate:"items=20"`

	ExternalDeveloper bool `dynamo:"extdev,omitempty" json:"extdev,omitzero"`
	// ZoneMigrated counts as true if it is nil (contract §13.9).
	ZoneMigrated *bool `dynamo:"payout_zone_migrated,omitempty" json:"payout_zone_migrated,omitzero"`
}

// LegalType is a legal form, such as a GmbH.
type LegalType struct {
	ID int64 `dynamo:"id,omitempty" json:"id,omitzero" validate:"min=1 max=9007199254740991"`
	// Code is the legal_type of contract §13.5, such as de.gmbh.
	Code            string `dynamo:"code,omitempty" json:"code,omitzero" validate:"min=4 text=64"`
	Description     string `dynamo:"description,omitempty" json:"description,omitzero" validate:"text=64"`
	FullDescription string `dynamo:"full_description,omitempty" json:"full_description,omitzero" validate:"text=255"`
	SoleTrader      bool   `dynamo:"sole_trader,omitempty" json:"sole_trader,omitzero"`
}

// DoingBusinessAs has the business as payers know it and as receipts show it. For an empty field the company's value
// applies.
type DoingBusinessAs struct {
	BusinessName       string `dynamo:"business_name,omitempty" json:"business_name,omitzero" validate:"text=150"`                             //nolint:lll // a tag is one line
	RegistrationNumber string `dynamo:"company_registration_number,omitempty" json:"company_registration_number,omitzero" validate:"text=255"` //nolint:lll // a tag is one line
	VATID              string `dynamo:"vat_id,omitempty" json:"vat_id,omitzero" validate:"text=255"`
	Website            string `dynamo:"website,omitempty" json:"website,omitzero" validate:"text=255 http-url"`
	Email              string `dynamo:"email,omitempty" json:"email,omitzero" validate:"email"`
	PhoneNumber        string `dynamo:"phone_number,omitempty" json:"phone_number,omitzero" validate:"phone"`
	// Descriptor appears on card statements.
	Descriptor string           `dynamo:"dynamic_descriptor,omitempty" json:"dynamic_descriptor,omitzero" validate:"text=30"` //nolint:lll // a tag is one line
	Branding   Branding         `dynamo:"branding" json:"branding,omitzero"`
	Address    merchant.Address `dynamo:"address" json:"address,omitzero"`
}

// Branding has the look of the merchant's pages and receipts.
type Branding struct {
	Icon           string `dynamo:"icon,omitempty" json:"icon,omitzero" validate:"http-url"`
	Logo           string `dynamo:"logo,omitempty" json:"logo,omitzero" validate:"http-url"`
	Hero           string `dynamo:"hero,omitempty" json:"hero,omitzero" validate:"http-url"`
	PrimaryColor   string `dynamo:"primary_color,omitempty" json:"primary_color,omitzero" validate:"pattern=^#[0-9a-fA-F]{6}$"`     //nolint:lll // a tag is one line
	SecondaryColor string `dynamo:"secondary_color,omitempty" json:"secondary_color,omitzero" validate:"pattern=^#[0-9a-fA-F]{6}$"` //nolint:lll // a tag is one line
}

// ZoneMigratedOrDefault returns the value of payout_zone_migrated (contract §13.9).
func (p Profile) ZoneMigratedOrDefault() bool { return p.ZoneMigrated == nil || *p.ZoneMigrated }

// LocaleIn returns the locale of a merchant in the country. This is the recorded locale, or else the recorded language,
// or else the country's locale.
func (p Profile) LocaleIn(code string) string {
	return cmp.Or(p.Locale, p.Language, country.Locale(code))
}

// LanguageIn returns the language of a merchant in the country. This is the recorded language, or else the language of
// the locale.
func (p Profile) LanguageIn(code string) string {
	language, _, _ := strings.Cut(p.LocaleIn(code), "-")
	return cmp.Or(p.Language, language)
}

// AllIdentifiers returns the company's numbers in registers. First come the numbers that have their own field in the
// profile, under the country's code, and then the others.
func (p Profile) AllIdentifiers(country string) []Identifier {
	var all []Identifier
	for _, i := range []Identifier{{"company_registration_number", p.RegistrationNumber}, {"vat_id", p.VATID}} {
		if i.Value != "" {
			all = append(all, Identifier{Ref: strings.ToLower(country) + "." + i.Ref, Value: i.Value})
		}
	}
	return append(all, p.Identifiers...)
}

// Shown returns the business as payers know it. An empty field gets the value of the company or the merchant.
func (p Profile) Shown(m merchant.Merchant) DoingBusinessAs {
	d := p.DoingBusinessAs
	d.BusinessName = cmp.Or(d.BusinessName, m.Name)
	d.RegistrationNumber = cmp.Or(d.RegistrationNumber, p.RegistrationNumber)
	d.VATID = cmp.Or(d.VATID, p.VATID)
	d.Website = cmp.Or(d.Website, p.Website)
	d.Email = cmp.Or(d.Email, m.Email)
	d.PhoneNumber = cmp.Or(d.PhoneNumber, p.MobilePhone)
	d.Address = cmp.Or(d.Address, p.Address)
	d.Address.Country = cmp.Or(d.Address.Country, m.Country)
	return d
}

// Trade returns the business in the form that the merchant has a copy of. The address is the one that payers know.
func (p Profile) Trade() merchant.Trade {
	address := cmp.Or(p.DoingBusinessAs.Address, p.Address)
	return merchant.Trade{CategoryCode: p.CategoryCode, Name: p.DoingBusinessAs.BusinessName, Line1: address.Line1,
		City: address.City, Region: cmp.Or(address.RegionCode, address.Region), PostCode: address.PostCode}.Cut()
}
