package money

import "github.com/govalues/decimal"

// Decimal is a decimal number that is no amount, such as a rate: as text, so that
// no digit passes through a float. "" is unset.
type Decimal string

// NewDecimal is value / 10^scale without zeros at its end, such as 33.3 for 33300 and 3.
// It panics if scale is not from 0 to 19.
func NewDecimal(value int64, scale int) Decimal {
	return Decimal(decimal.MustNew(value, scale).Trim(0).String())
}

// UnmarshalJSON reads a JSON number, or one as text. Error: ErrAmount for
// anything else.
func (d *Decimal) UnmarshalJSON(b []byte) error {
	var l Literal
	err := l.UnmarshalJSON(b)
	*d = Decimal(l)
	return err
}

// MarshalJSON writes a JSON number; null when it is unset.
func (d Decimal) MarshalJSON() ([]byte, error) {
	if d == "" {
		return []byte("null"), nil
	}
	return []byte(d), nil
}
