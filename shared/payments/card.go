package payments

import (
	"encoding/json"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// Secret is text that must reach the acquirer and nothing else: a card number
// or a CVV. It cannot be printed, logged, marshalled or stored; only Reveal
// gives it away, and only acquirers call that.
type Secret struct{ text string }

// NewSecret wraps text.
func NewSecret(text string) Secret { return Secret{text} }

var errSecret = errors.New("payments: a card secret cannot be written out")

// Reveal returns the text, for the acquirer's request alone.
func (s Secret) Reveal() string { return s.text }

// IsZero says nothing was sent.
func (s Secret) IsZero() bool { return s.text == "" }

// String hides the text from fmt.
func (Secret) String() string { return "[redacted]" }

// GoString hides the text from %#v.
func (Secret) GoString() string { return "[redacted]" }

// LogValue hides the text from slog.
func (Secret) LogValue() slog.Value { return slog.StringValue("[redacted]") }

// MarshalJSON always fails: a card secret is never part of an answer.
func (Secret) MarshalJSON() ([]byte, error) { return nil, errSecret }

// MarshalText always fails; DynamoDB's encoder asks for text too.
func (Secret) MarshalText() ([]byte, error) { return nil, errSecret }

// UnmarshalJSON reads the text from a request.
func (s *Secret) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &s.text) }

// Card is a payer's card as sent with a process request. It exists only
// while that request runs.
type Card struct {
	Name        string `json:"name"`
	Number      Secret `json:"number"`
	ExpiryMonth string `json:"expiry_month"` // "01" to "12"
	ExpiryYear  string `json:"expiry_year"`  // YY or YYYY
	CVV         Secret `json:"cvv"`
	ZipCode     string `json:"zip_code"` // US merchants only
}

// CardSummary is what may be kept of a card (contract §5).
type CardSummary struct {
	AcquirerToken string `dynamo:"acquirer_token,omitempty"` // the acquirer's name for the card
	Brand         string `dynamo:"brand"`                    // one of the spec's card types
	LastFour      string `dynamo:"last_4_digits"`
	ExpiryMonth   int    `dynamo:"expiry_month"`
	ExpiryYear    int    `dynamo:"expiry_year"`
}

// Expired says the card's last month has ended everywhere on earth.
func (s CardSummary) Expired(now time.Time) bool {
	return expired(s.ExpiryYear, s.ExpiryMonth, now)
}

// expired allows twelve hours past UTC midnight for the last time zone.
func expired(year, month int, now time.Time) bool {
	end := time.Date(year, time.Month(month)+1, 1, 12, 0, 0, 0, time.UTC)
	return !now.Before(end)
}

// Summary is what may be kept, without an acquirer's token yet. Call Check first.
func (c *Card) Summary() CardSummary {
	month, year, _ := c.expiry()
	number := c.Number.Reveal()
	return CardSummary{Brand: Brand(number), LastFour: number[len(number)-4:], ExpiryMonth: month, ExpiryYear: year}
}

func (c *Card) expiry() (month, year int, ok bool) {
	month, errMonth := strconv.Atoi(c.ExpiryMonth)
	year, errYear := strconv.Atoi(c.ExpiryYear)
	if len(c.ExpiryYear) == 2 {
		year += 2000
	}
	ok = errMonth == nil && errYear == nil && len(c.ExpiryMonth) == 2 && month >= 1 && month <= 12 &&
		(len(c.ExpiryYear) == 2 || len(c.ExpiryYear) == 4)
	return month, year, ok
}

// Check lists what is wrong with the card (contract §4.3). country is the
// merchant's; its US rule asks for a zip code.
func (c *Card) Check(country string, now time.Time) failure.List {
	var faults failure.List
	if c.Name == "" {
		faults = append(faults, failure.Missing("card.name"))
	} else {
		faults = append(faults, checkLength("card.name", &c.Name)...)
	}
	faults = append(faults, c.checkNumber()...)
	faults = append(faults, c.checkExpiry(now)...)
	switch cvv := c.CVV.Reveal(); {
	case cvv == "":
		faults = append(faults, failure.Missing("card.cvv"))
	case !digits(cvv) || len(cvv) < 3 || len(cvv) > 4:
		faults = append(faults, failure.Invalid("card.cvv", "must be 3 or 4 digits"))
	}
	if c.ZipCode == "" && country == "US" {
		faults = append(faults, failure.Missing("card.zip_code"))
	}
	if c.ZipCode != "" && (!digits(c.ZipCode) || len(c.ZipCode) != 5) {
		faults = append(faults, failure.Invalid("card.zip_code", "must be 5 digits"))
	}
	return faults
}

func (c *Card) checkNumber() failure.List {
	number := c.Number.Reveal()
	switch {
	case number == "":
		return failure.List{failure.Missing("card.number")}
	case !digits(number) || len(number) < 12 || len(number) > 19 || !luhn(number):
		return failure.List{failure.Invalid("card.number", "must be a card number, digits only")}
	}
	return nil
}

func (c *Card) checkExpiry(now time.Time) failure.List {
	var faults failure.List
	if c.ExpiryMonth == "" {
		faults = append(faults, failure.Missing("card.expiry_month"))
	}
	if c.ExpiryYear == "" {
		faults = append(faults, failure.Missing("card.expiry_year"))
	}
	if faults != nil {
		return faults
	}
	month, year, ok := c.expiry()
	switch {
	case !ok && (len(c.ExpiryYear) == 2 || len(c.ExpiryYear) == 4) && digits(c.ExpiryYear):
		return failure.List{failure.Invalid("card.expiry_month", `must be "01" to "12"`)}
	case !ok:
		return failure.List{failure.Invalid("card.expiry_year", "must be YY or YYYY")}
	case expired(year, month, now):
		return failure.List{failure.Invalid("card.expiry_year", "the card has expired")}
	}
	return nil
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// luhn is the check of ISO/IEC 7812-1, annex B.
func luhn(number string) bool {
	sum := 0
	for i := range len(number) {
		d := int(number[len(number)-1-i] - '0')
		if i%2 == 1 {
			d *= 2
			if d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}
