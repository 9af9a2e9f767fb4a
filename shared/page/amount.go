package page

import (
	"strings"

	"github.com/cashwrap/cashwrap/shared/money"
)

// noBreak joins what must stay on one line.
const noBreak = "\u00a0"

// Money is an amount as people read it: 1,234.56 EUR in English, 1.234,56 EUR in German and
// Portuguese, where reais are R$ 1.234,56.
func Money(a money.Amount, l Language) string {
	if a.Currency() == "BRL" && l == Portuguese {
		return "R$" + noBreak + Number(a, l)
	}
	return Number(a, l) + noBreak + string(a.Currency())
}

// Number is Money without the currency.
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
		return "−" + whole
	}
	return whole
}
