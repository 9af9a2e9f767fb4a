package validate

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// firstBirthDate is before the birth date of any living person.
var firstBirthDate = time.Date(1900, time.January, 1, 0, 0, 0, 0, time.UTC)

// BirthDate returns the fault of a date of birth, as a predicate for failure.Invalid, or "". The date must be from
// 1900-01-01 to today.
func BirthDate(date string, now time.Time) string {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil || day.Before(firstBirthDate) || day.After(now) {
		return "must be from 1900-01-01 to today"
	}
	return ""
}

// nationalIDs are the checks of personal numbers whose check digits are published, by country and name.
var nationalIDs = map[string]func(string) string{
	"br.cpf":   unless(CPF, "must be a CPF with its two check digits"),
	"pl.pesel": unless(isPESEL, "must be a PESEL number with its check digit"),
	"es.nif":   unless(isSpanishNIF, "must be a NIF of a person with its check letter"),
	"es.nie":   unless(isSpanishNIF, "must be a NIE with its check letter"),
}

// NationalID returns the fault of a person's number, as a predicate for failure.Invalid, or "". ref names the kind of
// number, such as br.cpf.
func NationalID(ref, number string) string {
	if fault, known := nationalIDs[ref]; known {
		return fault(number)
	}
	return ""
}

// CPF returns true if the two mod-11 check digits of a Brazilian CPF are right, with or without punctuation (Receita
// Federal, IN RFB 2172/2024).
func CPF(text string) bool {
	digits, ok := parseDigits(strings.NewReplacer(".", "", "-", "").Replace(text), 11)
	return ok && slices.Max(digits) != slices.Min(digits) &&
		cpfDigit(digits[:9]) == digits[9] && cpfDigit(digits[:10]) == digits[10]
}

func cpfDigit(digits []int) int {
	sum := 0
	for i, d := range digits {
		sum += d * (len(digits) + 1 - i)
	}
	return sum * 10 % 11 % 10
}

// peselWeights are the weights of the first ten digits (Polish act on population registration of 24 September 2010,
// article 15).
var peselWeights = [...]int{1, 3, 7, 9, 1, 3, 7, 9, 1, 3}

// isPESEL returns true if the text is a Polish PESEL number with a right mod-10 check digit and a valid date of birth
// at its beginning. The month also contains the century: 80 is added for the 1800s, 0 for the 1900s, 20 for the 2000s
// and so on.
func isPESEL(text string) bool {
	digits, ok := parseDigits(text, 11)
	if !ok {
		return false
	}
	sum := 0
	for i, weight := range peselWeights {
		sum += digits[i] * weight
	}
	year, month, day := digits[0]*10+digits[1], digits[2]*10+digits[3], digits[4]*10+digits[5]
	year += [...]int{1900, 2000, 2100, 2200, 1800}[month/20]
	born := time.Date(year, time.Month(month%20), day, 0, 0, 0, 0, time.UTC)
	return born.Month() == time.Month(month%20) && born.Day() == day && (10-sum%10)%10 == digits[10]
}

// isSpanishNIF returns true if the last letter of a DNI or NIE is right. The first letter X, Y or Z of an NIE stands
// for 0, 1 or 2 (Real Decreto 1065/2007, articles 19 and 20).
func isSpanishNIF(text string) bool {
	if len(text) != 9 {
		return false
	}
	first := strings.IndexByte("XYZ", text[0])
	number := text[:8]
	if first >= 0 {
		number = strconv.Itoa(first) + text[1:8]
	}
	digits, ok := parseDigits(number, 8)
	value := 0
	for _, d := range digits {
		value = value*10 + d
	}
	return ok && "TRWAGMYFPDXBNJZSQVHLCKE"[value%23] == text[8]
}

// parseDigits returns the digits of a text that has n digits and nothing else.
func parseDigits(text string, n int) ([]int, bool) {
	if !digits(n, n)(text) {
		return nil, false
	}
	all := make([]int, n)
	for i := range n {
		all[i] = int(text[i] - '0')
	}
	return all, true
}
