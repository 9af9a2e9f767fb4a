package payments

import (
	"encoding/json"
	"regexp"
	"slices"
	"time"
)

// PersonalDetails describes a payer. Every field is optional and a nil one
// was not sent, so that an update overwrites only what it names (contract §5.1).
type PersonalDetails struct {
	FirstName *string  `json:"first_name,omitempty" dynamo:"first_name,omitempty" validate:"text=255"`
	LastName  *string  `json:"last_name,omitempty" dynamo:"last_name,omitempty" validate:"text=255"`
	Email     *string  `json:"email,omitempty" dynamo:"email,omitempty" validate:"text=255 then email?"`
	Phone     *string  `json:"phone,omitempty" dynamo:"phone,omitempty" validate:"text=255"`
	BirthDate *string  `json:"birth_date,omitempty" dynamo:"birth_date,omitempty" validate:"then date own"`
	TaxID     *string  `json:"tax_id,omitempty" dynamo:"tax_id,omitempty" validate:"text=255"`
	Address   *Address `json:"address,omitempty" dynamo:"address,omitempty" validate:"then"`
}

// Address of a payer; Country is ISO 3166-1 alpha-2.
type Address struct {
	City       *string `json:"city,omitempty" dynamo:"city,omitempty" validate:"text=255"`
	Country    *string `json:"country,omitempty" dynamo:"country,omitempty" validate:"then country"`
	Line1      *string `json:"line_1,omitempty" dynamo:"line_1,omitempty" validate:"text=255"`
	Line2      *string `json:"line_2,omitempty" dynamo:"line_2,omitempty" validate:"text=255"`
	PostalCode *string `json:"postal_code,omitempty" dynamo:"postal_code,omitempty" validate:"text=255 then own"`
	State      *string `json:"state,omitempty" dynamo:"state,omitempty" validate:"text=255 then own"`
}

// UnmarshalJSON also accepts line1 and line2 (contract §2.2).
func (a *Address) UnmarshalJSON(b []byte) error {
	type plain Address
	request := struct {
		*plain
		Alias1 *string `json:"line1"`
		Alias2 *string `json:"line2"`
	}{plain: (*plain)(a)}
	if err := json.Unmarshal(b, &request); err != nil {
		return err
	}
	a.Line1, a.Line2 = either(a.Line1, request.Alias1), either(a.Line2, request.Alias2)
	return nil
}

// Merge returns d with the fields that update names, also inside the address.
func (d PersonalDetails) Merge(update *PersonalDetails) PersonalDetails {
	if update == nil {
		return d
	}
	merged := PersonalDetails{
		FirstName: either(update.FirstName, d.FirstName),
		LastName:  either(update.LastName, d.LastName),
		Email:     either(update.Email, d.Email),
		Phone:     either(update.Phone, d.Phone),
		BirthDate: either(update.BirthDate, d.BirthDate),
		TaxID:     either(update.TaxID, d.TaxID),
		Address:   d.Address,
	}
	if update.Address != nil {
		address := update.Address.over(d.Address)
		merged.Address = &address
	}
	return merged
}

func (a Address) over(old *Address) Address {
	if old == nil {
		return a
	}
	return Address{
		City: either(a.City, old.City), Country: either(a.Country, old.Country),
		Line1: either(a.Line1, old.Line1), Line2: either(a.Line2, old.Line2),
		PostalCode: either(a.PostalCode, old.PostalCode), State: either(a.State, old.State),
	}
}

func either(first, second *string) *string {
	if first != nil {
		return first
	}
	return second
}

// text is the value of an optional field, "" when absent.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// firstBirthDate is before that of anybody alive.
var firstBirthDate = time.Date(1900, time.January, 1, 0, 0, 0, 0, time.UTC)

// Rule of the birth date: from 1900-01-01 to today.
func (d PersonalDetails) Rule(_ string, now time.Time) string {
	day, err := time.Parse(time.DateOnly, text(d.BirthDate))
	if err != nil || day.Before(firstBirthDate) || day.After(now) {
		return "must be from 1900-01-01 to today."
	}
	return ""
}

var brazilianPostalCode = regexp.MustCompile(`^[0-9]{5}-?[0-9]{3}$`)

// brazilianStates are those that openapi.yaml's clients know.
var brazilianStates = []string{
	"AC", "AL", "AP", "AM", "BA", "CE", "DF", "ES", "GO", "MA", "MT", "MS", "MG", "PA",
	"PB", "PR", "PE", "PI", "RJ", "RN", "RS", "RO", "RR", "SC", "SP", "SE", "TO",
}

// Rule of postal code and state in Brazil.
func (a Address) Rule(field string, _ time.Time) string {
	if text(a.Country) != "BR" {
		return ""
	}
	switch code, state := text(a.PostalCode), text(a.State); {
	case field == "postal_code" && code != "" && !brazilianPostalCode.MatchString(code):
		return "must be eight digits with an optional dash after the fifth."
	case field == "state" && state != "" && !slices.Contains(brazilianStates, state):
		return "must be a Brazilian state, such as SP."
	default:
		return ""
	}
}
