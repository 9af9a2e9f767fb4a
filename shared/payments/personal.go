package payments

import (
	"encoding/json"
	"regexp"
	"slices"
	"time"

	"github.com/cashwrap/cashwrap/shared/optional"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// PersonalDetails holds the known details of a payer; "" means not known.
type PersonalDetails struct {
	FirstName string  `json:"first_name,omitempty" dynamo:"first_name,omitempty"`
	LastName  string  `json:"last_name,omitempty" dynamo:"last_name,omitempty"`
	Email     string  `json:"email,omitempty" dynamo:"email,omitempty"`
	Phone     string  `json:"phone,omitempty" dynamo:"phone,omitempty"`
	BirthDate string  `json:"birth_date,omitempty" dynamo:"birth_date,omitempty"` // YYYY-MM-DD
	TaxID     string  `json:"tax_id,omitempty" dynamo:"tax_id,omitempty"`
	Address   Address `json:"address,omitzero" dynamo:"address,omitempty"`
}

// Address is a payer's address; Country is ISO 3166-1 alpha-2.
type Address struct {
	City       string `json:"city,omitempty" dynamo:"city,omitempty"`
	Country    string `json:"country,omitempty" dynamo:"country,omitempty"`
	Line1      string `json:"line_1,omitempty" dynamo:"line_1,omitempty"`
	Line2      string `json:"line_2,omitempty" dynamo:"line_2,omitempty"`
	PostalCode string `json:"postal_code,omitempty" dynamo:"postal_code,omitempty"`
	State      string `json:"state,omitempty" dynamo:"state,omitempty"`
}

// PersonalDetailsChange is a request's change of a payer's details. It overwrites only the details that the request
// names (contract §5.1). An empty text removes a detail. Birth date and country cannot be empty (contract §2.4).
type PersonalDetailsChange struct {
	FirstName optional.Of[string] `json:"first_name" validate:"text=255"`
	LastName  optional.Of[string] `json:"last_name" validate:"text=255"`
	Email     optional.Of[string] `json:"email" validate:"text=255 then email?"`
	Phone     optional.Of[string] `json:"phone" validate:"text=255"`
	BirthDate optional.Of[string] `json:"birth_date" validate:"then date own"`
	TaxID     optional.Of[string] `json:"tax_id" validate:"text=255"`
	Address   *AddressChange      `json:"address" validate:"then"`
}

// AddressChange is a request's change of an address.
type AddressChange struct {
	City       optional.Of[string] `json:"city" validate:"text=255"`
	Country    optional.Of[string] `json:"country" validate:"then country"`
	Line1      optional.Of[string] `json:"line_1" validate:"text=255"`
	Line2      optional.Of[string] `json:"line_2" validate:"text=255"`
	PostalCode optional.Of[string] `json:"postal_code" validate:"text=255 then own"`
	State      optional.Of[string] `json:"state" validate:"text=255 then own"`
}

// UnmarshalJSON also accepts line1 and line2 (contract §2.2).
func (c *AddressChange) UnmarshalJSON(b []byte) error {
	type plain AddressChange
	request := struct {
		*plain
		Alias1 optional.Of[string] `json:"line1"`
		Alias2 optional.Of[string] `json:"line2"`
	}{plain: (*plain)(c)}
	if err := json.Unmarshal(b, &request); err != nil {
		return err
	}
	c.Line1, c.Line2 = c.Line1.Else(request.Alias1), c.Line2.Else(request.Alias2)
	return nil
}

// Apply returns the details with the change's values, also inside the address. A nil change alters nothing.
func (c *PersonalDetailsChange) Apply(to PersonalDetails) PersonalDetails {
	if c == nil {
		return to
	}
	to = PersonalDetails{
		FirstName: c.FirstName.Or(to.FirstName), LastName: c.LastName.Or(to.LastName),
		Email: c.Email.Or(to.Email), Phone: c.Phone.Or(to.Phone),
		BirthDate: c.BirthDate.Or(to.BirthDate), TaxID: c.TaxID.Or(to.TaxID),
		Address: to.Address,
	}
	if c.Address != nil {
		to.Address = c.Address.apply(to.Address)
	}
	return to
}

func (c AddressChange) apply(to Address) Address {
	return Address{
		City: c.City.Or(to.City), Country: c.Country.Or(to.Country),
		Line1: c.Line1.Or(to.Line1), Line2: c.Line2.Or(to.Line2),
		PostalCode: c.PostalCode.Or(to.PostalCode), State: c.State.Or(to.State),
	}
}

// Rule checks the birth date.
func (c PersonalDetailsChange) Rule(_ string, now time.Time) string {
	return validate.BirthDate(c.BirthDate.Or(""), now)
}

var brazilianPostalCode = regexp.MustCompile(`^[0-9]{5}-?[0-9]{3}$`)

// brazilianStates lists the states that openapi.yaml's clients know.
var brazilianStates = []string{
	"AC", "AL", "AP", "AM", "BA", "CE", "DF", "ES", "GO", "MA", "MT", "MS", "MG", "PA",
	"PB", "PR", "PE", "PI", "RJ", "RN", "RS", "RO", "RR", "SC", "SP", "SE", "TO",
}

// Rule checks postal code and state in Brazil.
func (c AddressChange) Rule(field string, _ time.Time) string {
	if c.Country.Or("") != "BR" {
		return ""
	}
	switch code, state := c.PostalCode.Or(""), c.State.Or(""); {
	case field == "postal_code" && code != "" && !brazilianPostalCode.MatchString(code):
		return "must be eight digits with an optional dash after the fifth"
	case field == "state" && state != "" && !slices.Contains(brazilianStates, state):
		return "must be a Brazilian state, such as SP"
	default:
		return ""
	}
}
