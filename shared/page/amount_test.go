package page_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/page"
)

func TestMoney(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		amount   string
		currency money.Currency
		want     map[page.Language]string
	}{
		{"0.05", "EUR", map[page.Language]string{page.English: "€0.05", page.German: "0,05\u00a0€",
			page.Portuguese: "€\u00a00,05"}},
		{"999.99", "CHF", map[page.Language]string{page.English: "CHF\u00a0999.99", page.German: "999,99\u00a0CHF",
			page.Portuguese: "CHF\u00a0999,99"}},
		{"1234567.80", "BRL", map[page.Language]string{page.English: "R$1,234,567.80",
			page.German: "1.234.567,80\u00a0R$", page.Portuguese: "R$\u00a01.234.567,80"}},
		{"1234", "HUF", map[page.Language]string{page.English: "HUF\u00a01,234", page.German: "1.234\u00a0HUF"}},
		{"-1234.5", "GBP", map[page.Language]string{page.English: "−£1,234.50", page.German: "−1.234,50\u00a0£",
			page.Portuguese: "−£\u00a01.234,50"}},
		{"-100", "USD", map[page.Language]string{page.English: "−US$100.00"}},
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

func TestNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"1234567.8": "1,234,567.80", "-100": "−100.00", "0": "0.00"} {
		if got := page.Number(money.MustParse(text, "EUR"), page.English); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
