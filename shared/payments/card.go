package payments

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// Secret is text that must reach the acquirer and nothing else: a card number
// or a CVV. It cannot be printed, logged, marshalled or stored; only Reveal
// gives it away, and only acquirers call that. The text sits behind a function
// because fmt walks into unexported fields without asking for methods, but
// cannot look into a func.
type Secret struct{ reveal func() string }

// NewSecret wraps text.
func NewSecret(text string) Secret { return Secret{func() string { return text }} }

var errSecret = errors.New("payments: a card secret cannot be written out")

// Reveal returns the text, for the acquirer's request alone.
func (s Secret) Reveal() string {
	if s.reveal == nil {
		return ""
	}
	return s.reveal()
}

// IsZero says nothing was sent.
func (s Secret) IsZero() bool { return s.Reveal() == "" }

// Format hides the text from every verb of fmt; %d would not ask for String.
func (Secret) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "[redacted]") }

// String hides the text from callers of fmt.Stringer.
func (Secret) String() string { return "[redacted]" }

// LogValue hides the text from slog.
func (Secret) LogValue() slog.Value { return slog.StringValue("[redacted]") }

// MarshalJSON always fails: a card secret is never part of an answer.
func (Secret) MarshalJSON() ([]byte, error) { return nil, errSecret }

// MarshalText always fails; DynamoDB's encoder asks for text too.
func (Secret) MarshalText() ([]byte, error) { return nil, errSecret }

// UnmarshalJSON reads the text from a request.
func (s *Secret) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	*s = NewSecret(text)
	return nil
}

// Card is a payer's card as sent with a process request. It exists only
// while that request runs.
type Card struct {
	Name        string `json:"name"`
	Number      Secret `json:"number"`
	ExpiryMonth string `json:"expiry_month"` // "01" to "12"
	ExpiryYear  string `json:"expiry_year"`  // YY or YYYY
	CVV         Secret `json:"cvv"`
	ZipCode     string `json:"zip_code" empty:"refused"` // US merchants only
}

// CardSummary is what may be kept of a card (contract §5.3).
type CardSummary struct {
	AcquirerToken string `dynamo:"acquirer_token,omitempty"` // the acquirer's name for the card
	Brand         string `dynamo:"brand"`                    // one of contract §2.7's card types
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
	month, year := c.expiry()
	number := c.Number.Reveal()
	return CardSummary{Brand: Brand(number), LastFour: number[max(len(number)-4, 0):], ExpiryMonth: month, ExpiryYear: year}
}

// expiry reads the card's last month; what is not two (or four) digits is 0.
func (c *Card) expiry() (month, year int) {
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

// Check lists what is wrong with the card (contract §4.3). country is the
// merchant's; its US rule asks for a zip code.
func (c *Card) Check(country string, now time.Time) failure.List {
	var faults failure.List
	if c.Name == "" {
		faults = append(faults, failure.Missing("card.name"))
	} else {
		faults = append(faults, checkText("card.name", &c.Name)...)
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
	month, year := c.expiry()
	switch {
	case c.ExpiryMonth == "":
		faults = append(faults, failure.Missing("card.expiry_month"))
	case month < 1 || month > 12:
		faults = append(faults, failure.Invalid("card.expiry_month", `must be "01" to "12"`))
	}
	switch {
	case c.ExpiryYear == "":
		faults = append(faults, failure.Missing("card.expiry_year"))
	case year == 0:
		faults = append(faults, failure.Invalid("card.expiry_year", "must be YY or YYYY"))
	case faults == nil && expired(year, month, now):
		faults = append(faults, failure.Invalid("card.expiry_year", "the card has expired"))
	}
	return faults
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
