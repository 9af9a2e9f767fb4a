package sandbox

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func date(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, saoPaulo) }

// TestBoletoLine_PublishedSlip uses a slip that is widely published as an example of Banco do Brasil's layout.
func TestBoletoLine_PublishedSlip(t *testing.T) {
	t.Parallel()
	slip := boleto{bank: "001", due: date(2007, time.December, 31), minor: 100, free: "0500940144816060680935031"}
	if got, want := slip.line(), "00190500954014481606906809350314337370000000100"; got != want {
		t.Errorf("line\n got %s\nwant %s", got, want)
	}
}

func TestDueFactor_BeginsAgain(t *testing.T) {
	t.Parallel()
	for due, want := range map[time.Time]int{
		date(2000, time.July, 3):      1000,
		date(2025, time.February, 21): 9999,
		date(2025, time.February, 22): 1000,
		date(2026, time.February, 22): 1365,
	} {
		if got := dueFactor(due); got != want {
			t.Errorf("factor of %s = %d, want %d", due.Format(time.DateOnly), got, want)
		}
	}
}

func TestBoletoLine_LargeAmountWithoutDueDate(t *testing.T) {
	t.Parallel()
	slip := boleto{bank: "999", due: date(2026, time.November, 23), minor: 99_999_999_999,
		free: strings.Repeat("7", freeField)}
	line := slip.line()
	if len(line) != 47 || !strings.HasSuffix(line, "00099999999999") {
		t.Errorf("got line %s, want 47 digits that end in 00099999999999", line)
	}
}

func TestMod11_OneDigitFromOneToNine(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for digits := "1"; len(digits) < 44; digits += "3" {
		check := mod11(digits)
		if len(check) != 1 || check == "0" {
			t.Fatalf("got mod11(%s) = %s, want one digit other than 0", digits, check)
		}
		seen[check] = true
	}
	if len(seen) < 5 {
		t.Errorf("got check digits %v, want at least 5", seen)
	}
}

// TestBRCode_ExampleOfTheManual uses the example of Banco Central's "Manual do BR Code".
func TestBRCode_ExampleOfTheManual(t *testing.T) {
	t.Parallel()
	code := brCode{key: "123e4567-e12b-12d1-a456-426655440000", name: "Fulano de Tal", city: "BRASILIA", txID: "***"}
	want := "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de " +
		"Tal6008BRASILIA62070503***63041D3D"
	if got := code.String(); got != want {
		t.Errorf("code\n got %s\nwant %s", got, want)
	}
}

func TestPlainName_Accents(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Padaria São João": "Padaria Sao Joao", "Açaí & Ñandú": "Acai  Nandu", "ÔÝ": "OY", "à": "a", "店": "SANDBOX",
		"Restaurante Três Corações Ltda": "Restaurante Tres Coracoes",
	} {
		if got := plainName(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if len(plain) != utf8.RuneCountInString(accents) {
		t.Errorf("got %d letters, want %d", len(plain), utf8.RuneCountInString(accents))
	}
}

func TestBRCode_Amount(t *testing.T) {
	t.Parallel()
	code := brCode{key: "k", amount: "10.10", name: "Loja", city: "SAO PAULO", txID: "A1"}.String()
	if !strings.Contains(code, "540510.10"+"5802BR") {
		t.Errorf("got code %s, want %q in it", code, "540510.10"+"5802BR")
	}
}

func TestPlainName_ReceiverNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Café do João":             "Cafe do Joao",
		"日本":                       "SANDBOX",
		"":                         "SANDBOX",
		strings.Repeat("Loja ", 9): "Loja Loja Loja Loja Loja",
	} {
		if got := plainName(name); got != want {
			t.Errorf("plainName(%q) = %q, want %q", name, got, want)
		}
	}
}
