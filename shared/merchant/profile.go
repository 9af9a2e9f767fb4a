package merchant

import (
	"net/url"
	"regexp"

	"github.com/jacoelho/banking/iso3166"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// Profile is what a merchant's receipts and public profile show of it. All of it is
// optional.
type Profile struct {
	BusinessName       string  `dynamo:"business_name,omitempty" json:"business_name"` // "": the merchant's name
	RegistrationNumber string  `dynamo:"company_registration_number,omitempty" json:"company_registration_number"`
	VATID              string  `dynamo:"vat_id,omitempty" json:"vat_id"`
	Website            string  `dynamo:"website,omitempty" json:"website"`
	Language           string  `dynamo:"language,omitempty" json:"language"` // BCP 47; "": the locale's
	Locale             string  `dynamo:"locale,omitempty" json:"locale"`     // BCP 47; "": the country's
	Address            Address `dynamo:"address,omitempty" json:"address"`
}

// Address is where a merchant is (contract §7.1).
type Address struct {
	Line1    string `dynamo:"address_line1,omitempty" json:"address_line1"`
	Line2    string `dynamo:"address_line2,omitempty" json:"address_line2"`
	City     string `dynamo:"city,omitempty" json:"city"`
	Region   string `dynamo:"region_name,omitempty" json:"region_name"`
	PostCode string `dynamo:"post_code,omitempty" json:"post_code"`
	Landline string `dynamo:"landline,omitempty" json:"landline"`
	Country  string `dynamo:"country,omitempty" json:"country"` // ISO 3166-1 alpha-2; "": the merchant's
}

const (
	maxBusinessName = 150 // contract §13.5, as for a company's name
	maxWebsite      = 255 // likewise
	maxProfileText  = 255
)

// languageTag is the part of BCP 47 that names a language as written in a
// place: language, script, region.
var languageTag = regexp.MustCompile(`^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$`)

// Check refuses a text that is not what it should be. Failure: Rejected, with
// the field's name within the profile.
func (p Profile) Check() error {
	if err := failure.Text("business_name", p.BusinessName, maxBusinessName).Err(); err != nil {
		return err
	}
	for _, text := range []struct{ param, value string }{
		{"company_registration_number", p.RegistrationNumber}, {"vat_id", p.VATID},
		{"address.address_line1", p.Address.Line1}, {"address.address_line2", p.Address.Line2}, {"address.city", p.Address.City},
		{"address.region_name", p.Address.Region}, {"address.post_code", p.Address.PostCode}, {"address.landline", p.Address.Landline},
	} {
		if err := failure.Text(text.param, text.value, maxProfileText).Err(); err != nil {
			return err
		}
	}
	switch {
	case !website(p.Website):
		return failure.Invalid("website", "must be an http or https URL of at most 255 characters")
	case p.Language != "" && !languageTag.MatchString(p.Language):
		return failure.Invalid("language", "must be a BCP 47 language tag, such as de")
	case p.Locale != "" && !languageTag.MatchString(p.Locale):
		return failure.Invalid("locale", "must be a BCP 47 language tag, such as de-DE")
	case p.Address.Country != "" && !iso3166.IsCountryCode(p.Address.Country):
		return errCountry("address.country")
	default:
		return nil
	}
}

func website(text string) bool {
	if text == "" {
		return true
	}
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && len(text) <= maxWebsite
}
