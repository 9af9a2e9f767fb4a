package rest

import (
	"strings"

	"github.com/google/uuid"
)

// ID is an identifier of the platform's. UUIDs are written in lower case, and may be sent in capitals (RFC 9562 §4).
type ID string

// UnmarshalText reads any text.
func (id *ID) UnmarshalText(text []byte) error {
	*id = ID(text)
	const digitsAndHyphens = 36 // uuid.Validate also takes other spellings of other lengths
	if len(text) == digitsAndHyphens && uuid.Validate(string(text)) == nil {
		*id = ID(strings.ToLower(string(text)))
	}
	return nil
}

// Email is an address, or its beginning, in a query. An unescaped + reads as a blank, which no address has.
type Email string

// UnmarshalText reads any text.
func (e *Email) UnmarshalText(text []byte) error {
	*e = Email(strings.ReplaceAll(string(text), " ", "+"))
	return nil
}
