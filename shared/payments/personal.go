package payments

import (
	"encoding/json"
	"net/mail"
	"regexp"
	"slices"
	"time"

	"github.com/jacoelho/banking/iso3166"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// PersonalDetails describes a payer. Every field is optional and a nil one
// was not sent, so that an update overwrites only what it names (contract §5.1).
type PersonalDetails struct {
	FirstName *string  `json:"first_name,omitempty" dynamo:"first_name,omitempty"`
	LastName  *string  `json:"last_name,omitempty" dynamo:"last_name,omitempty"`
	Email     *string  `json:"email,omitempty" dynamo:"email,omitempty"`
	Phone     *string  `json:"phone,omitempty" dynamo:"phone,omitempty"`
	BirthDate *string  `json:"birth_date,omitempty" dynamo:"birth_date,omitempty"` // YYYY-MM-DD
	TaxID     *string  `json:"tax_id,omitempty" dynamo:"tax_id,omitempty"`
	Address   *Address `json:"address,omitempty" dynamo:"address,omitempty"`
}

// Address of a payer; Country is ISO 3166-1 alpha-2.
type Address struct {
	City       *string `json:"city,omitempty" dynamo:"city,omitempty"`
	Country    *string `json:"country,omitempty" dynamo:"country,omitempty"`
	Line1      *string `json:"line_1,omitempty" dynamo:"line_1,omitempty"`
	Line2      *string `json:"line_2,omitempty" dynamo:"line_2,omitempty"`
	PostalCode *string `json:"postal_code,omitempty" dynamo:"postal_code,omitempty"`
	State      *string `json:"state,omitempty" dynamo:"state,omitempty"`
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

// maxText bounds every free text of a payer (contract §4.1).
const maxText = 255

var brazilianPostalCode = regexp.MustCompile(`^[0-9]{5}-?[0-9]{3}$`)

// brazilianStates are those of contract §4.1 (personal_details).
var brazilianStates = []string{
	"AC", "AL", "AP", "AM", "BA", "CE", "DF", "ES", "GO", "MA", "MT", "MS", "MG", "PA",
	"PB", "PR", "PE", "PI", "RJ", "RN", "RS", "RO", "RR", "SC", "SP", "SE", "TO",
}

// Check lists what is wrong with the details that were sent at a time; absent
// fields are not missing here. An empty text takes a detail back, but birth date
// and country have no empty form (contract §5.1). A nil receiver is fine.
func (d *PersonalDetails) Check(now time.Time) failure.List {
	if d == nil {
		return nil
	}
	const at = "personal_details."
	var faults failure.List
	for _, field := range []struct {
		name  string
		value *string
	}{{"first_name", d.FirstName}, {"last_name", d.LastName}, {"email", d.Email}, {"phone", d.Phone}, {"tax_id", d.TaxID}} {
		faults = append(faults, checkText(at+field.name, field.value)...)
	}
	if d.Email != nil && *d.Email != "" && !ValidEmail(*d.Email) {
		faults = append(faults, failure.Invalid(at+"email", "must be an email address"))
	}
	if d.BirthDate != nil {
		faults = append(faults, checkBirthDate(at+"birth_date", *d.BirthDate, now)...)
	}
	return append(faults, d.Address.check(at+"address.")...)
}

// firstBirthDate is before that of anybody alive.
var firstBirthDate = time.Date(1900, time.January, 1, 0, 0, 0, 0, time.UTC)

func checkBirthDate(param, text string, now time.Time) failure.List {
	switch day, err := time.Parse(time.DateOnly, text); {
	case err != nil:
		return failure.List{failure.Invalid(param, "must be a date, YYYY-MM-DD")}
	case day.Before(firstBirthDate) || day.After(now):
		return failure.List{failure.Invalid(param, "must be from 1900-01-01 to today")}
	default:
		return nil
	}
}

func (a *Address) check(at string) failure.List {
	if a == nil {
		return nil
	}
	var faults failure.List
	for _, field := range []struct {
		name  string
		value *string
	}{{"city", a.City}, {"line_1", a.Line1}, {"line_2", a.Line2}, {"postal_code", a.PostalCode}, {"state", a.State}} {
		faults = append(faults, checkText(at+field.name, field.value)...)
	}
	if a.Country != nil && !iso3166.IsCountryCode(*a.Country) {
		faults = append(faults, failure.Invalid(at+"country", "must be an ISO 3166-1 alpha-2 code"))
	}
	if text(a.Country) == "BR" {
		faults = append(faults, a.checkBrazilian(at)...)
	}
	return faults
}

func (a *Address) checkBrazilian(at string) failure.List {
	var faults failure.List
	if text(a.PostalCode) != "" && !brazilianPostalCode.MatchString(*a.PostalCode) {
		faults = append(faults, failure.Invalid(at+"postal_code", "must be eight digits with an optional dash after the fifth"))
	}
	if text(a.State) != "" && !slices.Contains(brazilianStates, *a.State) {
		faults = append(faults, failure.Invalid(at+"state", "must be a Brazilian state, such as SP"))
	}
	return faults
}

func checkText(param string, value *string) failure.List {
	return failure.Text(param, text(value), maxText)
}

// ValidEmail says the text is one bare RFC 5322 addr-spec.
func ValidEmail(s string) bool {
	address, err := mail.ParseAddress(s)
	return err == nil && address.Address == s && len(s) <= 256
}
