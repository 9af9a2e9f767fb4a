package page

import (
	"strings"

	"github.com/cashwrap/cashwrap/shared/money"
)

// noBreak is a space at which no line breaks.
const noBreak = "\u00a0"

// symbols are the symbols of currencies that most people know.
var symbols = map[money.Currency]string{"EUR": "€", "GBP": "£", "BRL": "R$", "USD": "US$"}

// Money returns an amount as people read it: €1,234.50 in English, 1.234,50 € in German, € 1.234,50 in Portuguese. For
// a currency without a symbol it uses the currency's code. The forms are those of the Unicode CLDR. The CLDR's library
// would add a millisecond to the start.
func Money(a money.Amount, l Language) string {
	symbol, known := symbols[a.Currency()]
	if !known {
		symbol = string(a.Currency())
	}
	number, sign := Number(a, l), ""
	if a.Sign() < 0 {
		number, sign = Number(a.Neg(), l), minus
	}
	switch {
	case l == German:
		return sign + number + noBreak + symbol
	case l == English && known:
		return sign + symbol + number
	default:
		return sign + symbol + noBreak + number
	}
}

const minus = "−"

// Number returns an amount as Money does, without the currency.
func Number(a money.Amount, l Language) string {
	thousands, point := ".", ","
	if l == English {
		thousands, point = ",", "."
	}
	digits, negative := strings.CutPrefix(a.String(), "-")
	whole, cents, hasCents := strings.Cut(digits, ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + thousands + whole[at:]
	}
	if hasCents {
		whole += point + cents
	}
	if negative {
		return minus + whole
	}
	return whole
}
