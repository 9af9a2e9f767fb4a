package store

import (
	"errors"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// maxTries bounds how often something is tried that others keep changing. Each
// try that comes too late has let somebody else through.
const maxTries = 20

// ErrContended: others changed what an operation is based on at every try, and
// nothing was written. As a failure it is a transient Conflict.
var ErrContended = failure.Conflict("Other requests keep changing this. Try again.").AsTransient()

// Retry reads, decides and writes by try, and does so again as long as that
// answers ErrStale: somebody else has changed what was read meanwhile. again is
// false the first time. Errors: ErrContended, and try's.
func Retry[T any](try func(again bool) (T, error)) (T, error) {
	for i := range maxTries {
		result, err := try(i > 0)
		if !errors.Is(err, ErrStale) {
			return result, err
		}
	}
	var none T
	return none, ErrContended
}
