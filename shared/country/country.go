// Package country holds what merchants of a country have in common: the time
// zone of its capital, the language most of its people read, its names and its
// currency.
package country

import (
	"maps"
	"slices"
)

// details of one country.
type details struct {
	zone     string // of the capital (IANA time zone database, zone.tab)
	currency string // ISO 4217
	language string // BCP 47, without the country
	english  string
	native   string // in that language; "": the English name
}

// Zone is the IANA name of the time zone of the country's capital; "" for a
// country not listed. code is ISO 3166-1 alpha-2.
func Zone(code string) string { return table[code].zone }

// Locale is the country's BCP 47 language tag, such as de-DE; English, where
// the country is not listed.
func Locale(code string) string {
	if f, ok := table[code]; ok {
		return f.language + "-" + code
	}
	return "en-" + code
}

// Names are the country's names in English and in its own language; "" for a
// country not listed.
func Names(code string) (english, native string) {
	f := table[code]
	if f.native == "" {
		return f.english, f.english
	}
	return f.english, f.native
}

// Currency is the ISO 4217 code of the country's currency; "" for a country not
// listed.
func Currency(code string) string { return table[code].currency }

// Codes are the countries listed, in alphabetical order.
func Codes() []string { return slices.Sorted(maps.Keys(table)) }
