// Package secret has a type for text that must never be shown, logged or stored: card numbers, CVVs and passwords. Wrap
// the text with New; only Reveal returns it.
package secret

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
)

// Text cannot be printed, logged, marshalled or stored. Only Reveal returns the text. A func holds the text, because
// fmt prints unexported fields without calling their methods, but cannot print the content of a func.
type Text struct {
	reveal func() string
	number bool
}

// New wraps text.
func New(text string) Text { return Text{reveal: func() string { return text }} }

// FromNumber wraps the digits of a number. The number may have lost the text's leading zeros.
func FromNumber(digits string) Text {
	t := New(digits)
	t.number = true
	return t
}

// IsNumber returns true if the text was made from a number.
func (s Text) IsNumber() bool { return s.number }

var errSecret = errors.New("secret: it cannot be written out")

// Reveal returns the text. Permitted uses of a card number or CVV: for acquirers, for the check of its form, and for
// the keyed hashes that name a card or a request to pay with a card. Permitted uses of a password: for the check of its
// form and for its hash. Permitted uses of a terminal's passcode: for the check of its form and for the terminal.
func (s Text) Reveal() string {
	if s.reveal == nil {
		return ""
	}
	return s.reveal()
}

// IsZero returns true if the text is empty.
func (s Text) IsZero() bool { return s.Reveal() == "" }

// Format hides the text from every verb of fmt. String alone would not suffice, because %d does not call it.
func (Text) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "[redacted]") }

// String hides the text from callers of fmt.Stringer.
func (Text) String() string { return "[redacted]" }

// LogValue hides the text from slog.
func (Text) LogValue() slog.Value { return slog.StringValue("[redacted]") }

// MarshalJSON always fails, because a secret is never part of an answer.
func (Text) MarshalJSON() ([]byte, error) { return nil, errSecret }

// MarshalText always fails, as MarshalJSON does. DynamoDB's encoder calls MarshalText.
func (Text) MarshalText() ([]byte, error) { return nil, errSecret }

// UnmarshalJSON reads the text from a request.
func (s *Text) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	*s = New(text)
	return nil
}

// UnmarshalText reads the text from the field of a form.
func (s *Text) UnmarshalText(text []byte) error {
	*s = New(string(text))
	return nil
}
