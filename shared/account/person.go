package account

import (
	"crypto/rand"
	"encoding/base32"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// Person represents, owns or manages a merchant. The personal profile and the business owners of contract §7.1 are
// persons, too. So each person is recorded only once.
type Person struct {
	// ID may be "" in a change. Merge then sets it.
	ID string `dynamo:"id" json:"id,omitzero" validate:"pattern=^pers_[0-9a-z]{26}$"`
	// AccountHolder marks the person of the personal profile.
	AccountHolder bool `dynamo:"account_holder,omitempty" json:"account_holder,omitzero"`

	GivenName   string `dynamo:"given_name,omitempty" json:"given_name,omitzero" validate:"text=60"`
	MiddleName  string `dynamo:"middle_name,omitempty" json:"middle_name,omitzero" validate:"text=60"`
	FamilyName  string `dynamo:"family_name,omitempty" json:"family_name,omitzero" validate:"text=60"`
	Birthdate   string `dynamo:"birthdate,omitempty" json:"birthdate,omitzero" validate:"date own"`
	PhoneNumber string `dynamo:"phone_number,omitempty" json:"phone_number,omitzero" validate:"phone"`

	Relationships []Relationship   `dynamo:"relationships,omitempty" json:"relationships,omitempty" validate:"items=1"`
	Ownership     Ownership        `dynamo:"ownership" json:"ownership,omitzero"`
	Address       merchant.Address `dynamo:"address" json:"address,omitzero"`
	// Identifiers are numbers in registers. The first is the national id.
	Identifiers []Identifier `dynamo:"identifiers,omitempty" json:"identifiers,omitempty" validate:"items=32"`

	// Countries, as ISO 3166-1 codes.
	Citizenship        string `dynamo:"citizenship,omitempty" json:"citizenship,omitzero" validate:"country"`
	Nationality        string `dynamo:"nationality,omitempty" json:"nationality,omitzero" validate:"country"`
	CountryOfResidence string `dynamo:"country_of_residence,omitempty" json:"country_of_residence,omitzero" validate:"country"` //nolint:lll // a tag is one line
}

// Relationship is a person's role at a merchant (contract §13.5).
type Relationship string

// The relationships.
const (
	Representative Relationship = "representative"
	Owner          Relationship = "owner"
	Officer        Relationship = "officer"
)

// Values returns all relationships.
func (Relationship) Values() []string {
	return []string{string(Representative), string(Owner), string(Officer)}
}

// Ownership is a share of the business, in thousandths of a percent: 25000 to 100000. 0 means no share.
type Ownership struct {
	Share int `dynamo:"share,omitempty" json:"share,omitzero" validate:"min=25000 max=100000"`
}

// Percent returns the share in percent, such as 33.333.
func (o Ownership) Percent() money.Decimal {
	const thousandths = 3
	return money.NewDecimal(int64(o.Share), thousandths)
}

// newPersonID returns a random id: pers_ and 26 characters with 128 bits.
func newPersonID() string {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	text := base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString(random[:])
	return "pers_" + strings.ToLower(text)
}

// NationalID returns the person's number in their country. It returns "" if no number is recorded.
func (p Person) NationalID() string {
	if len(p.Identifiers) == 0 {
		return ""
	}
	return p.Identifiers[0].Value
}

// Complete returns true if a personal profile has all the fields that contract §13.9 requires.
func (p Person) Complete() bool {
	return p.GivenName != "" && p.FamilyName != "" && p.Birthdate != "" && p.PhoneNumber != "" &&
		p.Address.Line1 != "" && p.Address.City != "" && p.Address.PostCode != "" && p.Address.Country != ""
}

// Rule returns the fault of the birth date, or "".
func (p Person) Rule(_ string, now time.Time) string { return validate.BirthDate(p.Birthdate, now) }
