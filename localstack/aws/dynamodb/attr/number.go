package attr

import (
	"bytes"
	"math/big"
	"strconv"
	"strings"
)

// The range of a DynamoDB number: 38 significant digits, magnitudes from
// 1E-130 to 9.99…E+125 (Developer Guide, "Data types").
const (
	maxDigits   = 38
	maxExponent = 126  // of 0.ddd × 10^e
	minExponent = -129 // the same for the smallest
)

// decimal is ±0.digits × 10^exp. digits has neither leading nor trailing
// zeros; zero has no digits at all.
type decimal struct {
	negative bool
	digits   string
	exp      int
}

// Number makes an N from any notation the service takes: a sign, digits with
// at most one point, an exponent. It keeps the canonical one.
func Number(text string) (Value, error) {
	d, err := parseDecimal(text)
	if err != nil {
		return Value{}, err
	}
	if err := d.check(); err != nil {
		return Value{}, err
	}
	return Value{kind: N, text: d.canonical(text)}, nil
}

func parseDecimal(text string) (decimal, error) {
	var d decimal
	rest := text
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		d.negative = rest[0] == '-'
		rest = rest[1:]
	}
	exponent := 0
	if i := strings.IndexAny(rest, "eE"); i >= 0 {
		e, err := strconv.Atoi(rest[i+1:])
		if err != nil {
			return d, errNotANumber
		}
		exponent, rest = e, rest[:i]
	}
	whole, fraction, _ := strings.Cut(rest, ".")
	if whole+fraction == "" || !allDigits(whole) || !allDigits(fraction) {
		return d, errNotANumber
	}
	return d.normalise(whole, fraction, exponent), nil
}

func allDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

func (d decimal) normalise(whole, fraction string, exponent int) decimal {
	digits, point := whole+fraction, len(whole)
	significant := strings.TrimLeft(digits, "0")
	point -= len(digits) - len(significant)
	d.digits = strings.TrimRight(significant, "0")
	if d.digits == "" {
		return decimal{}
	}
	d.exp = point + exponent
	return d
}

func (d decimal) check() error {
	switch {
	case len(d.digits) > maxDigits:
		return errPrecision
	case d.digits == "":
		return nil
	case d.exp > maxExponent:
		return errOverflow
	case d.exp < minExponent:
		return errUnderflow
	}
	return nil
}

// canonical writes d without exponent, as the service returns numbers. When
// given is already in that form, it is returned, which saves an allocation.
func (d decimal) canonical(given string) string {
	if d.digits == "" {
		return "0"
	}
	var b strings.Builder
	if d.negative {
		b.WriteByte('-')
	}
	switch {
	case d.exp <= 0:
		b.WriteString("0.")
		b.WriteString(strings.Repeat("0", -d.exp))
		b.WriteString(d.digits)
	case d.exp >= len(d.digits):
		b.WriteString(d.digits)
		b.WriteString(strings.Repeat("0", d.exp-len(d.digits)))
	default:
		b.WriteString(d.digits[:d.exp])
		b.WriteByte('.')
		b.WriteString(d.digits[d.exp:])
	}
	if b.String() == given {
		return given
	}
	return b.String()
}

// canonicalDecimal reads back what canonical wrote.
func canonicalDecimal(text string) decimal {
	d, _ := parseDecimal(text) // canonical text always parses
	return d
}

// compareNumbers orders two canonical decimals by value.
func compareNumbers(a, b string) int {
	if a == b {
		return 0
	}
	var x, y [64]byte // on the stack
	return bytes.Compare(appendNumberKey(x[:0], canonicalDecimal(a)), appendNumberKey(y[:0], canonicalDecimal(b)))
}

// Add is a + b, exactly; it fails when the sum has more than 38 digits or
// leaves the range.
func Add(a, b Value) (Value, error) { return combine(a, b, (*big.Int).Add) }

// Subtract is a − b, exactly; it fails like Add.
func Subtract(a, b Value) (Value, error) { return combine(a, b, (*big.Int).Sub) }

func combine(a, b Value, op func(z, x, y *big.Int) *big.Int) (Value, error) {
	_, fractionA, _ := strings.Cut(a.text, ".")
	_, fractionB, _ := strings.Cut(b.text, ".")
	places := max(len(fractionA), len(fractionB))
	x, y := scaled(a.text, places), scaled(b.text, places)
	return Number(op(x, x, y).String() + "e-" + strconv.Itoa(places))
}

// scaled returns the canonical decimal × 10^places, an integer.
func scaled(text string, places int) *big.Int {
	whole, fraction, _ := strings.Cut(text, ".")
	n, _ := new(big.Int).SetString(whole+fraction+strings.Repeat("0", places-len(fraction)), 10)
	return n
}

// numberSize counts pairs of digits as aligned on the decimal point, which is
// how the service stores them.
func numberSize(text string) int {
	d := canonicalDecimal(text)
	if d.digits == "" {
		return 1
	}
	// n >> 1 is the index of the pair that holds digit n, for negative n too.
	size := 2 + (d.exp-1)>>1 - (d.exp-len(d.digits))>>1
	if d.negative {
		size++
	}
	return size
}
