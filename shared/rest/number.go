package rest

import (
	"strconv"
	"strings"
)

// canonicalNumber writes a JSON number as digits without zeros at either end
// and a power of ten, so that 10, 10.0 and 1e1 are one value. It works on the
// text: a float would equate different amounts, a big decimal would let
// 1e999999999 take memory.
func canonicalNumber(text string) string {
	mantissa, power, _ := strings.Cut(strings.ToLower(text), "e")
	sign := ""
	if rest, negative := strings.CutPrefix(mantissa, "-"); negative {
		sign, mantissa = "-", rest
	}
	integer, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(integer+fraction, "0")
	if digits == "" {
		return "0"
	}
	exponent := int64(-len(fraction))
	if power != "" {
		n, err := strconv.ParseInt(power, 10, 32)
		if err != nil {
			return text // beyond any amount: its text identifies it well enough
		}
		exponent += n
	}
	trimmed := strings.TrimRight(digits, "0")
	exponent += int64(len(digits) - len(trimmed))
	return sign + trimmed + "e" + strconv.FormatInt(exponent, 10)
}
