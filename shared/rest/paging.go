package rest

import (
	"cmp"
	"errors"
	"math"
	"strconv"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// PageSize is a list's limit (contract §2.6): a positive integer, or 0 when absent. Capped, or the rule max in the tag
// validate, sets an upper bound.
type PageSize int

// UnmarshalText reads a positive integer. A number beyond an int32 counts as the largest int32. Failure: Invalid.
func (n *PageSize) UnmarshalText(text []byte) error {
	size, err := strconv.ParseInt(string(text), 10, 64)
	if size < 1 || (err != nil && !errors.Is(err, strconv.ErrRange)) {
		return failure.Invalid("", "must be a positive integer")
	}
	*n = PageSize(min(size, math.MaxInt32))
	return nil
}

// Capped returns the number of items to return: n, or fallback if n is absent. The parameter most is its upper bound.
func (n PageSize) Capped(fallback, most int) int {
	return min(cmp.Or(int(n), fallback), most)
}

// Paging selects a part of a list by position (contract §2.6).
type Paging struct {
	Offset int      `query:"offset" validate:"min=0"`
	Limit  PageSize `query:"limit"`
}

// The page sizes of contract §2.6.
const (
	usualPage   = 10
	largestPage = 25
)

// Listing is a page of a list, with the number of items on all pages.
type Listing[T any] struct {
	Items []T `json:"items"`
	Total int `json:"total_count"`
}

// Page returns the number of entries before the page, and the largest number of entries on the page.
func (p Paging) Page() (offset, limit int) { return p.Offset, p.Limit.Capped(usualPage, largestPage) }

// Bounds returns the start and end of the page in a list with total entries.
func (p Paging) Bounds(total int) (from, to int) {
	from = min(p.Offset, total)
	_, limit := p.Page()
	return from, min(from+limit, total)
}

// PageOf returns the page of a list. all holds every entry of the list.
func PageOf[T, V any](p Paging, all []T, view func(T) V) Listing[V] {
	from, to := p.Bounds(len(all))
	return ListingOf(all[from:to], len(all), view)
}

// ListingOf returns a page that was read without the rest of its list. total counts the items on all pages.
func ListingOf[T, V any](page []T, total int, view func(T) V) Listing[V] {
	list := Listing[V]{Items: make([]V, len(page)), Total: total}
	for i, one := range page {
		list.Items[i] = view(one)
	}
	return list
}
