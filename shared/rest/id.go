package rest

import "strings"

// ID is an identifier that the platform has made. A UUID may be sent in capitals (RFC 9562 §4); the platform writes it
// in lower case.
type ID string

// UnmarshalText reads any text.
func (id *ID) UnmarshalText(text []byte) error {
	*id = ID(text)
	if isUUID(string(text)) {
		*id = ID(strings.ToLower(string(text)))
	}
	return nil
}

func isUUID(text string) bool {
	const shape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
	if len(text) != len(shape) {
		return false
	}
	for i := range len(shape) {
		hyphen := shape[i] == '-'
		if hyphen != (text[i] == '-') || !hyphen && strings.IndexByte("0123456789abcdefABCDEF", text[i]) < 0 {
			return false
		}
	}
	return true
}

// Email is an email address, or its beginning, in a query. A client that sends + unescaped means itself; a form's
// reader takes it for a blank, which no address has.
type Email string

// UnmarshalText reads any text.
func (e *Email) UnmarshalText(text []byte) error {
	*e = Email(strings.ReplaceAll(string(text), " ", "+"))
	return nil
}
