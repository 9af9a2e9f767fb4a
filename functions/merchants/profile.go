package merchants

import (
	"cmp"
	"context"
	"time"

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/country"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// presenter shows a merchant's account, with the parts that a request includes.
type presenter struct {
	merchant merchant.Merchant
	account  account.Account
	include  parts
	persons  bool // the caller may see the data of the persons behind the merchant
	now      time.Time
}

// personalView is the personal profile, of the account holder (contract §7.1).
type personalView struct {
	FirstName   string       `json:"first_name,omitempty"`
	LastName    string       `json:"last_name,omitempty"`
	DateOfBirth string       `json:"date_of_birth,omitempty"`
	MobilePhone string       `json:"mobile_phone,omitempty"`
	NationalID  string       `json:"national_id,omitempty"`
	Address     *addressView `json:"address,omitempty"`
	Complete    bool         `json:"complete"`
}

// profileView is the merchant profile (contract §7.1).
type profileView struct {
	MerchantCode       string         `json:"merchant_code"`
	CompanyName        string         `json:"company_name"`
	Website            string         `json:"website,omitempty"`
	LegalType          *legalTypeView `json:"legal_type,omitempty"`
	CategoryCode       string         `json:"merchant_category_code,omitempty"`
	MobilePhone        string         `json:"mobile_phone,omitempty"`
	RegistrationNumber string         `json:"company_registration_number,omitempty"`
	VATID              string         `json:"vat_id,omitempty"`
	CertificateCode    *string        `json:"permanent_certificate_access_code"`
	NatureAndPurpose   string         `json:"nature_and_purpose,omitempty"`
	Address            addressView    `json:"address"`
	BusinessOwners     []ownerView    `json:"business_owners,omitzero"` // [] if there are none; absent if they are hidden
	Locale             string         `json:"locale"`
	ExternalDeveloper  bool           `json:"extdev"`
	ZoneMigrated       bool           `json:"payout_zone_migrated"`
	Country            string         `json:"country"`

	DoingBusinessAs *doingBusinessAsView   `json:"doing_business_as,omitempty"`
	Settings        *merchant.SettingsView `json:"settings,omitempty"`
	BankAccounts    []bankAccountView      `json:"bank_accounts,omitzero"`
	VATRates        []vatRateView          `json:"vat_rates,omitzero"`
	Shelves         []shelfView            `json:"shelves,omitzero"`
}

type legalTypeView struct {
	ID              int64  `json:"id,omitempty"`
	Description     string `json:"description,omitempty"`
	FullDescription string `json:"full_description,omitempty"`
	SoleTrader      bool   `json:"sole_trader"`
}

type ownerView struct {
	FirstName   string        `json:"first_name,omitempty"`
	LastName    string        `json:"last_name,omitempty"`
	DateOfBirth string        `json:"date_of_birth,omitempty"`
	MobilePhone string        `json:"mobile_phone,omitempty"`
	Landline    string        `json:"landline,omitempty"`
	Ownership   money.Decimal `json:"ownership"` // percent
}

type doingBusinessAsView struct {
	BusinessName       string      `json:"business_name"`
	RegistrationNumber string      `json:"company_registration_number,omitempty"`
	VATID              string      `json:"vat_id,omitempty"`
	Website            string      `json:"website,omitempty"`
	Email              string      `json:"email"`
	Address            addressView `json:"address"`
}

// retrieveMyPersonalProfile returns the profile of the account holder.
func (f family) retrieveMyPersonalProfile(ctx context.Context, _ struct{}) (personalView, error) {
	show, err := f.readPresenter(ctx)
	return show.personal(), err
}

// retrieveMyMerchantProfile returns the merchant profile without the parts that retrieveMyAccount may include.
func (f family) retrieveMyMerchantProfile(ctx context.Context, _ struct{}) (profileView, error) {
	show, err := f.readPresenter(ctx)
	if err == nil {
		err = show.merchant.CheckProfileForRead()
	}
	return show.profile(merchant.Settings{}), err
}

// retrieveMyDoingBusinessAs returns the name and contact data under which the merchant does business.
func (f family) retrieveMyDoingBusinessAs(ctx context.Context, _ struct{}) (doingBusinessAsView, error) {
	show, err := f.readPresenter(ctx)
	if err == nil {
		err = show.merchant.CheckProfileForRead()
	}
	return show.doingBusinessAs(), err
}

func (f family) readPresenter(ctx context.Context, include ...part) (presenter, error) {
	m := rest.Merchant(ctx)
	a, err := f.store.Account(ctx, m.Code)
	return presenter{merchant: m, account: a, include: include, persons: rest.Caller(ctx).Has(identity.MembersRead),
		now: f.store.Now()}, err
}

// personal shows the account holder. A caller who may not see persons only learns if the profile is complete.
func (p presenter) personal() personalView {
	holder, known := p.account.Holder()
	if !known || !p.persons {
		return personalView{Complete: holder.Complete()}
	}
	v := personalView{FirstName: holder.GivenName, LastName: holder.FamilyName, DateOfBirth: holder.Birthdate,
		MobilePhone: holder.PhoneNumber, NationalID: holder.NationalID(), Complete: holder.Complete()}
	if holder.Address != (merchant.Address{}) {
		a := p.address(holder.Address, cmp.Or(holder.CountryOfResidence, p.merchant.Country))
		v.Address = &a
	}
	return v
}

func (p presenter) profile(s merchant.Settings) profileView {
	of, m := p.account.Profile, p.merchant
	v := profileView{MerchantCode: m.Code, CompanyName: m.Name, Website: of.Website, CategoryCode: of.CategoryCode,
		MobilePhone: of.MobilePhone, RegistrationNumber: of.RegistrationNumber, VATID: of.VATID,
		NatureAndPurpose: of.NatureAndPurpose, Address: p.address(of.Address, m.Country), BusinessOwners: p.owners(),
		Locale: of.LocaleIn(m.Country), ExternalDeveloper: of.ExternalDeveloper, ZoneMigrated: of.ZoneMigratedOrDefault(),
		Country: m.Country}
	if t := of.LegalType; t != (account.LegalType{}) {
		v.LegalType = &legalTypeView{ID: t.ID, Description: t.Description, FullDescription: t.FullDescription,
			SoleTrader: t.SoleTrader}
	}
	if of.CertificateCode != "" {
		v.CertificateCode = &of.CertificateCode
	}
	if p.include.has(withDoingBusinessAs) {
		shown := p.doingBusinessAs()
		v.DoingBusinessAs = &shown
	}
	if p.include.has(withSettings) {
		shown := s.View()
		v.Settings = &shown
	}
	if p.include.has(withVATRates) {
		v.VATRates = vatRates(of, m.Country)
	}
	if p.include.has(withShelves) {
		v.Shelves = shelves(of)
	}
	return v
}

// owners shows the persons with a share in the company. It returns nil to a caller who may not see persons.
func (p presenter) owners() []ownerView {
	if !p.persons {
		return nil
	}
	owners := p.account.Owners()
	shown := make([]ownerView, len(owners))
	for i, o := range owners {
		shown[i] = ownerView{FirstName: o.GivenName, LastName: o.FamilyName, DateOfBirth: o.Birthdate,
			MobilePhone: o.PhoneNumber, Landline: o.Address.Landline, Ownership: o.Ownership.Percent()}
	}
	return shown
}

func (p presenter) doingBusinessAs() doingBusinessAsView {
	d := p.account.Profile.Shown(p.merchant)
	return doingBusinessAsView{BusinessName: d.BusinessName, RegistrationNumber: d.RegistrationNumber, VATID: d.VATID,
		Website: d.Website, Email: d.Email, Address: p.address(d.Address, p.merchant.Country)}
}

// addressView is an address of contract §7.1.
type addressView struct {
	merchant.Address
	CountryDetails *countryView    `json:"country_details,omitempty"`
	TimeOffset     *timeOffsetView `json:"timeoffset_details,omitempty"`
}

type countryView struct {
	Currency    string `json:"currency,omitempty"`
	ISOCode     string `json:"iso_code"`
	EnglishName string `json:"en_name,omitempty"`
	NativeName  string `json:"native_name,omitempty"`
}

// timeOffsetView is the local time at an address (contract §13.9).
type timeOffsetView struct {
	PostCode string        `json:"post_code,omitempty"`
	Offset   money.Decimal `json:"offset"` // hours ahead of UTC, now
	DST      bool          `json:"dst"`    // includes daylight saving time
}

// address shows an address. The parameter in is the country of an address that names no country. Callers who may not
// see persons get no names.
func (p presenter) address(a merchant.Address, in string) addressView {
	a.Country = cmp.Or(a.Country, in)
	if !p.persons {
		a.FirstName, a.LastName = "", ""
	}
	v := addressView{Address: a}
	if p.include.has(withCountry) {
		english, native := country.Names(a.Country)
		v.CountryDetails = &countryView{Currency: country.Currency(a.Country), ISOCode: a.Country, EnglishName: english,
			NativeName: native}
	}
	if where := p.timeZone(a.Country); where != nil && p.include.has(withTimeOffset) {
		offset, dst := offsetAt(p.now, where)
		v.TimeOffset = &timeOffsetView{PostCode: a.PostCode, Offset: hours(offset), DST: dst}
	}
	return v
}

// timeZone returns the merchant's time zone for the merchant's country. For other countries it returns the capital's
// time zone, or nil if that is unknown.
func (p presenter) timeZone(code string) *time.Location {
	if code == p.merchant.Country {
		return p.merchant.Location()
	}
	name := country.Zone(code)
	if name == "" {
		return nil
	}
	return merchant.Merchant{TimeZone: name}.Location()
}

// offsetAt returns the offset from UTC in seconds. dst is true if the offset exceeds the year's least offset. The time
// zone database's own flag cannot be used, because it calls Ireland's winter "DST".
func offsetAt(now time.Time, where *time.Location) (offset int, dst bool) {
	_, offset = now.In(where).Zone()
	for _, month := range []time.Month{time.January, time.July} {
		if _, other := time.Date(now.In(where).Year(), month, 1, 12, 0, 0, 0, where).Zone(); other < offset {
			dst = true
		}
	}
	return offset, dst
}

// hours returns seconds as hours: 5.5 for 19800. Offsets are whole quarters of an hour.
func hours(seconds int) money.Decimal { return money.NewDecimal(int64(seconds)/36, 2) }
