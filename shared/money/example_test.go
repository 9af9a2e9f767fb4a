package money_test

import (
	"errors"
	"fmt"

	"github.com/cashwrap/cashwrap/shared/money"
)

// Amounts are exact decimal numbers, with as many decimal places as their currency has.
func ExampleParse() {
	euro, _ := money.Parse("10.1", "EUR")
	peso, _ := money.Parse("500", "CLP")
	fmt.Println(euro, peso)

	_, err := money.Parse("0.5", "CLP")
	fmt.Println(errors.Is(err, money.ErrScale), err)
	// Output:
	// 10.10 500
	// true more decimals than the currency has
}

// A fee is rounded half to even.
func ExampleAmount_Times() {
	fee, _ := money.MustParse("10.00", "EUR").Times("0.0195")
	fmt.Println(fee)
	// Output: 0.20
}

// The parts of a split sum to the whole; the last takes the rest.
func ExampleAmount_Split() {
	fmt.Println(money.MustParse("10.00", "EUR").Split(3))
	// Output: [3.33 3.33 3.34]
}

// A client's amount gets its currency once the currency is known.
func ExampleLiteral_In() {
	amount, _ := money.Literal("10.1").In("EUR")
	_, err := money.Literal("1e1").In("EUR")
	fmt.Println(amount, "amount", money.Expected(err))
	// Output: 10.10 amount must be written without an exponent, such as 10.00
}
