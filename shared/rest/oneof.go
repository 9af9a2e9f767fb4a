package rest

import (
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// OneOf sets to, a type of a request's field, to the allowed value that text
// is; case counts. Failure: Rejected, naming all of them. It is the whole
// UnmarshalText of such a type:
//
//	func (o *order) UnmarshalText(text []byte) error {
//		return rest.OneOf(o, text, "ascending", "descending")
//	}
func OneOf[T ~string](to *T, text []byte, allowed ...T) error {
	if slices.Contains(allowed, T(text)) {
		*to = T(text)
		return nil
	}
	names := make([]string, len(allowed))
	for i, a := range allowed {
		names[i] = string(a)
	}
	return failure.Invalid("", "must be one of "+strings.Join(names, ", ")+".")
}
