package rest

import (
	"strconv"
	"strings"
)

// canonicalNumber writes a JSON number as digits without zeros at either end
// and a power of ten, so that 10, 10.0 and 1e1 are equal. It works on the text:
// a float would make different amounts equal, and a big decimal would take
// memory for 1e999999999.
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
			return text // beyond any amount: its text will do
		}
		exponent += n
	}
	trimmed := strings.TrimRight(digits, "0")
	exponent += int64(len(digits) - len(trimmed))
	return sign + trimmed + "e" + strconv.FormatInt(exponent, 10)
}
