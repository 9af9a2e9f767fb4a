package payments

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/secret"
)

// Card is a payer's card as sent with a process request. It exists only while that request runs.
type Card struct {
	Name        string      `json:"name" validate:"required text=255"`
	Number      secret.Text `json:"number" digits:"1" validate:"required card-number"`
	ExpiryMonth string      `json:"expiry_month" digits:"2" validate:"required month"`
	ExpiryYear  string      `json:"expiry_year" digits:"2" validate:"required year own"`
	CVV         secret.Text `json:"cvv" digits:"1" validate:"required cvv own"`
	ZipCode     string      `json:"zip_code" digits:"5" empty:"refused" validate:"us-zip-code"` // US merchants only
}

// CardSummary is what may be kept of a card (contract §5.3).
type CardSummary struct {
	AcquirerToken string `dynamo:"acquirer_token,omitempty"` // the acquirer's name for the card
	Brand         string `dynamo:"brand"`                    // one of contract §2.7's card types
	LastFour      string `dynamo:"last_4_digits"`
	ExpiryMonth   int    `dynamo:"expiry_month"` // 0: it was not kept
	ExpiryYear    int    `dynamo:"expiry_year"`
}

// Expired reports whether the card's last month, if it was kept, has ended in every time zone.
func (s CardSummary) Expired(now time.Time) bool {
	return s.ExpiryMonth != 0 && expired(s.ExpiryYear, s.ExpiryMonth, now)
}

// WithoutExpiry is what may be kept of a real card in test mode (contract §8.4).
func (s CardSummary) WithoutExpiry() CardSummary {
	s.ExpiryMonth, s.ExpiryYear = 0, 0
	return s
}

// expired allows twelve hours past UTC midnight for the last time zone.
func expired(year, month int, now time.Time) bool {
	end := time.Date(year, time.Month(month)+1, 1, 12, 0, 0, 0, time.UTC)
	return !now.Before(end)
}

// Summary returns what may be kept of a checked card, without an acquirer's token yet.
func (c *Card) Summary() CardSummary {
	month, year := c.expiry()
	number := c.Number.Reveal()
	return CardSummary{Brand: Brand(number), LastFour: number[max(len(number)-4, 0):],
		ExpiryMonth: month, ExpiryYear: year}
}

// expiry reads the card's last month; what is not two (or four) digits is 0.
func (c Card) expiry() (month, year int) {
	if len(c.ExpiryMonth) == 2 && digits(c.ExpiryMonth) {
		month, _ = strconv.Atoi(c.ExpiryMonth)
	}
	text := c.ExpiryYear
	if len(text) == 2 {
		text = "20" + text
	}
	if len(text) == 4 && digits(text) {
		year, _ = strconv.Atoi(text)
	}
	return month, year
}

// Rule refuses an expired card, and a CVV sent as a number, which loses its leading zero, of too few or many digits.
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
	case month >= 1 && month <= 12 && expired(year, month, now):
		return "is in the past: the card has expired"
	default:
		return ""
	}
}

// cvvDigits returns how many digits a brand's CVV has. American Express prints four, all others three.
func cvvDigits(brand string) int {
	if brand == "AMEX" {
		return 4
	}
	return 3
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
