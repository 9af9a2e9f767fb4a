package store

import (
	"errors"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// maxTries bounds the tries of an operation. Each failed try means that another writer succeeded, or was writing.
const maxTries = 20

// ErrContended reports that in each try another writer changed the item or was writing it, and that nothing was
// written. As a failure it is a transient Conflict.
var ErrContended = failure.Conflict("Other requests keep changing this. Try again.").AsTransient()

// Retry calls try, which reads, decides and writes. It calls try again while try returns ErrStale. If the write is
// refused because another write of the item is in flight, Retry waits a short random time and calls try again, because
// the other write may fail. again is false at the first call. Errors: ErrContended; those of try.
func Retry[T any](try func(again bool) (T, error)) (T, error) {
	for i := range maxTries {
		result, err := try(i > 0)
		var conflict *conflictError
		switch {
		case errors.Is(err, ErrStale):
		case errors.As(err, &conflict) && (i == maxTries-1 || conflict.wait(i+1) == nil):
		default:
			return result, err
		}
	}
	var none T
	return none, ErrContended
}

// UnlessStale returns nil for ErrStale, and any other error as it is. ErrStale means that another call was faster, so
// this call's work is done or no longer due.
func UnlessStale(err error) error {
	if errors.Is(err, ErrStale) {
		return nil
	}
	return err
}

// retryWrite is Retry for a try that returns only an error.
func retryWrite(try func(again bool) error) error {
	_, err := Retry(func(again bool) (struct{}, error) { return struct{}{}, try(again) })
	return err
}
