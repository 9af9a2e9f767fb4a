package rest

import "time"

// Instant is a date-time as checkouts and payment instruments show it:
// milliseconds and a colon offset (contract §2.4).
type Instant time.Time

// MarshalJSON writes 2020-02-29T10:56:56.000+00:00.
func (t Instant) MarshalJSON() ([]byte, error) {
	return []byte(time.Time(t).UTC().Format(`"2006-01-02T15:04:05.000+00:00"`)), nil
}
