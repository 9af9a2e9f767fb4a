package merchants

import (
	"cmp"
	"time"

	"github.com/cashwrap/cashwrap/shared/country"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
)

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
	DST      bool          `json:"dst"`    // whether that is daylight saving time
}

// address shows an address. Its country is in, unless the address names another. For a caller who may not see persons
// it leaves out the person's names.
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
	if where := p.place(a.Country); where != nil && p.include.has(withTimeOffset) {
		offset, dst := offsetAt(p.now, where)
		v.TimeOffset = &timeOffsetView{PostCode: a.PostCode, Offset: hours(offset), DST: dst}
	}
	return v
}

// place is the merchant's time zone in its own country, and that of the capital in
// others; nil in a country whose time zone is not known.
func (p presenter) place(code string) *time.Location {
	if code == p.merchant.Country {
		return p.merchant.Location()
	}
	name := country.Zone(code)
	if name == "" {
		return nil
	}
	return merchant.Merchant{TimeZone: name}.Location()
}

// offsetAt is the offset from UTC at the time, in seconds, and whether it is more
// than the least of that year. Ireland calls its winter time the daylight saving
// time, so what the time zone database calls so does not count.
func offsetAt(now time.Time, where *time.Location) (offset int, dst bool) {
	_, offset = now.In(where).Zone()
	for _, month := range []time.Month{time.January, time.July} {
		if _, other := time.Date(now.In(where).Year(), month, 1, 12, 0, 0, 0, where).Zone(); other < offset {
			dst = true
		}
	}
	return offset, dst
}

// hours are seconds as hours: 5.5 for 19800. Offsets are whole quarters of an hour.
func hours(seconds int) money.Decimal { return money.NewDecimal(int64(seconds)/36, 2) }
