package file

import (
	"strings"
	"unicode"
)

// sepaText is a text in the character set that every bank takes (EPC217-08:
// Latin letters, digits, / - ? : ( ) . , ' + and the space), at most max
// characters of it. Letters of other European alphabets become those of the
// table, and all other characters a full stop, as the EPC recommends.
func sepaText(text string, max int) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, ".") {
		b.WriteString(sepaLetters(r))
	}
	out := strings.Join(strings.Fields(b.String()), " ")
	if len(out) > max {
		out = strings.TrimRight(out[:max], " ")
	}
	return out
}

func sepaLetters(r rune) string {
	switch {
	case isSEPA(r):
		return string(r)
	case unicode.IsSpace(r) || unicode.IsControl(r):
		return " "
	case unicode.Is(unicode.Mn, r): // the accent of the letter before
		return ""
	}
	if letters, ok := substitutes[r]; ok {
		return letters
	}
	if letters, ok := substitutes[unicode.ToUpper(r)]; ok {
		return strings.ToLower(letters)
	}
	return "."
}

func isSEPA(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/-?:().,'+ ", r)
}

// substitutes follow EPC217-08. Small letters are derived from the capitals, and
// Cyrillic is transliterated as in Bulgaria.
var substitutes = func() map[rune]string {
	latin := map[string]string{
		"A": "ÀÁÂÃÄÅĀĂĄÆ", "C": "ÇĆĈĊČ", "D": "ĎĐÐ", "E": "ÈÉÊËĒĔĖĘĚ", "G": "ĜĞĠĢ", "H": "ĤĦ", "I": "ÌÍÎÏĨĪĬĮİ",
		"J": "Ĵ", "K": "Ķ", "L": "ĹĻĽĿŁ", "N": "ÑŃŅŇŊ", "O": "ÒÓÔÕÖØŌŎŐŒ", "R": "ŔŖŘ", "S": "ŚŜŞŠȘẞ", "T": "ÞŢŤŦȚ",
		"U": "ÙÚÛÜŨŪŬŮŰŲ", "W": "Ŵ", "Y": "ÝŶŸ", "Z": "ŹŻŽ",
	}
	greek := map[string]string{
		"A": "ΑΆ", "CH": "Χ", "D": "Δ", "E": "ΕΈ", "F": "Φ", "G": "Γ", "I": "ΗΙΉΊΪ", "K": "Κ", "L": "Λ", "M": "Μ",
		"N": "Ν", "O": "ΟΩΌΏ", "P": "Π", "PS": "Ψ", "R": "Ρ", "S": "Σ", "T": "Τ", "TH": "Θ", "V": "Β", "X": "Ξ",
		"Y": "ΥΎΫ", "Z": "Ζ",
	}
	cyrillic := map[string]string{
		"A": "АЪ", "B": "Б", "CH": "Ч", "D": "Д", "E": "Е", "F": "Ф", "G": "Г", "H": "Х", "I": "И", "K": "К",
		"L": "Л", "M": "М", "N": "Н", "O": "О", "P": "П", "R": "Р", "S": "С", "SH": "Ш", "SHT": "Щ", "T": "Т",
		"TS": "Ц", "U": "У", "V": "В", "Y": "ЙЬ", "YA": "Я", "YU": "Ю", "Z": "З", "ZH": "Ж",
	}
	signs := map[string]string{
		"s": "ß", "i": "ı", "+": "&", "-": "_–—‐‑−", "'": "`´‘’‚\"“”„«»", "(": "[{<", ")": "]}>", ",": ";",
		"/": "\\|", "EUR": "€",
	}
	table := map[rune]string{}
	for _, alphabet := range []map[string]string{latin, greek, cyrillic, signs} {
		for letters, all := range alphabet {
			for _, r := range all {
				table[r] = letters
			}
		}
	}
	return table
}()
