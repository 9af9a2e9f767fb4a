package attr

import (
	"bytes"
	"strings"

	"github.com/cockroachdb/apd/v3"
)

// Limits of numbers (Developer Guide, "Data types"): 38 significant digits, magnitudes from 1E-130 to 9.99…E+125.
const (
	maxDigits   = 38
	maxExponent = 126  // e in 0.ddd × 10^e
	minExponent = -129 // e of the smallest number
)

// Number parses any notation that the service accepts. The returned N has the canonical text, without exponent.
func Number(text string) (Value, error) {
	mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
	d, _, err := apd.NewFromString(text)
	if err != nil || d.Form != apd.Finite || strings.LastIndexAny(mantissa, "+-") > 0 { // apd accepts .-5, read as 0.-5
		return Value{}, errNotANumber
	}
	return newNumber(d)
}

func newNumber(d *apd.Decimal) (Value, error) {
	d.Reduce(d)
	digits := d.NumDigits()
	switch exponent := digits + int64(d.Exponent); {
	case d.IsZero():
		return Value{kind: N, text: "0"}, nil
	case digits > maxDigits:
		return Value{}, errPrecision
	case exponent > maxExponent:
		return Value{}, errOverflow
	case exponent < minExponent:
		return Value{}, errUnderflow
	}
	return Value{kind: N, text: d.Text('f')}, nil
}

// decimal is ±0.digits × 10^exp. digits has no leading or trailing zeros, and is empty for zero.
type decimal struct {
	negative bool
	digits   string
	exp      int
}

// canonicalDecimal splits the canonical text of a number into sign, digits and exponent.
func canonicalDecimal(text string) decimal {
	rest, negative := strings.CutPrefix(text, "-")
	whole, fraction, _ := strings.Cut(rest, ".")
	significant := strings.TrimLeft(whole+fraction, "0")
	return decimal{negative, strings.TrimRight(significant, "0"), len(significant) - len(fraction)}
}

// compareNumbers compares two canonical texts by value.
func compareNumbers(a, b string) int {
	if a == b {
		return 0
	}
	var x, y [64]byte // avoids allocation
	return bytes.Compare(appendNumberKey(x[:0], canonicalDecimal(a)), appendNumberKey(y[:0], canonicalDecimal(b)))
}

// Add returns a + b exactly. It fails if the sum has more than 38 digits or is out of range.
func Add(a, b Value) (Value, error) { return combine(a, b, (*apd.Context).Add) }

// Subtract returns a − b exactly. It fails like Add.
func Subtract(a, b Value) (Value, error) { return combine(a, b, (*apd.Context).Sub) }

func combine(a, b Value, op func(c *apd.Context, d, x, y *apd.Decimal) (apd.Condition, error)) (Value, error) {
	x, _, _ := apd.NewFromString(a.text) // canonical text always parses
	y, _, _ := apd.NewFromString(b.text)
	if _, err := op(&apd.BaseContext, x, x, y); err != nil {
		panic("dynamodb: an exact sum: " + err.Error())
	}
	return newNumber(x)
}

// numberSize returns the size of a number in bytes. The service stores pairs of digits, aligned on the decimal point.
func numberSize(text string) int {
	d := canonicalDecimal(text)
	if d.digits == "" {
		return 1
	}
	// Digit n belongs to pair n >> 1. The shift rounds down, so this holds for negative n, too.
	size := 2 + (d.exp-1)>>1 - (d.exp-len(d.digits))>>1
	if d.negative {
		size++
	}
	return size
}
