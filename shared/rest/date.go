package rest

import (
	"fmt"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// Date is a calendar day, strictly YYYY-MM-DD (contract §2.4). The zero Date is absent. Optional fields need the tag
// omitzero.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// DateOf returns the day of t in its own location.
func DateOf(t time.Time) Date {
	year, month, day := t.Date()
	return Date{year, month, day}
}

func (d Date) String() string { return fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day) }

// MarshalText writes YYYY-MM-DD. It fails for a day that does not exist.
func (d Date) MarshalText() ([]byte, error) {
	text := []byte(d.String())
	if new(Date).UnmarshalText(text) != nil {
		return nil, fmt.Errorf("rest: there is no day %s", d)
	}
	return text, nil
}

// UnmarshalText accepts only YYYY-MM-DD. Failure: Invalid.
func (d *Date) UnmarshalText(text []byte) error {
	t, err := time.Parse(time.DateOnly, string(text))
	if err != nil {
		return failure.Invalid("", "must be a date, YYYY-MM-DD")
	}
	*d = DateOf(t)
	return nil
}
