package file

import (
	"strings"
	"testing"
)

func TestSEPAText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Corner Shop (1/2) a-z?:.,'+": "Corner Shop (1/2) a-z?:.,'+",
		"Müller & Söhne, Groß":        "Muller + Sohne, Gros",
		"Mu\u0308ller":                "Muller",
		"ŁÓDŹ łódź ÇAĞRI ığdır":       "LODZ lodz CAGRI igdir",
		"Търговия Жълти Щъркел":       "Targoviya ZHalti SHTarkel",
		"ТЪРГОВИЯ":                    "TARGOVIYA",
		"Ελλάς Ψωμί Θήρα":             "Ellas PSomi THira",
		"a_b;c<d>[e]{f}\"g\"":         "a-b,c(d)(e)(f)'g'",
		"10 € @ 漢字":                   "10 EUR . ..",
		"  a\t\n b\x00c  ":            "a b c",
		"a\xffb":                      "a.b",
		"":                            "", " \n": "",
	} {
		got := sepaText(text, 1000)
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got := sepaText("abc def", 4); got != "abc" {
		t.Errorf("cut to four: got %q, want abc", got)
	}
}

func TestSubstitutes(t *testing.T) {
	t.Parallel()
	for r, letters := range substitutes {
		if isSEPARune(r) || letters == "" || strings.IndexFunc(letters, func(l rune) bool { return !isSEPARune(l) }) >= 0 {
			t.Errorf("got %q for %q, want letters of the SEPA set for one that is not in it", letters, r)
		}
	}
}
