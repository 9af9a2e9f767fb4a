package merchants

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// changesDone is the change_status of every object here, because an operator's change takes effect at once.
const changesDone = "done"

type versionRequest struct {
	Version string `query:"version" validate:"one-of=latest"` // no other version is kept
}

type merchantView struct {
	MerchantCode string            `json:"merchant_code"`
	Country      string            `json:"country"`
	Currency     money.Currency    `json:"default_currency"`
	Locale       string            `json:"default_locale"`
	BusinessType string            `json:"business_type,omitempty"`
	Company      companyView       `json:"company"`
	Profile      businessView      `json:"business_profile"`
	Avatar       string            `json:"avatar,omitempty"`
	Alias        string            `json:"alias,omitempty"`
	Sandbox      bool              `json:"sandbox"`
	Meta         map[string]string `json:"meta,omitempty"`
	Classic      classicView       `json:"classic"`
	Version      string            `json:"version"`
	ChangeStatus string            `json:"change_status"`
	CreatedAt    rest.Timestamp    `json:"created_at"`
	UpdatedAt    rest.Timestamp    `json:"updated_at"`
}

type classicView struct {
	ID int64 `json:"id"`
}

type companyView struct {
	Name           string               `json:"name"`
	CategoryCode   string               `json:"merchant_category_code,omitempty"`
	LegalType      string               `json:"legal_type,omitempty"`
	Address        *placeView           `json:"address,omitempty"`
	TradingAddress *placeView           `json:"trading_address,omitempty"`
	Identifiers    []account.Identifier `json:"identifiers,omitempty"`
	PhoneNumber    string               `json:"phone_number,omitempty"`
	Website        string               `json:"website,omitempty"`
	Attributes     map[string]string    `json:"attributes,omitempty"`
}

type businessView struct {
	Name        string            `json:"name"`
	Descriptor  string            `json:"dynamic_descriptor,omitempty"`
	Website     string            `json:"website,omitempty"`
	Email       string            `json:"email,omitempty"`
	PhoneNumber string            `json:"phone_number,omitempty"`
	Address     *placeView        `json:"address,omitempty"`
	Branding    *account.Branding `json:"branding,omitempty"`
}

// placeView is an address of contract §13.5.
type placeView struct {
	StreetAddress []string `json:"street_address,omitempty"`
	PostCode      string   `json:"post_code,omitempty"`
	City          string   `json:"city,omitempty"`
	Region        string   `json:"region,omitempty"`
	Country       string   `json:"country"`
}

// retrieveMerchant returns the merchant with its company and business profile.
func (f family) retrieveMerchant(ctx context.Context, _ versionRequest) (merchantView, error) {
	show, err := f.readPresenter(ctx)
	m, a := show.merchant, show.account
	return merchantView{MerchantCode: m.Code, Country: m.Country, Currency: m.Currency,
		Locale: a.Profile.LocaleIn(m.Country), BusinessType: a.BusinessType, Company: company(m, a.Profile),
		Profile: business(m, a.Profile), Avatar: a.Avatar, Alias: a.Alias, Sandbox: m.Sandbox, Meta: a.Meta,
		Classic: classicView{payments.MerchantNumericID(m.Code)}, Version: strconv.Itoa(m.Version + a.Version),
		ChangeStatus: changesDone, CreatedAt: rest.Timestamp(m.CreatedAt), UpdatedAt: rest.Timestamp(updatedAt(m, a))}, err
}

// updatedAt returns when the operator last changed the merchant or its account.
func updatedAt(m merchant.Merchant, a account.Account) time.Time {
	latest := m.CreatedAt
	for _, at := range []time.Time{m.UpdatedAt, a.UpdatedAt} {
		if at.After(latest) {
			latest = at
		}
	}
	return latest
}

func company(m merchant.Merchant, p account.Profile) companyView {
	return companyView{Name: m.Name, CategoryCode: p.CategoryCode, LegalType: p.LegalType.Code,
		Address: place(p.Address, m.Country), TradingAddress: place(p.TradingAddress, m.Country),
		Identifiers: p.AllIdentifiers(m.Country), PhoneNumber: p.MobilePhone, Website: p.Website, Attributes: p.Attributes}
}

func business(m merchant.Merchant, p account.Profile) businessView {
	d := p.Shown(m)
	v := businessView{Name: d.BusinessName, Descriptor: d.Descriptor, Website: d.Website, Email: d.Email,
		PhoneNumber: d.PhoneNumber, Address: place(d.Address, m.Country)}
	if d.Branding != (account.Branding{}) {
		v.Branding = &d.Branding
	}
	return v
}

// place returns the view of an address; nil if there is none. in is the country of an address that names no country.
func place(a merchant.Address, in string) *placeView {
	if a == (merchant.Address{}) {
		return nil
	}
	v := placeView{PostCode: a.PostCode, City: a.City, Region: a.Region, Country: cmp.Or(a.Country, in)}
	for _, line := range []string{a.Line1, a.Line2} {
		if line != "" {
			v.StreetAddress = append(v.StreetAddress, line)
		}
	}
	return &v
}

type personRequest struct {
	versionRequest
	ID string `path:"person_id"`
}

// personView is a person of contract §13.5.
type personView struct {
	ID                 string                 `json:"id"`
	Birthdate          string                 `json:"birthdate,omitempty"`
	GivenName          string                 `json:"given_name,omitempty"`
	MiddleName         string                 `json:"middle_name,omitempty"`
	FamilyName         string                 `json:"family_name,omitempty"`
	PhoneNumber        string                 `json:"phone_number,omitempty"`
	Relationships      []account.Relationship `json:"relationships"`
	Ownership          *account.Ownership     `json:"ownership,omitempty"`
	Address            *placeView             `json:"address,omitempty"`
	Identifiers        []account.Identifier   `json:"identifiers"`
	Citizenship        string                 `json:"citizenship,omitempty"`
	Nationality        string                 `json:"nationality,omitempty"`
	CountryOfResidence string                 `json:"country_of_residence,omitempty"`
	Version            string                 `json:"version"`
	ChangeStatus       string                 `json:"change_status"`
}

type personsView struct {
	Items []personView `json:"items"`
}

// listPersons lists the persons behind the merchant.
func (f family) listPersons(ctx context.Context, _ versionRequest) (personsView, error) {
	show, err := f.readPresenter(ctx)
	v := personsView{Items: make([]personView, len(show.account.Persons))}
	for i, p := range show.account.Persons {
		v.Items[i] = show.person(p)
	}
	return v, err
}

// retrievePerson returns a person behind the merchant.
func (f family) retrievePerson(ctx context.Context, req personRequest) (personView, error) {
	show, err := f.readPresenter(ctx)
	if err != nil {
		return personView{}, err
	}
	p, known := show.account.Person(req.ID)
	if !known {
		return personView{}, failure.NotFound("There is no such person.")
	}
	return show.person(p), nil
}

func (p presenter) person(of account.Person) personView {
	v := personView{ID: of.ID, Birthdate: of.Birthdate, GivenName: of.GivenName, MiddleName: of.MiddleName,
		FamilyName: of.FamilyName, PhoneNumber: of.PhoneNumber, Relationships: of.Relationships,
		Address: place(of.Address, cmp.Or(of.CountryOfResidence, p.merchant.Country)), Identifiers: of.Identifiers,
		Citizenship: of.Citizenship, Nationality: of.Nationality, CountryOfResidence: of.CountryOfResidence,
		Version: strconv.Itoa(p.account.Version), ChangeStatus: changesDone}
	if of.Ownership.Share > 0 {
		v.Ownership = &of.Ownership
	}
	if v.Relationships == nil {
		v.Relationships = []account.Relationship{}
	}
	if v.Identifiers == nil {
		v.Identifiers = []account.Identifier{}
	}
	return v
}
