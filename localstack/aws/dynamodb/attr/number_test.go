package attr_test

import (
	"bytes"
	"cmp"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

func TestNumber_Canonical(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"1.230e3": "1230", "-0": "0", "0e500": "0", "+5": "5", ".5": "0.5", "5.": "5", "1E-7": "0.0000001",
		"0012.3400": "12.34", "-7.25": "-7.25", "1e20": "100000000000000000000", "1e125": "1" + strings.Repeat("0", 125),
	} {
		v, err := attr.Number(given)
		if err != nil || v.Str() != want {
			t.Errorf("Number(%q): got %q and error %v, want %q", given, v.Str(), err, want)
		}
	}
}

func TestNumber_Refusals(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"": "cannot be converted", "abc": "cannot be converted", " 5": "cannot be converted", "1e": "cannot be converted",
		".-5": "cannot be converted", "+-5": "cannot be converted",
		"1.2.3": "cannot be converted", "1e126": "overflow", "-1e126": "overflow", "1e-131": "underflow",
		"123456789012345678901234567890123456789": "38 digits",
	} {
		if _, err := attr.Number(given); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Number(%q): got error %v, want %q in it", given, err, want)
		}
	}
}

// TestNumberSize checks sizes against those in DynamoDB Local's streams.
func TestNumberSize(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]int{
		"0": 1, "1": 2, "12": 2, "123": 3, "12345": 4, "-1": 3, "-123": 4, "1000": 2, "0.1": 2, "0.012": 3, "1.5": 3,
		"123.456": 5, "1e125": 2, "1e-130": 2, "99999999999999999999999999999999999999": 20,
	} {
		v, err := attr.Number(given)
		if err != nil || v.Size() != want {
			t.Errorf("size of %s: got %d and error %v, want %d", given, v.Size(), err, want)
		}
	}
}

func numbers(t *rapid.T, label string) (attr.Value, *big.Rat) {
	text := rapid.StringMatching(`-?[0-9]{1,12}(\.[0-9]{1,10})?(e-?[0-9]{1,2})?`).Draw(t, label)
	v, err := attr.Number(text)
	if err != nil {
		t.Fatalf("Number(%q): got error %v, want none", text, err)
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("got no big.Rat of %q, want one", text)
	}
	return v, r
}

func TestNumber_ActsAsRational(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, x := numbers(t, "a")
		b, y := numbers(t, "b")
		want := x.Cmp(y)
		if got := cmp.Compare(attr.Compare(a, b), 0); got != want {
			t.Errorf("Compare(%s, %s): got %d, want %d", a.Str(), b.Str(), got, want)
		}
		left := append(attr.AppendKey(nil, a), attr.KeyTerminator...)
		right := append(attr.AppendKey(nil, b), attr.KeyTerminator...)
		if got := bytes.Compare(left, right); got != want {
			t.Errorf("comparing the keys of %s and %s: got %d, want %d", a.Str(), b.Str(), got, want)
		}
		if sum, err := attr.Add(a, b); err == nil {
			checkRational(t, "sum", sum, new(big.Rat).Add(x, y))
		}
		if difference, err := attr.Subtract(a, b); err == nil {
			checkRational(t, "difference", difference, new(big.Rat).Sub(x, y))
		}
	})
}

func checkRational(t *rapid.T, what string, got attr.Value, want *big.Rat) {
	r, ok := new(big.Rat).SetString(got.Str())
	if !ok || r.Cmp(want) != 0 {
		t.Errorf("%s: got %s, want %s", what, got.Str(), want.RatString())
	}
}

func TestAdd_Limits(t *testing.T) {
	t.Parallel()
	value := func(text string) attr.Value {
		v, err := attr.Number(text)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	nines := value(strings.Repeat("9", 38))
	if sum, err := attr.Add(nines, value("1")); err != nil || sum.Str() != "1"+strings.Repeat("0", 38) {
		t.Errorf("got %s and error %v, want 10³⁸, which has one digit", sum.Str(), err)
	}
	for name, err := range map[string]error{
		"too precise": errOf(attr.Add(nines, value("0.5"))),
		"too large":   errOf(attr.Add(value("9.9e125"), value("9e125"))),
		"too small":   errOf(attr.Subtract(value("1.1e-130"), value("1e-130"))),
	} {
		if err == nil {
			t.Errorf("a sum %s: got no error, want one", name)
		}
	}
}

func errOf(_ attr.Value, err error) error { return err }

func TestAppendKey_TextOrderAndPrefix(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		alphabet := rapid.SampledFrom([]string{"\x00", "\x01", "a", "b", "\xff", "é"})
		a := strings.Join(rapid.SliceOfN(alphabet, 0, 4).Draw(t, "a"), "")
		b := strings.Join(rapid.SliceOfN(alphabet, 0, 4).Draw(t, "b"), "")
		left := string(attr.AppendKey(nil, attr.Binary(a)))
		right := string(attr.AppendKey(nil, attr.Binary(b)))
		if got, want := strings.Compare(left+attr.KeyTerminator, right+attr.KeyTerminator),
			strings.Compare(a, b); got != want {
			t.Errorf("comparing the keys of %q and %q: got %d, want %d", a, b, got, want)
		}
		end := attr.PrefixEnd(left)
		within := right >= left && (end == "" || right < end)
		if within != strings.HasPrefix(b, a) {
			t.Errorf("%q begins with %q: got %t by their keys, want %t", b, a, within, !within)
		}
	})
}
