package country

import (
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/bojanz/currency"

	"github.com/cashwrap/cashwrap/shared/money"
)

// TestTable_EachServedCurrency checks that the table lists each country with a served currency, with the right
// currency.
func TestTable_EachServedCurrency(t *testing.T) {
	t.Parallel()
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			code := string(a) + string(b)
			tender, known := currency.ForCountryCode(code)
			_, listed := table[code]
			if listed && !known {
				t.Errorf("%s: got listed %t and a country %t, want no entry without a country", code, listed, known)
			}
			if got := Currency(code); listed && got != tender {
				t.Errorf("%s: got currency %s, want %s", code, got, tender)
			}
			if _, err := money.ParseCurrency(tender); known && err == nil && !listed {
				t.Errorf("%s, which settles in %s: got listed %t, want true", code, tender, listed)
			}
		}
	}
}

func TestTable_CompleteEntries(t *testing.T) {
	t.Parallel()
	for code, f := range table {
		if _, err := time.LoadLocation(f.zone); err != nil || f.zone == "" {
			t.Errorf("%s: got zone %q, error %v, want one that exists", code, f.zone, err)
		}
		english, native := Names(code)
		if english == "" || native == "" || f.native == f.english || f.language == "" {
			t.Errorf("%s: got names %q and %q of %+v, want both, a language, and a native name only if it differs", code,
				english, native, f)
		}
	}
}

func TestLookups(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ code, zone, locale, english, native string }{
		{"DE", "Europe/Berlin", "de-DE", "Germany", "Deutschland"},
		{"CH", "Europe/Zurich", "de-CH", "Switzerland", "Schweiz"},
		{"GB", "Europe/London", "en-GB", "United Kingdom", "United Kingdom"},
		{"BR", "America/Sao_Paulo", "pt-BR", "Brazil", "Brasil"},
		{"US", "America/New_York", "en-US", "United States", "United States"},
		{"ME", "Europe/Podgorica", "sr-Latn-ME", "Montenegro", "Crna Gora"},
		{"JP", "", "en-JP", "", ""},
	} {
		english, native := Names(c.code)
		if Zone(c.code) != c.zone || Locale(c.code) != c.locale || english != c.english || native != c.native {
			t.Errorf("%s: got %s, %s, %s, %s, want %+v", c.code, Zone(c.code), Locale(c.code), english, native, c)
		}
	}
}
