package sandbox

import (
	"fmt"
	"math/big"
	"strings"
	"time"
)

// boleto is a Brazilian bank slip (FEBRABAN, "Layout padrão de código de
// barras, boleto de cobrança").
type boleto struct {
	bank  string    // three digits
	due   time.Time // its date in its own zone counts
	minor int64     // centavos
	free  string    // the bank's own 25 digits
}

// sandboxBank is no bank's number (Banco Central assigns none above 998), so
// that no real bank takes a sandbox slip.
const sandboxBank = "999"

// freeField is the length of the bank's own part of the barcode.
const freeField = 25

const reais = "9" // currency code

// line is the "linha digitável": the barcode's 44 digits in five fields, the
// first three each with a check digit of its own; 47 digits.
func (b boleto) line() string {
	terms := b.terms()
	check := mod11(b.bank + reais + terms + b.free)
	first, second, third := b.bank+reais+b.free[:5], b.free[5:15], b.free[15:]
	return first + mod10(first) + second + mod10(second) + third + mod10(third) + check + terms
}

// terms are due date and amount, 14 digits. An amount that needs more than
// ten takes the due date's place too, as the layout provides.
func (b boleto) terms() string {
	if b.minor >= 1e10 {
		return fmt.Sprintf("%014d", b.minor)
	}
	return fmt.Sprintf("%04d%010d", dueFactor(b.due), b.minor)
}

// dueFactor counts days since 7 October 1997 in four digits. It ran out on 21
// February 2025 (9999) and began again at 1000 the day after.
func dueFactor(due time.Time) int {
	y, m, d := due.Date()
	day := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	days := int(day.Sub(time.Date(1997, time.October, 7, 0, 0, 0, 0, time.UTC)).Hours() / 24)
	return 1000 + (days-1000)%9000
}

// mod10 is the check digit of a field: weights 2, 1, 2, … from the right, the
// products' digits added.
func mod10(digits string) string {
	sum, weight := 0, 2
	for i := len(digits) - 1; i >= 0; i-- {
		product := int(digits[i]-'0') * weight
		sum += product/10 + product%10
		weight = 3 - weight
	}
	return fmt.Sprint((10 - sum%10) % 10)
}

// mod11 is the check digit of the barcode: weights 2 to 9 from the right,
// again and again; 0, 10 and 11 become 1.
func mod11(digits string) string {
	sum, weight := 0, 2
	for i := len(digits) - 1; i >= 0; i-- {
		sum += int(digits[i]-'0') * weight
		if weight++; weight > 9 {
			weight = 2
		}
	}
	check := 11 - sum%11
	if check > 9 {
		check = 1
	}
	return fmt.Sprint(check)
}

// decimals reads bytes as exactly n decimal digits.
func decimals(b []byte, n int) string {
	text := new(big.Int).SetBytes(b).String()
	if len(text) < n {
		text = strings.Repeat("0", n-len(text)) + text
	}
	return text[len(text)-n:]
}
