package receipts

import (
	"cmp"
	"strings"

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

// showMerchant fills what the profile leaves open from the merchant's name and
// country.
func showMerchant(m merchant.Merchant) merchantData {
	p := m.Profile
	locale := cmp.Or(p.Locale, p.Language, country.Locale(m.Country))
	language, _, _ := strings.Cut(locale, "-")
	a := p.Address
	where := cmp.Or(a.Country, m.Country)
	english, native := country.Names(where)
	return merchantData{Locale: locale, Profile: merchantProfile{
		Code: m.Code, BusinessName: cmp.Or(p.BusinessName, m.Name), RegistrationNumber: p.RegistrationNumber, VATID: p.VATID,
		Website: p.Website, Email: m.Email, Language: cmp.Or(p.Language, language),
		Address: address{Line1: a.Line1, Line2: a.Line2, City: a.City, Country: where, CountryEnglish: english,
			CountryNativeName: native, Region: a.Region, PostCode: a.PostCode, Landline: a.Landline},
	}}
}
