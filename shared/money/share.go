package money

import (
	"errors"

	"github.com/govalues/decimal"
)

// ErrRate reports text that is not a plain decimal fraction.
var ErrRate = errors.New("not a decimal rate")

// Times is the amount multiplied by a rate such as "0.0195", rounded half to
// even to the currency's scale (contract §2.4). Errors: ErrRate, ErrRange.
func (a Amount) Times(rate string) (Amount, error) {
	if !plain(rate) {
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

// Split divides the amount into n parts that sum to it exactly: equal ones,
// rounded towards zero, of which the last takes the rest (contract §6.7).
// n below 1 counts as 1.
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

// Smallest is one minor unit of c.
func Smallest(c Currency) Amount { return FromMinor(1, c) }

// FromMinor is the amount of so many minor units.
func FromMinor(minor int64, c Currency) Amount {
	return Amount{value: decimal.MustNew(minor, c.Scale()), currency: c}
}
