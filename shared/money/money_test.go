package money_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/shared/money"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text     string
		currency money.Currency
		want     string // as printed
		fault    error
	}{
		{text: "10", currency: "EUR", want: "10.00"},
		{text: "10.1", currency: "EUR", want: "10.10"},
		{text: "10.10", currency: "EUR", want: "10.10"},
		{text: "10.100", currency: "EUR", want: "10.10"},
		{text: "0", currency: "EUR", want: "0.00"},
		{text: "-0.00", currency: "EUR", want: "0.00"},
		{text: "0.01", currency: "EUR", want: "0.01"},
		{text: "-3.5", currency: "EUR", want: "-3.50"},
		{text: "007.50", currency: "EUR", want: "7.50"},
		{text: "999999999.99", currency: "EUR", want: "999999999.99"},
		{text: "999999999999.99", currency: "EUR", want: "999999999999.99"},
		{text: "-999999999999.99", currency: "EUR", want: "-999999999999.99"},
		{text: "1." + strings.Repeat("0", 38), currency: "EUR", want: "1.00"},
		{text: strings.Repeat("0", 37) + "1.5", currency: "EUR", want: "1.50"},
		{text: "1500", currency: "CLP", want: "1500"},
		{text: "1500.00", currency: "COP", want: "1500"},
		{text: "-1500", currency: "HUF", want: "-1500"},

		{text: "1.239", currency: "EUR", fault: money.ErrScale},
		{text: "0.001", currency: "USD", fault: money.ErrScale},
		{text: "-0.001", currency: "USD", fault: money.ErrScale},
		{text: "1500.5", currency: "CLP", fault: money.ErrScale},
		{text: "1500.01", currency: "COP", fault: money.ErrScale},
		{text: "0.1", currency: "HUF", fault: money.ErrScale},

		{text: "1000000000000", currency: "EUR", fault: money.ErrRange},
		{text: "-1000000000000", currency: "CLP", fault: money.ErrRange},

		{text: "", currency: "EUR", fault: money.ErrAmount},
		{text: "-", currency: "EUR", fault: money.ErrAmount},
		{text: ".", currency: "EUR", fault: money.ErrAmount},
		{text: ".5", currency: "EUR", fault: money.ErrAmount},
		{text: "5.", currency: "EUR", fault: money.ErrAmount},
		{text: "+5", currency: "EUR", fault: money.ErrAmount},
		{text: "--5", currency: "EUR", fault: money.ErrAmount},
		{text: "5-", currency: "EUR", fault: money.ErrAmount},
		{text: "1e3", currency: "EUR", fault: money.ErrAmount},
		{text: "1E-2", currency: "EUR", fault: money.ErrAmount},
		{text: " 1", currency: "EUR", fault: money.ErrAmount},
		{text: "1\n", currency: "EUR", fault: money.ErrAmount},
		{text: "1,50", currency: "EUR", fault: money.ErrAmount},
		{text: "1.2.3", currency: "EUR", fault: money.ErrAmount},
		{text: "1_000", currency: "EUR", fault: money.ErrAmount},
		{text: "0x10", currency: "EUR", fault: money.ErrAmount},
		{text: "NaN", currency: "EUR", fault: money.ErrAmount},
		{text: "Infinity", currency: "EUR", fault: money.ErrAmount},
		{text: "١٢", currency: "EUR", fault: money.ErrAmount},
		{text: "0." + strings.Repeat("0", 39), currency: "EUR", fault: money.ErrAmount},
	} {
		got, err := money.Parse(c.text, c.currency)
		if !errors.Is(err, c.fault) || (c.fault == nil && got.String() != c.want) {
			t.Errorf("Parse(%q, %s): got %s, %v, want %s, %v", c.text, c.currency, got, err, c.want, c.fault)
		}
		if err != nil && got != (money.Amount{}) {
			t.Errorf("Parse(%q, %s), which failed: got %s, want no amount", c.text, c.currency, got)
		}
	}
}

// TestParseCurrency checks the list of contract §2.4 and the decimals of each currency.
func TestParseCurrency(t *testing.T) {
	t.Parallel()
	decimals := map[string]int{
		"BGN": 2, "BRL": 2, "CHF": 2, "CLP": 0, "COP": 0, "CZK": 2, "DKK": 2, "EUR": 2,
		"GBP": 2, "HRK": 2, "HUF": 0, "NOK": 2, "PLN": 2, "RON": 2, "SEK": 2, "USD": 2,
	}
	for code, want := range decimals {
		c, err := money.ParseCurrency(code)
		if err != nil || string(c) != code || c.Scale() != want {
			t.Errorf("%s: got %q with %d decimals, %v, want %d", code, c, c.Scale(), err, want)
		}
	}
	for _, code := range []string{"", "JPY", "KWD", "XXX", "eur", "EUR ", "EU", "€"} {
		if c, err := money.ParseCurrency(code); !errors.Is(err, money.ErrCurrency) || c != "" {
			t.Errorf("ParseCurrency(%q): got %q, %v, want %v", code, c, err, money.ErrCurrency)
		}
	}
}

func TestMinor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		amount money.Amount
		want   int64
	}{
		{money.MustParse("0", "EUR"), 0},
		{money.MustParse("0.01", "EUR"), 1},
		{money.MustParse("42.01", "EUR"), 4201},
		{money.MustParse("-42.01", "EUR"), -4201},
		{money.MustParse("-0.99", "EUR"), -99},
		{money.MustParse("1100", "CLP"), 1100},
		{money.MustParse("999999999999.99", "USD"), 99999999999999},
		{money.Amount{}, 0},
	} {
		if got := c.amount.Minor(); got != c.want {
			t.Errorf("%s %s: got %d minor units, want %d", c.amount, c.amount.Currency(), got, c.want)
		}
	}
}

func TestAmount_Arithmetic(t *testing.T) {
	t.Parallel()
	ten, third := money.MustParse("10", "EUR"), money.MustParse("3.33", "EUR")
	sum, err := ten.Add(third)
	if err != nil || sum.String() != "13.33" || sum.Currency() != "EUR" {
		t.Errorf("10 + 3.33: got %s %s, %v, want 13.33 EUR", sum, sum.Currency(), err)
	}
	difference, err := third.Sub(ten)
	if err != nil || difference.String() != "-6.67" || difference.Sign() != -1 {
		t.Errorf("3.33 - 10: got %s with sign %d, %v, want -6.67 with -1", difference, difference.Sign(), err)
	}
	if zero, err := ten.Sub(ten); err != nil || !zero.IsZero() || zero.String() != "0.00" || zero.Sign() != 0 {
		t.Errorf("10 - 10: got %s with sign %d, zero %t, %v, want 0.00 with 0, true", zero, zero.Sign(), zero.IsZero(), err)
	}
	for _, c := range []struct {
		a, b money.Amount
		want int
	}{{ten, third, 1}, {third, ten, -1}, {ten, money.MustParse("10.00", "EUR"), 0}} {
		if got, err := c.a.Cmp(c.b); err != nil || got != c.want {
			t.Errorf("%s against %s: got %d, %v, want %d", c.a, c.b, got, err, c.want)
		}
	}
}

func TestAmount_CurrencyMismatch(t *testing.T) {
	t.Parallel()
	euro := money.MustParse("10", "EUR")
	for _, other := range []money.Amount{money.MustParse("10", "USD"), money.Zero("CLP"), {}} {
		if sum, err := euro.Add(other); !errors.Is(err, money.ErrMismatch) {
			t.Errorf("EUR + %q: got %s, %v, want %v", other.Currency(), sum, err, money.ErrMismatch)
		}
		if difference, err := euro.Sub(other); !errors.Is(err, money.ErrMismatch) {
			t.Errorf("EUR - %q: got %s, %v, want %v", other.Currency(), difference, err, money.ErrMismatch)
		}
		if order, err := euro.Cmp(other); !errors.Is(err, money.ErrMismatch) {
			t.Errorf("EUR against %q: got %d, %v, want %v", other.Currency(), order, err, money.ErrMismatch)
		}
	}
}

func TestAdd_OutOfRange(t *testing.T) {
	t.Parallel()
	sum := money.MustParse("999999999999.99", "EUR")
	for range 64 {
		doubled, err := sum.Add(sum)
		if errors.Is(err, money.ErrRange) {
			return
		}
		if order, _ := doubled.Cmp(sum); err != nil || order <= 0 {
			t.Fatalf("%s + %s: got %s, %v, want a larger sum or %v", sum, sum, doubled, err, money.ErrRange)
		}
		sum = doubled
	}
	t.Errorf("got no error up to %s, want %v", sum, money.ErrRange)
}

// TestTooLarge checks the ceiling of one payment (contract §4.1).
func TestTooLarge(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"999999999.99": false, "1000000000": true, "0": false, "-1000000000": false,
	} {
		if got := money.MustParse(text, "EUR").TooLarge(); got != want {
			t.Errorf("%s: got too large %t, want %t", text, got, want)
		}
	}
	below, above := money.MustParse("999999999", "CLP").TooLarge(), money.MustParse("1000000000", "CLP").TooLarge()
	if below || !above {
		t.Errorf("999999999 and 1000000000 CLP: got too large %t and %t, want false and true", below, above)
	}
}

func TestMustParse_BadConstant(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("1.239 EUR: got no panic, want one")
		}
	}()
	money.MustParse("1.239", "EUR")
}
