package money_test

import (
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/guregu/dynamo/v2"
	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/money"
)

var currencies = []money.Currency{"EUR", "BRL", "CLP", "COP", "HUF", "USD"}

// amounts draws amounts of one currency. It draws minor units, so that the wanted value is known without package money.
func amounts(c money.Currency) *rapid.Generator[money.Amount] {
	return rapid.Map(rapid.Int64Range(-99_999_999_999, 99_999_999_999), func(minor int64) money.Amount {
		return money.MustParse(decimalText(minor, c.Scale()), c)
	})
}

func decimalText(minor int64, scale int) string {
	return new(big.Rat).SetFrac(big.NewInt(minor), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)),
		nil)).FloatString(scale)
}

func TestAmount_RoundTrips(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(currencies).Draw(t, "currency")
		minor := rapid.Int64Range(-99_999_999_999, 99_999_999_999).Draw(t, "minor")
		a := money.MustParse(decimalText(minor, c.Scale()), c)
		if a.Minor() != minor || a.String() != decimalText(minor, c.Scale()) {
			t.Fatalf("got %s, %d minor units, want %s, %d", a, a.Minor(), decimalText(minor, c.Scale()), minor)
		}
		body, err := json.Marshal(a)
		if err != nil || strings.ContainsAny(string(body), "eE+\"") {
			t.Fatalf("JSON of %s: got %s, %v, want a plain number", a, body, err)
		}
		back, err := readAmount(string(body), c)
		if err != nil || back != a {
			t.Fatalf("JSON %s: got %s, %v, want %s", body, back, err, a)
		}
		item, err := dynamo.MarshalItem(account{Balance: a})
		if err != nil {
			t.Fatal(err)
		}
		trimZeros(item)
		var stored account
		if err := dynamo.UnmarshalItem(item, &stored); err != nil || stored.Balance != a {
			t.Fatalf("table: got %s, %v, want %s", stored.Balance, err, a)
		}
	})
}

func TestAdd_MinorUnits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(currencies).Draw(t, "currency")
		x, y, z := amounts(c).Draw(t, "x"), amounts(c).Draw(t, "y"), amounts(c).Draw(t, "z")
		if got := plus(t, x, y); got.Minor() != x.Minor()+y.Minor() || got != plus(t, y, x) {
			t.Fatalf("%s + %s: got %s, the other way %s, want %d minor units", x, y, got, plus(t, y, x), x.Minor()+y.Minor())
		}
		if left, right := plus(t, plus(t, x, y), z), plus(t, x, plus(t, y, z)); left != right {
			t.Fatalf("%s + %s + %s: got %s from the left, want %s as from the right", x, y, z, left, right)
		}
		if back, err := plus(t, x, y).Sub(y); err != nil || back != x {
			t.Fatalf("(x + y) - y: got %s, %v, want %s", back, err, x)
		}
		want := big.NewInt(x.Minor()).Cmp(big.NewInt(y.Minor()))
		if order, err := x.Cmp(y); err != nil || order != want {
			t.Fatalf("%s against %s: got %d, %v, want %d", x, y, order, err, want)
		}
		if x.Neg().Neg() != x || x.Neg().Minor() != -x.Minor() || x.Sign() != -x.Neg().Sign() {
			t.Fatalf("-%s: got %s, whose negative is %s, want the opposite sign and %s", x, x.Neg(), x.Neg().Neg(), x)
		}
	})
}

func plus(t *rapid.T, a, b money.Amount) money.Amount {
	sum, err := a.Add(b)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

func TestParse_ArbitraryText(t *testing.T) {
	t.Parallel()
	numeric := rapid.StringMatching(`-?[0-9eE+._ ]{0,45}`)
	rapid.Check(t, func(t *rapid.T) {
		checkParse(t, rapid.OneOf(rapid.String(), numeric).Draw(t, "text"), rapid.SampledFrom(currencies).Draw(t, "currency"))
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"10.10", "-0", "1e9", "0.000000000000000000000000001", "", ".", "999999999999.99", "٣"} {
		f.Add(seed, "EUR")
		f.Add(seed, "CLP")
	}
	f.Fuzz(func(t *testing.T, text, code string) {
		c, err := money.ParseCurrency(code)
		if err != nil {
			return
		}
		checkParse(t, text, c)
	})
}

// checkParse checks, by exact rationals, that Parse neither rounds nor changes the text that it accepts.
func checkParse(t rapid.TB, text string, c money.Currency) {
	a, err := money.Parse(text, c)
	if err != nil {
		if !errors.Is(err, money.ErrAmount) && !errors.Is(err, money.ErrScale) && !errors.Is(err, money.ErrRange) {
			t.Fatalf("Parse(%q): got error %v, want %v, %v or %v", text, err, money.ErrAmount, money.ErrScale, money.ErrRange)
		}
		return
	}
	want, ok := new(big.Rat).SetString(text)
	got, _ := new(big.Rat).SetString(a.String())
	if !ok || got == nil || want.Cmp(got) != 0 {
		t.Fatalf("Parse(%q, %s): got %s, want %v", text, c, a, want)
	}
	if again, err := money.Parse(a.String(), c); err != nil || again != a {
		t.Fatalf("Parse(%q, %s): got %s, %v, want the same", a, c, again, err)
	}
	if _, fraction, _ := strings.Cut(a.String(), "."); len(fraction) != c.Scale() {
		t.Fatalf("%s %s: got %d decimals, want %d", a, c, len(fraction), c.Scale())
	}
}
