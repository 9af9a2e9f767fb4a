package money_test

import (
	"errors"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/money"
)

func TestTimes_HalfToEven(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		amount   string
		currency money.Currency
		rate     string
		want     string
	}{
		{"10.10", "EUR", "0.0195", "0.20"}, // 0.19695
		{"0.01", "EUR", "0.5", "0.00"},     // 0.005 rounds to the even cent
		{"0.03", "EUR", "0.5", "0.02"},     // 0.015
		{"0.05", "EUR", "0.5", "0.02"},     // 0.025
		{"-0.03", "EUR", "0.5", "-0.02"},
		{"1.00", "EUR", "0.0250000001", "0.03"}, // above the half
		{"1", "HUF", "0.5", "0"},
		{"3", "HUF", "0.5", "2"},
		{"999999999.99", "EUR", "1", "999999999.99"},
		{"999999999.99", "BRL", "0.0195", "19500000.00"},
		{"10.00", "EUR", "0", "0.00"},
	} {
		got, err := money.MustParse(test.amount, test.currency).Times(test.rate)
		if err != nil || got != money.MustParse(test.want, test.currency) {
			t.Errorf("%s %s × %s: got %s, %v, want %s", test.amount, test.currency, test.rate, got, err, test.want)
		}
	}
}

func TestTimes_NotARate(t *testing.T) {
	t.Parallel()
	for _, rate := range []string{"", "1.95%", "1e-2", ".5", "+1", "0,5", "NaN", "½"} {
		if got, err := money.MustParse("10.00", "EUR").Times(rate); !errors.Is(err, money.ErrRate) {
			t.Errorf("× %q: got %s, %v, want %v", rate, got, err, money.ErrRate)
		}
	}
}

// TestTimes_Exact compares products with exact rationals, for every rate with as many decimals as contracts use.
func TestTimes_Exact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(currencies).Draw(t, "currency")
		a := amounts(c).Draw(t, "amount")
		scale := rapid.IntRange(0, 6).Draw(t, "decimals")
		rate := decimalText(rapid.Int64Range(0, 999_999).Draw(t, "rate")%pow10(scale), scale)
		got, err := a.Times(rate)
		if err != nil {
			t.Fatalf("%s × %s: got error %v, want none", a, rate, err)
		}
		factor, _ := new(big.Rat).SetString(rate)
		exact := factor.Mul(factor, new(big.Rat).SetInt64(a.Minor()))
		if want := halfEven(exact); got.Minor() != want || got.Currency() != c {
			t.Fatalf("%s %s × %s: got %s %s, want %d minor units of the same", a, c, rate, got, got.Currency(), want)
		}
	})
}

func pow10(n int) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}

// halfEven rounds half to even, to a whole number.
func halfEven(r *big.Rat) int64 {
	floor := new(big.Int).Div(r.Num(), r.Denom())
	rest := new(big.Rat).Sub(r, new(big.Rat).SetInt(floor))
	switch rest.Cmp(big.NewRat(1, 2)) {
	case 1:
		return floor.Int64() + 1
	case 0:
		return floor.Int64() + floor.Int64()&1
	default:
		return floor.Int64()
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		amount   string
		currency money.Currency
		n        int
		want     []string
	}{
		{"10.00", "EUR", 1, []string{"10.00"}},
		{"10.00", "EUR", 0, []string{"10.00"}},
		{"10.00", "EUR", -3, []string{"10.00"}},
		{"10.00", "BRL", 3, []string{"3.33", "3.33", "3.34"}},
		{"-10.00", "BRL", 3, []string{"-3.33", "-3.33", "-3.34"}},
		{"0.02", "EUR", 3, []string{"0.00", "0.00", "0.02"}},
		{"10", "CLP", 4, []string{"2", "2", "2", "4"}},
		{"0.00", "EUR", 2, []string{"0.00", "0.00"}},
	} {
		got := money.MustParse(test.amount, test.currency).Split(test.n)
		if len(got) != len(test.want) {
			t.Errorf("%s in %d: got %v, want %v", test.amount, test.n, got, test.want)
			continue
		}
		for i, part := range got {
			if part != money.MustParse(test.want[i], test.currency) {
				t.Errorf("%s in %d: got %v, want %v", test.amount, test.n, got, test.want)
			}
		}
	}
}

func TestSplit_SumOfParts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(currencies).Draw(t, "currency")
		whole, n := amounts(c).Draw(t, "whole"), rapid.IntRange(1, 48).Draw(t, "parts")
		parts := whole.Split(n)
		sum := money.Zero(c)
		for i, part := range parts {
			sum = plus(t, sum, part)
			if part.Sign()*whole.Sign() < 0 || (i < n-1 && part != parts[0]) {
				t.Fatalf("%s in %d: got %v, want equal parts of its sign, but for the last", whole, n, parts)
			}
		}
		if over := parts[n-1].Minor() - parts[0].Minor(); len(parts) != n || sum != whole ||
			over <= -int64(n) || over >= int64(n) {
			t.Fatalf("%s in %d: got %v, together %s, want as many, of that sum, the last less than %d minor units off", whole,
				n, parts, sum, n)
		}
	})
}
