package rest

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// PageSize is the query parameter limit of a list (contract §2.6): a positive
// integer of any size, 0 when absent. The list says with Capped or Within what
// becomes of a large one.
type PageSize int

// UnmarshalText reads a positive integer; one beyond an int32 counts as the
// largest. Failure: Rejected.
func (n *PageSize) UnmarshalText(text []byte) error {
	size, err := strconv.ParseInt(string(text), 10, 64)
	if size < 1 || (err != nil && !errors.Is(err, strconv.ErrRange)) {
		return failure.Invalid("", "must be a positive integer.")
	}
	*n = PageSize(min(size, math.MaxInt32))
	return nil
}

// Capped is how many items to serve where more than most is served as most.
func (n PageSize) Capped(fallback, most int) int {
	return min(n.or(fallback), most)
}

// Within is how many items to serve where more than most is refused. Failure:
// Rejected limit.
func (n PageSize) Within(fallback, most int) (int, error) {
	if int(n) > most {
		return 0, failure.Invalid("limit", fmt.Sprintf("must be 1 to %d.", most))
	}
	return n.or(fallback), nil
}

func (n PageSize) or(fallback int) int {
	if n == 0 {
		return fallback
	}
	return int(n)
}
