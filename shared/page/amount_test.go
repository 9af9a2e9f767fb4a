package page_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/page"
)

func TestMoneyIsWrittenAsPeopleReadIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		amount   string
		currency money.Currency
		want     map[page.Language]string
	}{
		{"0.05", "EUR", map[page.Language]string{page.English: "0.05\u00a0EUR", page.German: "0,05\u00a0EUR",
			page.Portuguese: "0,05\u00a0EUR"}},
		{"999.99", "EUR", map[page.Language]string{page.English: "999.99\u00a0EUR", page.German: "999,99\u00a0EUR"}},
		{"1234567.80", "BRL", map[page.Language]string{page.English: "1,234,567.80\u00a0BRL",
			page.German: "1.234.567,80\u00a0BRL", page.Portuguese: "R$\u00a01.234.567,80"}},
		{"1234", "CLP", map[page.Language]string{page.English: "1,234\u00a0CLP", page.German: "1.234\u00a0CLP"}},
		{"-1234.5", "EUR", map[page.Language]string{page.English: "−1,234.50\u00a0EUR", page.German: "−1.234,50\u00a0EUR"}},
		{"-100", "EUR", map[page.Language]string{page.English: "−100.00\u00a0EUR"}},
	} {
		amount, err := money.Parse(c.amount, c.currency)
		if err != nil {
			t.Fatal(err)
		}
		for language, want := range c.want {
			if got := page.Money(amount, language); got != want {
				t.Errorf("%s %s in %s: got %q, want %q", c.amount, c.currency, language, got, want)
			}
		}
	}
}
