package payments

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/secret"
)

// Card is a payer's card as a process request sends it. It exists only while that request runs.
type Card struct {
	Name        string      `json:"name" validate:"required text=255"`
	Number      secret.Text `json:"number" digits:"1" validate:"required card-number"`
	ExpiryMonth string      `json:"expiry_month" digits:"2" validate:"required month"`
	ExpiryYear  string      `json:"expiry_year" digits:"2" validate:"required year own"`
	CVV         secret.Text `json:"cvv" digits:"1" validate:"required cvv own"`
	ZipCode     string      `json:"zip_code" digits:"5" empty:"refused" validate:"us-zip-code"` // for US merchants only
}

// CardSummary holds the only data of a card that may be stored (contract §5.3).
type CardSummary struct {
	AcquirerToken string `dynamo:"acquirer_token,omitempty"` // the acquirer's name for the card
	Brand         string `dynamo:"brand"`                    // one of contract §2.7's card types
	LastFour      string `dynamo:"last_4_digits"`
	ExpiryMonth   int    `dynamo:"expiry_month"` // 0: not stored
	ExpiryYear    int    `dynamo:"expiry_year"`
}

// Expired returns true if the card's last month has ended in every time zone; false if the month was not stored.
func (s CardSummary) Expired(now time.Time) bool {
	return s.ExpiryMonth != 0 && monthEnded(s.ExpiryYear, s.ExpiryMonth, now)
}

// WithoutExpiry returns the summary without the expiry date. Only the remaining data of a real card may be stored in
// test mode (contract §8.4).
func (s CardSummary) WithoutExpiry() CardSummary {
	s.ExpiryMonth, s.ExpiryYear = 0, 0
	return s
}

// monthEnded returns true if a month has ended in every time zone, which is twelve hours after it has ended in UTC.
func monthEnded(year, month int, now time.Time) bool {
	end := time.Date(year, time.Month(month)+1, 1, 12, 0, 0, 0, time.UTC)
	return !now.Before(end)
}

// Summary returns the storable data of a checked card, before an acquirer gives its token.
func (c *Card) Summary() CardSummary {
	month, year := c.expiry()
	number := c.Number.Reveal()
	return CardSummary{Brand: Brand(number), LastFour: number[max(len(number)-4, 0):],
		ExpiryMonth: month, ExpiryYear: year}
}

// expiry parses the card's last month. It returns month 0 for a text that is not two digits, and year 0 for a text that
// is not two or four digits.
func (c Card) expiry() (month, year int) {
	if len(c.ExpiryMonth) == 2 && isDigits(c.ExpiryMonth) {
		month, _ = strconv.Atoi(c.ExpiryMonth)
	}
	text := c.ExpiryYear
	if len(text) == 2 {
		text = "20" + text
	}
	if len(text) == 4 && isDigits(text) {
		year, _ = strconv.Atoi(text)
	}
	return month, year
}

// Rule refuses an expired card. A CVV that is sent as a number loses a leading zero, so Rule refuses such a CVV if its
// number of digits is not the brand's.
func (c Card) Rule(field string, now time.Time) string {
	if field == "cvv" {
		if want := cvvDigits(Brand(c.Number.Reveal())); c.CVV.IsNumber() && len(c.CVV.Reveal()) != want {
			return fmt.Sprintf("must have %d digits for this card; send it as a string if it begins with 0", want)
		}
		return ""
	}
	switch month, year := c.expiry(); {
	case year == 0:
		return "must be YY or YYYY"
	case month >= 1 && month <= 12 && monthEnded(year, month, now):
		return "is in the past: the card has expired"
	default:
		return ""
	}
}

// cvvDigits returns the number of digits in a brand's CVV: four for American Express, three for all others.
func cvvDigits(brand string) int {
	if brand == "AMEX" {
		return 4
	}
	return 3
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
