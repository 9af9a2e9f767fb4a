package rest

import (
	"strings"

	"github.com/google/uuid"
)

// ID is an identifier made by the platform. UUIDs are in lower case, but clients may send capitals (RFC 9562 §4).
type ID string

// UnmarshalText accepts any text, and puts a UUID into lower case.
func (id *ID) UnmarshalText(text []byte) error {
	*id = ID(text)
	const digitsAndHyphens = 36 // uuid.Validate also accepts other lengths
	if len(text) == digitsAndHyphens && uuid.Validate(string(text)) == nil {
		*id = ID(strings.ToLower(string(text)))
	}
	return nil
}

// Email is an address, or its beginning, in a query. An unescaped + arrives as a blank, which no address contains.
type Email string

// UnmarshalText accepts any text, and turns blanks back into +.
func (e *Email) UnmarshalText(text []byte) error {
	*e = Email(strings.ReplaceAll(string(text), " ", "+"))
	return nil
}
