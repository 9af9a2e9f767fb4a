package member

import (
	"encoding/json"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// The limits of metadata (contract §8.1).
const (
	maxMetadataKeys = 64
	maxMetadataKey  = 64   // characters
	maxMetadata     = 4096 // bytes as stored
)

// Metadata is a client's JSON object for a member or role, as text; "": none. The platform does not interpret it.
type Metadata string

// UnmarshalJSON reads an object within the limits. Failure: Invalid, without a param.
func (m *Metadata) UnmarshalJSON(text []byte) error {
	var fields map[string]json.RawMessage
	// An empty array is PHP's empty object (contract §2.2).
	var none []struct{}
	if err := json.Unmarshal(text, &fields); err != nil && (json.Unmarshal(text, &none) != nil || len(none) > 0) {
		return failure.Invalid("", "must be an object")
	}
	tooLong := func(key string) bool { return utf8.RuneCountInString(key) > maxMetadataKey }
	switch {
	case len(fields) > maxMetadataKeys:
		return failure.Invalid("", "must have at most 64 keys")
	case slices.ContainsFunc(slices.Collect(maps.Keys(fields)), tooLong):
		return failure.Invalid("", "must have keys of at most 64 characters")
	}
	stored, err := json.Marshal(fields)
	switch {
	case err != nil:
		return err
	case len(stored) > maxMetadata:
		return failure.Invalid("", "must have at most 4096 bytes")
	case len(fields) == 0:
		*m = ""
	default:
		*m = Metadata(stored)
	}
	return nil
}

// MarshalJSON writes the object.
func (m Metadata) MarshalJSON() ([]byte, error) {
	if m == "" {
		return []byte("{}"), nil
	}
	return []byte(m), nil
}
