package rest

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// canonicalNumber writes a JSON number as its digits, without zeros at either end, and a power of ten. So 10, 10.0 and
// 1e1 are equal. A float would make different amounts equal, and a big decimal would take memory for 1e999999999.
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
			return text // an exponent beyond any amount
		}
		exponent += n
	}
	trimmed := strings.TrimRight(digits, "0")
	exponent += int64(len(digits) - len(trimmed))
	return sign + trimmed + "e" + strconv.FormatInt(exponent, 10)
}

// maxZeros limits the zeros at the end of an integer: an int64 has up to 19 digits.
const maxZeros = 18

// integral drops the fraction of a JSON number if it is zero: 1500.0 and 1.5e3 are the integer 1500 (contract §2.2).
func integral(number jsontext.Value) jsontext.Value {
	digits, power, _ := strings.Cut(canonicalNumber(string(number)), "e")
	if zeros, err := strconv.Atoi(cmp.Or(power, "0")); err == nil && zeros >= 0 && zeros <= maxZeros {
		return jsontext.Value(digits + strings.Repeat("0", zeros))
	}
	return number
}
