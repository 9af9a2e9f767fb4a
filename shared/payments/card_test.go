package payments_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/validate"
)

const panText = "4200000000000091"

func goodCard() payments.Card {
	return payments.Card{Name: "Ada Lovelace", Number: secret.New(panText), CVV: secret.New("123"),
		ExpiryMonth: "12", ExpiryYear: "2030"}
}

// cardFaults returns the faults of a request's card.
func cardFaults(card payments.Card, now time.Time) failure.List {
	return validate.Fields(struct {
		Card *payments.Card `json:"card"`
	}{&card}, now)
}

// faultCodes returns "CODE param" for each fault.
func faultCodes(faults failure.List) []string {
	list := []string{}
	for _, f := range faults {
		list = append(list, f.Code+" "+f.Param)
	}
	return list
}

func TestCard_Faults(t *testing.T) {
	t.Parallel()
	number := func(text string) func(*payments.Card) {
		return func(c *payments.Card) { c.Number = secret.New(text) }
	}
	cvv := func(text string) func(*payments.Card) {
		return func(c *payments.Card) { c.CVV = secret.New(text) }
	}
	expiry := func(month, year string) func(*payments.Card) {
		return func(c *payments.Card) { c.ExpiryMonth, c.ExpiryYear = month, year }
	}
	for name, c := range map[string]struct {
		change func(*payments.Card)
		want   string // faults, joined by commas
	}{
		"as it should be": {change: func(*payments.Card) {}},
		"two-digit year":  {change: expiry("01", "30")},
		"Amex CVV":        {change: cvv("1234")},
		"zip code":        {change: func(c *payments.Card) { c.ZipCode = "12345" }},
		"longest name":    {change: func(c *payments.Card) { c.Name = strings.Repeat("é", 255) }},
		"shortest number": {change: number("500000000009")},
		"longest number":  {change: number("6304000000000000000")},
		"no name":         {change: func(c *payments.Card) { c.Name = "" }, want: "MISSING card.name"},
		"name too long": {change: func(c *payments.Card) {
			c.Name = strings.Repeat("a", 256)
		}, want: "INVALID card.name"},
		"no number":         {change: number(""), want: "MISSING card.number"},
		"wrong check digit": {change: number("4200000000000090"), want: "INVALID card.number"},
		"number in groups":  {change: number("4200 0000 0000 0091"), want: "INVALID card.number"},
		"number too short":  {change: number("42000000000"), want: "INVALID card.number"},
		"number too long":   {change: number("42000000000000000000"), want: "INVALID card.number"},
		"letters":           {change: number("420000000000009l"), want: "INVALID card.number"},
		"foreign digits":    {change: number("٤٢٠٠٠٠٠٠٠٠٠٠"), want: "INVALID card.number"},
		"no CVV":            {change: cvv(""), want: "MISSING card.cvv"},
		"CVV too short":     {change: cvv("12"), want: "INVALID card.cvv"},
		"CVV too long":      {change: cvv("12345"), want: "INVALID card.cvv"},
		"CVV of letters":    {change: cvv("abc"), want: "INVALID card.cvv"},
		"no month":          {change: expiry("", "2030"), want: "MISSING card.expiry_month"},
		"month 00":          {change: expiry("00", "2030"), want: "INVALID card.expiry_month"},
		"month 13":          {change: expiry("13", "2030"), want: "INVALID card.expiry_month"},
		"month of a digit":  {change: expiry("1", "2030"), want: "INVALID card.expiry_month"},
		"month with a sign": {change: expiry("+1", "2030"), want: "INVALID card.expiry_month"},
		"no year":           {change: expiry("12", ""), want: "MISSING card.expiry_year"},
		"three-digit year":  {change: expiry("12", "203"), want: "INVALID card.expiry_year"},
		"five-digit year":   {change: expiry("12", "20300"), want: "INVALID card.expiry_year"},
		"year with a sign":  {change: expiry("12", "+9"), want: "INVALID card.expiry_year"},
		"year of letters":   {change: expiry("12", "xx"), want: "INVALID card.expiry_year"},
		"year zero":         {change: expiry("12", "0000"), want: "INVALID card.expiry_year"},
		"expired":           {change: expiry("09", "2026"), want: "INVALID card.expiry_year"},
		"long expired":      {change: expiry("12", "1999"), want: "INVALID card.expiry_year"},
		"no expiry":         {change: expiry("", ""), want: "MISSING card.expiry_month,MISSING card.expiry_year"},
		"bad expiry":        {change: expiry("13", "xx"), want: "INVALID card.expiry_month,INVALID card.expiry_year"},
		"bad zip code":      {change: func(c *payments.Card) { c.ZipCode = "1234" }, want: "INVALID card.zip_code"},
		"zip of letters":    {change: func(c *payments.Card) { c.ZipCode = "1234a" }, want: "INVALID card.zip_code"},
		"all at once": {change: func(c *payments.Card) { *c = payments.Card{} },
			want: "MISSING card.name,MISSING card.number,MISSING card.expiry_month,MISSING card.expiry_year,MISSING card.cvv"},
	} {
		card := goodCard()
		c.change(&card)
		faults := cardFaults(card, start)
		if got := strings.Join(faultCodes(faults), ","); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
		if err := faults.Err(); err != nil && strings.Contains(err.Error(), panText[:5]) {
			t.Errorf("%s: got %v, want no part of the card in it", name, err)
		}
	}
}

// TestCardExpiry_MonthEnds checks that a card is good until its last month has ended in the last time zone, UTC-12.
func TestCardExpiry_MonthEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		month, year int
		now         string
		expired     bool
	}{
		{11, 2026, "2026-11-01T00:00:00Z", false},
		{11, 2026, "2026-11-30T23:59:59Z", false},
		{11, 2026, "2026-12-01T11:59:59Z", false},
		{11, 2026, "2026-12-01T12:00:00Z", true},
		{11, 2026, "2026-11-30T23:59:59-12:00", false},
		{11, 2026, "2026-12-01T00:00:00-12:00", true},
		{11, 2026, "2026-12-02T01:59:59+14:00", false},
		{12, 2026, "2027-01-01T11:59:59Z", false},
		{12, 2026, "2027-01-01T12:00:00Z", true},
		{2, 2028, "2028-02-29T23:59:59Z", false},
		{2, 2028, "2028-03-01T12:00:00Z", true},
		{10, 2026, "2026-11-02T00:00:00Z", true},
		{1, 2030, "2029-12-31T00:00:00Z", false},
	} {
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		if got := (payments.CardSummary{ExpiryMonth: c.month, ExpiryYear: c.year}).Expired(now); got != c.expired {
			t.Errorf("%02d/%d at %s: got expired %t, want %t", c.month, c.year, c.now, got, c.expired)
		}
		card := goodCard()
		card.ExpiryMonth, card.ExpiryYear = time.Date(0, time.Month(c.month), 1, 0, 0, 0, 0, time.UTC).Format("01"),
			time.Date(c.year, 1, 1, 0, 0, 0, 0, time.UTC).Format("06")
		if got := cardFaults(card, now) != nil; got != c.expired {
			t.Errorf("%02d/%d at %s: got refused %t, want %t", c.month, c.year, c.now, got, c.expired)
		}
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	card := goodCard()
	for _, year := range []string{"30", "2030"} {
		card.ExpiryYear = year
		want := payments.CardSummary{Brand: "VISA", LastFour: "0091", ExpiryMonth: 12, ExpiryYear: 2030}
		if got := card.Summary(); got != want {
			t.Errorf("year %s: got %+v, want %+v", year, got, want)
		}
	}
}

// TestCardNumber_CheckDigit checks that a single wrong digit is always found (ISO/IEC 7812-1).
func TestCardNumber_CheckDigit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.StringMatching(`[0-9]{11,18}`).Draw(t, "number")
		var right []string
		for check := range 10 {
			card := goodCard()
			card.Number = secret.New(number + string(rune('0'+check)))
			if cardFaults(card, start) == nil {
				right = append(right, card.Number.Reveal())
			}
		}
		if len(right) != 1 {
			t.Fatalf("%s: got check digits %v, want one", number, right)
		}
		at := rapid.IntRange(0, len(number)).Draw(t, "at")
		wrong := []byte(right[0])
		wrong[at] = '0' + (wrong[at]-'0'+byte(rapid.IntRange(1, 9).Draw(t, "by")))%10
		card := goodCard()
		card.Number = secret.New(string(wrong))
		if got := faultCodes(cardFaults(card, start)); !slices.Equal(got, []string{"INVALID card.number"}) {
			t.Fatalf("a wrong digit at %d: got faults %v, want INVALID card.number", at, got)
		}
	})
}
