package validate_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/validate"
)

func TestNationalID(t *testing.T) {
	t.Parallel()
	for ref, numbers := range map[string][2][]string{ // good numbers, then bad numbers
		"br.cpf": {{"111.444.777-35", "11144477735"}, {"111.444.777-36", "111.444.777-45", "11111111111", "1114447773", ""}},
		"pl.pesel": {{"44051401359", "02070803628", "02210100008", "55820100003"},
			{"44051401358", "4405140135", "440514013590", "44051401 59", "44133101350", "02023000001", ""}},
		"es.nif":      {{"12345678Z", "00000000T"}, {"12345678A", "1234567Z", "12345678z", "123456789", ""}},
		"es.nie":      {{"X1234567L", "Y1234567X", "Z1234567R"}, {"X1234567M", "W1234567L", "X123456LL"}},
		"de.passport": {{"C01X00T47", "anything"}, nil},
	} {
		for i, list := range numbers {
			for _, number := range list {
				if got := validate.NationalID(ref, number); (got != "") != (i == 1) {
					t.Errorf("%s %q: got %q, want a fault: %t", ref, number, got, i == 1)
				}
			}
		}
	}
}

func TestBirthDate(t *testing.T) {
	t.Parallel()
	for day, want := range map[string]bool{"1900-01-01": true, now.Format("2006-01-02"): true,
		"1899-12-31": false, "2026-11-21": false, "2000-02-30": false, "": false} {
		if got := validate.BirthDate(day, now); (got == "") != want {
			t.Errorf("%q: got fault %q, want it accepted: %t", day, got, want)
		}
	}
}

func TestCPF(t *testing.T) {
	t.Parallel()
	for cpf, want := range map[string]bool{
		"529.982.247-25": true, "52998224725": true, "111.444.777-35": true, "00000000191": true,
		"529.982.247-24": false, "529.982.247-15": false, "52998224752": false, "5299822472": false, "529982247250": false,
		"": false, "...-": false, "5299822472x": false, " 52998224725": false, "529 982 247 25": false, "٥٢٩٩٨٢٢٤٧٢٥": false,
	} {
		if got := validate.CPF(cpf); got != want {
			t.Errorf("%q: got %t, want %t", cpf, got, want)
		}
	}
	for d := range 10 {
		if same := strings.Repeat(string(rune('0'+d)), 11); validate.CPF(same) {
			t.Errorf("%s: got true, want false", same)
		}
	}
}

// TestCPF_CheckDigits checks that nine digits have only one right pair of check digits, and that one wrong digit is
// noticed.
func TestCPF_CheckDigits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.StringMatching(`[0-9]{9}`).Filter(func(s string) bool {
			return strings.Trim(s, s[:1]) != ""
		}).Draw(t, "base")
		var right []string
		for pair := range 100 {
			if cpf := base + string([]byte{byte('0' + pair/10), byte('0' + pair%10)}); validate.CPF(cpf) {
				right = append(right, cpf)
			}
		}
		if len(right) != 1 {
			t.Fatalf("%s: got %v, want one", base, right)
		}
		if dotted := right[0][:3] + "." + right[0][3:6] + "." + right[0][6:9] + "-" +
			right[0][9:]; !validate.CPF(dotted) {
			t.Fatalf("%s: got false, want true", dotted)
		}
	})
}
