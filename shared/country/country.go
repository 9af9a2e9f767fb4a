// Package country has facts about countries: the time zone of the capital, the language that most people read, the
// names and the currency. Look them up by the ISO 3166-1 alpha-2 code.
package country

import (
	"maps"
	"slices"
)

// details has the facts about one country.
type details struct {
	zone     string // of the capital (IANA time zone database, zone.tab)
	currency string // ISO 4217
	language string // BCP 47, without the country
	english  string
	native   string // in the country's language; "": same as in English
}

// Zone returns the IANA time zone of the country's capital, or "" for a country that is not listed.
func Zone(code string) string { return table[code].zone }

// Locale returns the country's BCP 47 language tag, such as de-DE. For a country that is not listed the language is
// English.
func Locale(code string) string {
	if f, ok := table[code]; ok {
		return f.language + "-" + code
	}
	return "en-" + code
}

// Names returns the country's names in English and in its own language, or "" for a country that is not listed.
func Names(code string) (english, native string) {
	f := table[code]
	if f.native == "" {
		return f.english, f.english
	}
	return f.english, f.native
}

// Currency returns the ISO 4217 code of the country's currency, or "" for a country that is not listed.
func Currency(code string) string { return table[code].currency }

// Codes returns the listed countries in alphabetical order.
func Codes() []string { return slices.Sorted(maps.Keys(table)) }

// table has the countries where a served currency (contract §2.4) is legal tender, and the countries of SEPA. Languages
// and names are from the Unicode CLDR. golang.org/x/text knows all countries, but adds 2.6 MB to each binary.
var table = map[string]details{
	"AD": {"Europe/Andorra", "EUR", "ca", "Andorra", ""},
	"AL": {"Europe/Tirane", "ALL", "sq", "Albania", "Shqipëri"},
	"AS": {"Pacific/Pago_Pago", "USD", "en", "American Samoa", ""},
	"AT": {"Europe/Vienna", "EUR", "de", "Austria", "Österreich"},
	"AX": {"Europe/Mariehamn", "EUR", "sv", "Åland Islands", "Åland"},
	"BE": {"Europe/Brussels", "EUR", "nl", "Belgium", "België"},
	"BG": {"Europe/Sofia", "EUR", "bg", "Bulgaria", "България"},
	"BL": {"America/St_Barthelemy", "EUR", "fr", "St. Barthélemy", "Saint-Barthélemy"},
	"BQ": {"America/Kralendijk", "USD", "nl", "Caribbean Netherlands", "Caribisch Nederland"},
	"BR": {"America/Sao_Paulo", "BRL", "pt", "Brazil", "Brasil"},
	"BV": {"Europe/Oslo", "NOK", "nb", "Bouvet Island", "Bouvetøya"},
	"CH": {"Europe/Zurich", "CHF", "de", "Switzerland", "Schweiz"},
	"CL": {"America/Santiago", "CLP", "es", "Chile", ""},
	"CO": {"America/Bogota", "COP", "es", "Colombia", ""},
	"CY": {"Asia/Nicosia", "EUR", "el", "Cyprus", "Κύπρος"},
	"CZ": {"Europe/Prague", "CZK", "cs", "Czechia", "Česko"},
	"DE": {"Europe/Berlin", "EUR", "de", "Germany", "Deutschland"},
	"DG": {"Indian/Chagos", "USD", "en", "Diego Garcia", ""},
	"DK": {"Europe/Copenhagen", "DKK", "da", "Denmark", "Danmark"},
	"EC": {"America/Guayaquil", "USD", "es", "Ecuador", ""},
	"EE": {"Europe/Tallinn", "EUR", "et", "Estonia", "Eesti"},
	"ES": {"Europe/Madrid", "EUR", "es", "Spain", "España"},
	"FI": {"Europe/Helsinki", "EUR", "fi", "Finland", "Suomi"},
	"FM": {"Pacific/Pohnpei", "USD", "en", "Micronesia", ""},
	"FO": {"Atlantic/Faroe", "DKK", "fo", "Faroe Islands", "Føroyar"},
	"FR": {"Europe/Paris", "EUR", "fr", "France", ""},
	"GB": {"Europe/London", "GBP", "en", "United Kingdom", ""},
	"GF": {"America/Cayenne", "EUR", "fr", "French Guiana", "Guyane française"},
	"GG": {"Europe/Guernsey", "GBP", "en", "Guernsey", ""},
	"GI": {"Europe/Gibraltar", "GIP", "en", "Gibraltar", ""},
	"GL": {"America/Nuuk", "DKK", "kl", "Greenland", "Kalaallit Nunaat"},
	"GP": {"America/Guadeloupe", "EUR", "fr", "Guadeloupe", ""},
	"GR": {"Europe/Athens", "EUR", "el", "Greece", "Ελλάδα"},
	"GS": {"Atlantic/South_Georgia", "GBP", "en", "South Georgia & South Sandwich Islands", ""},
	"GU": {"Pacific/Guam", "USD", "en", "Guam", ""},
	"HR": {"Europe/Zagreb", "EUR", "hr", "Croatia", "Hrvatska"},
	"HT": {"America/Port-au-Prince", "USD", "fr", "Haiti", "Haïti"},
	"HU": {"Europe/Budapest", "HUF", "hu", "Hungary", "Magyarország"},
	"IC": {"Atlantic/Canary", "EUR", "es", "Canary Islands", "Canarias"},
	"IE": {"Europe/Dublin", "EUR", "en", "Ireland", ""},
	"IM": {"Europe/Isle_of_Man", "GBP", "en", "Isle of Man", ""},
	"IO": {"Indian/Chagos", "USD", "en", "British Indian Ocean Territory", ""},
	"IS": {"Atlantic/Reykjavik", "ISK", "is", "Iceland", "Ísland"},
	"IT": {"Europe/Rome", "EUR", "it", "Italy", "Italia"},
	"JE": {"Europe/Jersey", "GBP", "en", "Jersey", ""},
	"LI": {"Europe/Vaduz", "CHF", "de", "Liechtenstein", ""},
	"LT": {"Europe/Vilnius", "EUR", "lt", "Lithuania", "Lietuva"},
	"LU": {"Europe/Luxembourg", "EUR", "fr", "Luxembourg", ""},
	"LV": {"Europe/Riga", "EUR", "lv", "Latvia", "Latvija"},
	"MC": {"Europe/Monaco", "EUR", "fr", "Monaco", ""},
	"MD": {"Europe/Chisinau", "MDL", "ro", "Moldova", "Republica Moldova"},
	"ME": {"Europe/Podgorica", "EUR", "sr-Latn", "Montenegro", "Crna Gora"},
	"MF": {"America/Marigot", "EUR", "fr", "St. Martin", "Saint-Martin"},
	"MH": {"Pacific/Majuro", "USD", "en", "Marshall Islands", ""},
	"MK": {"Europe/Skopje", "MKD", "mk", "North Macedonia", "Северна Македонија"},
	"MP": {"Pacific/Saipan", "USD", "en", "Northern Mariana Islands", ""},
	"MQ": {"America/Martinique", "EUR", "fr", "Martinique", ""},
	"MT": {"Europe/Malta", "EUR", "mt", "Malta", ""},
	"NL": {"Europe/Amsterdam", "EUR", "nl", "Netherlands", "Nederland"},
	"NO": {"Europe/Oslo", "NOK", "nb", "Norway", "Norge"},
	"PA": {"America/Panama", "USD", "es", "Panama", "Panamá"},
	"PL": {"Europe/Warsaw", "PLN", "pl", "Poland", "Polska"},
	"PM": {"America/Miquelon", "EUR", "fr", "St. Pierre & Miquelon", "Saint-Pierre-et-Miquelon"},
	"PR": {"America/Puerto_Rico", "USD", "es", "Puerto Rico", ""},
	"PT": {"Europe/Lisbon", "EUR", "pt", "Portugal", ""},
	"PW": {"Pacific/Palau", "USD", "en", "Palau", ""},
	"RE": {"Indian/Reunion", "EUR", "fr", "Réunion", "La Réunion"},
	"RO": {"Europe/Bucharest", "RON", "ro", "Romania", "România"},
	"RS": {"Europe/Belgrade", "RSD", "sr", "Serbia", "Србија"},
	"SE": {"Europe/Stockholm", "SEK", "sv", "Sweden", "Sverige"},
	"SI": {"Europe/Ljubljana", "EUR", "sl", "Slovenia", "Slovenija"},
	"SJ": {"Arctic/Longyearbyen", "NOK", "nb", "Svalbard & Jan Mayen", "Svalbard og Jan Mayen"},
	"SK": {"Europe/Bratislava", "EUR", "sk", "Slovakia", "Slovensko"},
	"SM": {"Europe/San_Marino", "EUR", "it", "San Marino", ""},
	"SV": {"America/El_Salvador", "USD", "es", "El Salvador", ""},
	"TA": {"Atlantic/St_Helena", "GBP", "en", "Tristan da Cunha", ""},
	"TC": {"America/Grand_Turk", "USD", "en", "Turks & Caicos Islands", ""},
	"TF": {"Indian/Kerguelen", "EUR", "fr", "French Southern Territories", "Terres australes françaises"},
	"TL": {"Asia/Dili", "USD", "pt", "Timor-Leste", ""},
	"UM": {"Pacific/Wake", "USD", "en", "U.S. Outlying Islands", ""},
	"US": {"America/New_York", "USD", "en", "United States", ""},
	"VA": {"Europe/Vatican", "EUR", "it", "Vatican City", "Città del Vaticano"},
	"VG": {"America/Tortola", "USD", "en", "British Virgin Islands", ""},
	"VI": {"America/St_Thomas", "USD", "en", "U.S. Virgin Islands", ""},
	"XK": {"Europe/Belgrade", "EUR", "sq", "Kosovo", "Kosovë"},
	"YT": {"Indian/Mayotte", "EUR", "fr", "Mayotte", ""},
}
