package rest

import (
	"errors"
	"math"
	"strconv"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// PageSize is the query parameter limit of a list (contract §2.6): a positive
// integer of any size, 0 when absent. A list limits it by Capped, or
// by the rule max of its tag.
type PageSize int

// UnmarshalText reads a positive integer; one beyond an int32 counts as the
// largest. Failure: Invalid.
func (n *PageSize) UnmarshalText(text []byte) error {
	size, err := strconv.ParseInt(string(text), 10, 64)
	if size < 1 || (err != nil && !errors.Is(err, strconv.ErrRange)) {
		return failure.Invalid("", "must be a positive integer")
	}
	*n = PageSize(min(size, math.MaxInt32))
	return nil
}

// Capped is how many items to return: fallback if absent, and at most most.
func (n PageSize) Capped(fallback, most int) int {
	return min(n.or(fallback), most)
}

func (n PageSize) or(fallback int) int {
	if n == 0 {
		return fallback
	}
	return int(n)
}
