package rest

import (
	"cmp"
	"errors"
	"math"
	"strconv"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// PageSize is a list's limit (contract §2.6): a positive integer, 0 when absent, bounded by Capped or the rule max.
type PageSize int

// UnmarshalText reads a positive integer; one beyond an int32 counts as the largest. Failure: Invalid.
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
	return min(cmp.Or(int(n), fallback), most)
}

// Paging is the part of a list that a request asks for by a position (contract §2.6).
type Paging struct {
	Offset int      `query:"offset" validate:"min=0"`
	Limit  PageSize `query:"limit"`
}

// The page sizes of contract §2.6.
const (
	usualPage   = 10
	largestPage = 25
)

// Listing is a part of a list, and how many there are on all pages.
type Listing[T any] struct {
	Items []T `json:"items"`
	Total int `json:"total_count"`
}

// Page is how many entries of the list come before the page, and how many it has at most.
func (p Paging) Page() (offset, limit int) { return p.Offset, p.Limit.Capped(usualPage, largestPage) }

// Bounds are where the page begins and ends in a list of so many.
func (p Paging) Bounds(total int) (from, to int) {
	from = min(p.Offset, total)
	_, limit := p.Page()
	return from, min(from+limit, total)
}

// PageOf is the part of all that the page has.
func PageOf[T, V any](p Paging, all []T, view func(T) V) Listing[V] {
	from, to := p.Bounds(len(all))
	return ListingOf(all[from:to], len(all), view)
}

// ListingOf is a page of a list of which nothing else was read, and how many there are on all pages.
func ListingOf[T, V any](page []T, total int, view func(T) V) Listing[V] {
	list := Listing[V]{Items: make([]V, len(page)), Total: total}
	for i, one := range page {
		list.Items[i] = view(one)
	}
	return list
}
