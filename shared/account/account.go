// Package account has an operator's data about a merchant: profile, persons and sign-up (contract §7.1, §13.5). Not
// every request needs this data, so it is not part of the merchant. Operators change it with Account.Merge. The
// merchant cannot change it. Live and test mode share it.
package account

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/merchant"
)

// Account is the onboarding data of one merchant, as stored and as operators write it. All fields are optional.
type Account struct {
	Profile     Profile              `dynamo:"profile" json:"merchant_profile,omitzero"`
	Persons     []Person             `dynamo:"persons,omitempty" json:"persons,omitempty" validate:"items=32"`
	SignupFlows []SignupFlow         `dynamo:"signup_flows,omitempty" json:"signup_flows,omitempty" validate:"items=32"`
	AppSettings merchant.AppSettings `dynamo:"app_settings" json:"app_settings,omitzero"` // the owner's settings

	// BusinessType is sole_trader, company, …
	BusinessType string `dynamo:"business_type,omitempty" json:"business_type,omitzero" validate:"text=64"`
	Alias        string `dynamo:"alias,omitempty" json:"alias,omitzero" validate:"text=150"`
	Avatar       string `dynamo:"avatar,omitempty" json:"avatar,omitzero" validate:"http-url"`
	// Meta has entries of the operator's applications.
	Meta map[string]string `dynamo:"meta,omitempty" json:"meta,omitempty" validate:"own"`

	UpdatedAt time.Time `dynamo:"updated_at" json:"-"`
	Version   int       `dynamo:"version" json:"-"` // version of the stored item, from 1; 0: nothing is stored
}

// SignupFlow is the state of a merchant in one of the operator's sign-ups.
type SignupFlow struct {
	ID    int64  `dynamo:"id" json:"id" validate:"required min=1 max=9007199254740991"`
	Name  string `dynamo:"name" json:"name" validate:"required text=64"`
	State string `dynamo:"state" json:"state" validate:"required text=64"`
}

// Identifier is a number in a register, such as {"br.cpf", "111.444.777-35"}. Its Ref names country and register.
type Identifier struct {
	Ref   string `dynamo:"ref" json:"ref" validate:"required pattern=^[a-z]{2}\\.[a-z0-9_]{1,60}$"`
	Value string `dynamo:"value" json:"value" validate:"required text=64 own"`
}

// Holder returns the person who holds the account. It returns false if no holder is recorded.
func (a Account) Holder() (Person, bool) {
	for _, p := range a.Persons {
		if p.AccountHolder {
			return p, true
		}
	}
	return Person{}, false
}

// Person returns the person with the id. It returns false if no person has the id.
func (a Account) Person(id string) (Person, bool) {
	for _, p := range a.Persons {
		if p.ID == id {
			return p, true
		}
	}
	return Person{}, false
}

// Owners returns the persons who own a share of the business.
func (a Account) Owners() []Person {
	var owners []Person
	for _, p := range a.Persons {
		if p.Ownership.Share > 0 {
			owners = append(owners, p)
		}
	}
	return owners
}

// CopiedToMerchant returns the facts that the account's merchant has a copy of.
func (a Account) CopiedToMerchant() merchant.Copied {
	return merchant.Copied{AdvancedMode: a.AppSettings.InAdvancedMode(), Trade: a.Profile.Trade()}
}
