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
)

// Secret is text that must reach the acquirer and nothing else: a card number
// or a CVV. It cannot be printed, logged, marshalled or stored; only Reveal
// returns it: to acquirers, to the check of the number's form, and to the keyed
// hash that names a card. The text is inside a function because fmt prints
// unexported fields without calling their methods, but cannot print a func.
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

// IsZero reports whether the text is empty.
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
	Name        string `json:"name" validate:"required text=255"`
	Number      Secret `json:"number" validate:"required card-number"`
	ExpiryMonth string `json:"expiry_month" validate:"required month"`
	ExpiryYear  string `json:"expiry_year" validate:"required year own"`
	CVV         Secret `json:"cvv" validate:"required cvv"`
	ZipCode     string `json:"zip_code" empty:"refused" validate:"us-zip-code"` // US merchants only
}

// CardSummary is what may be kept of a card (contract §5.3).
type CardSummary struct {
	AcquirerToken string `dynamo:"acquirer_token,omitempty"` // the acquirer's name for the card
	Brand         string `dynamo:"brand"`                    // one of contract §2.7's card types
	LastFour      string `dynamo:"last_4_digits"`
	ExpiryMonth   int    `dynamo:"expiry_month"`
	ExpiryYear    int    `dynamo:"expiry_year"`
}

// Expired reports whether the card's last month has ended in every time zone.
func (s CardSummary) Expired(now time.Time) bool {
	return expired(s.ExpiryYear, s.ExpiryMonth, now)
}

// expired allows twelve hours past UTC midnight for the last time zone.
func expired(year, month int, now time.Time) bool {
	end := time.Date(year, time.Month(month)+1, 1, 12, 0, 0, 0, time.UTC)
	return !now.Before(end)
}

// Summary is what may be kept, without an acquirer's token yet, of a card whose
// fields were checked.
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

// Rule of the card's last month: it has not passed.
func (c Card) Rule(_ string, now time.Time) string {
	switch month, year := c.expiry(); {
	case year == 0:
		return "must be YY or YYYY"
	case month >= 1 && month <= 12 && expired(year, month, now):
		return "is in the past: the card has expired"
	default:
		return ""
	}
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
