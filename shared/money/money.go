// Package money holds exact amounts in the platform's currencies. Parse reads an amount from text. Amounts are
// decimals, never floats, from the request's text to the table's number and back.
package money

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/govalues/decimal"
)

// Currency is the ISO 4217 alphabetic code of a currency that the platform settles in.
type Currency string

// supported is contract §2.4's list, in the order shown to clients.
var supported = []Currency{
	"BGN", "BRL", "CHF", "CLP", "COP", "CZK", "DKK", "EUR",
	"GBP", "HRK", "HUF", "NOK", "PLN", "RON", "SEK", "USD",
}

// zeroScale lists the currencies that contract §2.4 counts in whole units. ISO 4217 gives COP and HUF two decimals.
var zeroScale = map[Currency]bool{"CLP": true, "COP": true, "HUF": true}

// ErrCurrency reports a code that is not in contract §2.4's list.
var ErrCurrency = errors.New("unsupported currency")

// ErrAmount reports text that is not a plain decimal number.
var ErrAmount = errors.New("not a decimal amount")

// ErrExponent is an ErrAmount for a number such as 1e1. JSON allows this form, but clients read money as decimal text
// (contract §2.4).
var ErrExponent = fmt.Errorf("%w: it has an exponent", ErrAmount)

// ErrScale reports more decimals than the currency has (contract §2.2).
var ErrScale = errors.New("more decimals than the currency has")

// ErrMismatch reports arithmetic across two currencies.
var ErrMismatch = errors.New("amounts are in different currencies")

// ErrRange reports an amount of more than 12 digits before the point, or a sum of more than 19 digits.
var ErrRange = errors.New("amount out of range")

// ParseCurrency returns the currency named by code, or ErrCurrency.
func ParseCurrency(code string) (Currency, error) {
	for _, c := range supported {
		if string(c) == code {
			return c, nil
		}
	}
	return "", ErrCurrency
}

// Scale returns the number of decimals of the minor unit. The contract lists the currencies that we need. A library of
// all currencies would cost each function a millisecond at its start.
func (c Currency) Scale() int {
	if zeroScale[c] {
		return 0
	}
	return 2
}

// Amount is an exact sum in major units of one currency, always padded to the currency's scale. The zero Amount has no
// currency and equals nothing.
type Amount struct {
	value    decimal.Decimal
	currency Currency
}

// maxValue is contract §4.1's ceiling for one payment.
var maxValue = decimal.MustParse("999999999.99")

// Parse reads text such as "10", "10.1" or "-3.50" as an amount. Errors: ErrAmount, ErrExponent, ErrScale, ErrRange.
func Parse(text string, c Currency) (Amount, error) {
	if hasExponent(text) {
		return Amount{}, ErrExponent
	}
	if !isPlain(text) {
		return Amount{}, ErrAmount
	}
	integer, fraction, _ := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	fraction = strings.TrimRight(fraction, "0")
	if len(fraction) > c.Scale() {
		return Amount{}, ErrScale
	}
	// decimal silently rounds numbers of more than 19 digits, so the length is checked first.
	if len(strings.TrimLeft(integer, "0")) > 12 {
		return Amount{}, ErrRange
	}
	d, err := decimal.Parse(text)
	if err != nil {
		return Amount{}, ErrAmount
	}
	return Amount{value: d.Trunc(c.Scale()).Pad(c.Scale()), currency: c}, nil
}

// isPlain returns true if text is digits with an optional sign and fraction: no exponent, no leading plus, no blank.
func isPlain(text string) bool {
	integer, fraction, hasPoint := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	if integer == "" || (hasPoint && fraction == "") || len(text) > 40 {
		return false
	}
	return strings.Trim(integer+fraction, "0123456789") == ""
}

// hasExponent returns true if the text is a number with an exponent: 1e1, -1.5E+2.
func hasExponent(text string) bool {
	mantissa, power, found := strings.Cut(strings.ToLower(text), "e")
	power = strings.TrimLeft(power, "+-")
	return found && isPlain(mantissa) && power != "" && strings.Trim(power, "0123456789") == ""
}

// Expected returns the message about a client's amount that Parse refused with err.
func Expected(err error) string {
	switch {
	case errors.Is(err, ErrExponent):
		return "must be written without an exponent, such as 10.00"
	case errors.Is(err, ErrScale):
		return "must have at most the currency's decimals"
	case errors.Is(err, ErrRange):
		return "must have at most 12 digits before the decimal point"
	default:
		return "must be a number, such as 10.00"
	}
}

// MustParse parses a constant as Parse does. It panics if Parse returns an error.
func MustParse(text string, c Currency) Amount {
	a, err := Parse(text, c)
	if err != nil {
		panic(fmt.Sprintf("money: %q %s: %v", text, c, err))
	}
	return a
}

// Zero returns the amount 0 in c.
func Zero(c Currency) Amount { return MustParse("0", c) }

// Currency returns the amount's currency.
func (a Amount) Currency() Currency { return a.currency }

// IsZero returns true if the amount is zero.
func (a Amount) IsZero() bool { return a.value.IsZero() }

// Sign returns -1, 0 or 1.
func (a Amount) Sign() int { return a.value.Sign() }

// TooLarge returns true if the amount exceeds the ceiling of contract §4.1.
func (a Amount) TooLarge() bool { return a.value.Cmp(maxValue) > 0 }

// Cmp compares two amounts of one currency. For different currencies it returns ErrMismatch.
func (a Amount) Cmp(b Amount) (int, error) {
	if a.currency != b.currency {
		return 0, ErrMismatch
	}
	return a.value.Cmp(b.value), nil
}

// Add returns a + b. Errors: ErrMismatch; ErrRange for a sum of more than 19 digits.
func (a Amount) Add(b Amount) (Amount, error) {
	if a.currency != b.currency {
		return Amount{}, ErrMismatch
	}
	sum, err := a.value.AddExact(b.value, a.currency.Scale())
	if err != nil {
		return Amount{}, ErrRange
	}
	return Amount{value: sum, currency: a.currency}, nil
}

// Neg returns -a.
func (a Amount) Neg() Amount { return Amount{value: a.value.Neg(), currency: a.currency} }

// Sub returns a - b, with Add's errors.
func (a Amount) Sub(b Amount) (Amount, error) { return a.Add(b.Neg()) }

// Minor returns the amount in minor units (cents), as acquirers count.
func (a Amount) Minor() int64 {
	whole, frac, _ := a.value.Int64(a.currency.Scale())
	unit := int64(1)
	for range a.currency.Scale() {
		unit *= 10
	}
	return whole*unit + frac
}

// String returns the amount with exactly the currency's decimals: "10.10".
func (a Amount) String() string { return a.value.String() }

// Decimal is a decimal number that is not an amount, such as a rate. It is stored as text, so that no digit passes
// through a float. "" means unset.
type Decimal string

// NewDecimal returns value / 10^scale without trailing zeros, such as 33.3 for 33300 and 3. It panics if scale is not
// from 0 to 19.
func NewDecimal(value int64, scale int) Decimal {
	return Decimal(decimal.MustNew(value, scale).Trim(0).String())
}

// UnmarshalJSON reads a JSON number, or a string with a number. For anything else it returns ErrAmount.
func (d *Decimal) UnmarshalJSON(b []byte) error {
	var l Literal
	err := l.UnmarshalJSON(b)
	*d = Decimal(l)
	return err
}

// MarshalJSON writes a JSON number, or null if the decimal is unset.
func (d Decimal) MarshalJSON() ([]byte, error) {
	if d == "" {
		return []byte("null"), nil
	}
	return []byte(d), nil
}

// ErrRate reports text that is not a plain decimal fraction.
var ErrRate = errors.New("not a decimal rate")

// Times returns the amount multiplied by a rate such as "0.0195", rounded half to even to the currency's scale
// (contract §2.4). Errors: ErrRate, ErrRange.
func (a Amount) Times(rate string) (Amount, error) {
	if !isPlain(rate) {
		return Amount{}, ErrRate
	}
	factor, err := decimal.Parse(rate)
	if err != nil {
		return Amount{}, ErrRate
	}
	product, err := a.value.Mul(factor)
	if err != nil {
		return Amount{}, ErrRange
	}
	scale := a.currency.Scale()
	return Amount{value: product.Round(scale).Pad(scale), currency: a.currency}, nil
}

// Split divides the amount into n parts whose sum is exactly the amount. All parts are equal, rounded towards zero,
// except the last, which has the rest (contract §6.7). n below 1 counts as 1.
func (a Amount) Split(n int) []Amount {
	n = max(n, 1)
	parts := make([]Amount, n)
	each, rest := a.Minor()/int64(n), a.Minor()
	for i := range n - 1 {
		parts[i] = FromMinor(each, a.currency)
		rest -= each
	}
	parts[n-1] = FromMinor(rest, a.currency)
	return parts
}

// Smallest returns one minor unit of c.
func Smallest(c Currency) Amount { return FromMinor(1, c) }

// FromMinor returns the amount of the given number of minor units.
func FromMinor(minor int64, c Currency) Amount {
	return Amount{value: decimal.MustNew(minor, c.Scale()), currency: c}
}

// MarshalJSON writes a JSON number in major units without an exponent (contract §2.4). Another field has the currency.
func (a Amount) MarshalJSON() ([]byte, error) { return []byte(a.String()), nil }

// Attribute names of a stored amount; conditions address "<name>.v".
const (
	valueAttribute    = "v"
	currencyAttribute = "c"
)

// MarshalDynamo stores the currency, and the value as a number, so that conditions can compare it. DynamoDB trims
// trailing zeros; a read pads the value again by its currency.
func (a Amount) MarshalDynamo() (types.AttributeValue, error) {
	if a.currency == "" {
		return nil, nil
	}
	return &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{
		valueAttribute:    &types.AttributeValueMemberN{Value: a.String()},
		currencyAttribute: &types.AttributeValueMemberS{Value: string(a.currency)},
	}}, nil
}

// StoredNumber returns the value without the currency, for arithmetic on the stored "<name>.v".
func (a Amount) StoredNumber() types.AttributeValue {
	return &types.AttributeValueMemberN{Value: a.String()}
}

// UnmarshalDynamo reads what MarshalDynamo wrote.
func (a *Amount) UnmarshalDynamo(av types.AttributeValue) error {
	m, ok := av.(*types.AttributeValueMemberM)
	if !ok {
		return fmt.Errorf("money: stored amount is a %T", av)
	}
	v, okV := m.Value[valueAttribute].(*types.AttributeValueMemberN)
	c, okC := m.Value[currencyAttribute].(*types.AttributeValueMemberS)
	if !okV || !okC {
		return errors.New("money: stored amount without value or currency")
	}
	parsed, err := Parse(v.Value, Currency(c.Value))
	if err != nil {
		return fmt.Errorf("money: stored amount: %w", err)
	}
	*a = parsed
	return nil
}

// Literal is an amount as a client wrote it: a JSON number or a numeric string (contract §2.2). It becomes an Amount
// once the currency is known.
type Literal string

// UnmarshalJSON keeps the literal's text, so that no digit passes through a float.
func (l *Literal) UnmarshalJSON(b []byte) error {
	b = bytes.TrimSpace(b)
	if len(b) > 0 && b[0] == '"' {
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		if !isPlain(s) && !hasExponent(s) { // Literal.In returns ErrExponent for an exponent
			return ErrAmount
		}
		*l = Literal(s)
		return nil
	}
	if string(b) == "null" {
		return nil
	}
	var n json.Number
	if err := json.Unmarshal(b, &n); err != nil {
		return ErrAmount
	}
	*l = Literal(n)
	return nil
}

// In parses the literal as an amount of c, with Parse's errors.
func (l Literal) In(c Currency) (Amount, error) { return Parse(string(l), c) }
