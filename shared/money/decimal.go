package money

// Decimal is a decimal number that is no amount, such as a rate: as text, so that
// no digit passes through a float. "" is unset.
type Decimal string

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
