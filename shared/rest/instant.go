package rest

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/validate"
)

// Instant is a date-time of checkouts and payment instruments: milliseconds and a colon offset (contract §2.4).
type Instant time.Time

// MarshalJSON writes 2020-02-29T10:56:56.000+00:00.
func (t Instant) MarshalJSON() ([]byte, error) {
	return []byte(time.Time(t).UTC().Format(`"2006-01-02T15:04:05.000+00:00"`)), nil
}

// Timestamp is a date-time of all other families: milliseconds and Z (contract §2.4).
type Timestamp time.Time

// MarshalJSON writes 2020-02-29T10:56:56.876Z.
func (t Timestamp) MarshalJSON() ([]byte, error) {
	return []byte(time.Time(t).UTC().Format(`"2006-01-02T15:04:05.000Z"`)), nil
}

// LocalTime is a local_time: milliseconds and the merchant's colon offset (contract §2.4). Local returns a LocalTime.
type LocalTime struct{ at time.Time }

// Local returns t in the merchant's time zone.
func Local(t time.Time, place *time.Location) LocalTime { return LocalTime{t.In(place)} }

// MarshalJSON writes 2020-02-29T11:56:56.876+01:00.
func (t LocalTime) MarshalJSON() ([]byte, error) {
	return []byte(t.at.Format(`"2006-01-02T15:04:05.000-07:00"`)), nil
}

// setTime parses an RFC 3339 date-time, and stores it in UTC. It returns the fault, or "" if there is none. An
// unescaped + in a query is decoded as a blank, so setTime reads a blank before the offset as a +.
func setTime(to *time.Time, text string) string {
	if sign := len(text) - len("+01:00"); sign > 0 && text[sign] == ' ' {
		text = text[:sign] + "+" + text[sign+1:]
	}
	at, ok := validate.Time(text)
	*to = at
	if !ok {
		return "must be a date-time, such as 2020-02-29T10:56:56Z or 2020-02-29T11:56:56+01:00"
	}
	return ""
}
