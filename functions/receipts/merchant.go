package receipts

import (
	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/country"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

type merchantData struct {
	Profile merchantProfile `json:"merchant_profile"`
	Locale  string          `json:"locale"`
}

type merchantProfile struct {
	Code               string  `json:"merchant_code"`
	BusinessName       string  `json:"business_name"`
	RegistrationNumber string  `json:"company_registration_number,omitempty"`
	VATID              string  `json:"vat_id,omitempty"`
	Website            string  `json:"website,omitempty"`
	Email              string  `json:"email,omitempty"`
	Language           string  `json:"language"`
	Address            address `json:"address"`
}

type address struct {
	Line1             string `json:"address_line1,omitempty"`
	Line2             string `json:"address_line2,omitempty"`
	City              string `json:"city,omitempty"`
	Country           string `json:"country"`
	CountryEnglish    string `json:"country_en_name,omitempty"`
	CountryNativeName string `json:"country_native_name,omitempty"`
	Region            string `json:"region_name,omitempty"`
	PostCode          string `json:"post_code,omitempty"`
	Landline          string `json:"landline,omitempty"`
}

// showMerchant fills what the account leaves open from the merchant's name and
// country.
func showMerchant(m merchant.Merchant, a account.Account) merchantData {
	p := a.Profile
	shown := p.Shown(m)
	where := shown.Address
	english, native := country.Names(where.Country)
	return merchantData{Locale: p.LocaleIn(m.Country), Profile: merchantProfile{
		Code: m.Code, BusinessName: shown.BusinessName, RegistrationNumber: shown.RegistrationNumber, VATID: shown.VATID,
		Website: shown.Website, Email: shown.Email, Language: p.LanguageIn(m.Country),
		Address: address{Line1: where.Line1, Line2: where.Line2, City: where.City, Country: where.Country,
			CountryEnglish: english, CountryNativeName: native, Region: where.Region, PostCode: where.PostCode,
			Landline: where.Landline},
	}}
}
