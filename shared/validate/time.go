package validate

import (
	"regexp"
	"time"
)

// dateTimes is the grammar of RFC 3339 §5.6, of which the offset may be missing.
var dateTimes = regexp.MustCompile(`^(\d{4}-\d\d-\d\d)[Tt]([01]\d|2[0-3])(:[0-5]\d:)([0-5]\d|60)(\.\d+)?` +
	`([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)?$`)

// Time reads a date-time of RFC 3339, in UTC; false for anything else. Without an offset it is one in UTC, as published
// clients send it. A leap second is the second after it, since Go's times have none.
func Time(text string) (time.Time, bool) {
	parts := dateTimes.FindStringSubmatch(text)
	if parts == nil {
		return time.Time{}, false
	}
	day, hour, minute, second, fraction, offset := parts[1], parts[2], parts[3], parts[4], parts[5], parts[6]
	leap := second == "60"
	if leap {
		second = "59"
	}
	if offset == "" || offset == "z" {
		offset = "Z"
	}
	const nanoseconds = 10 // digits of a fraction with its point
	at, err := time.Parse(time.RFC3339Nano, day+"T"+hour+minute+second+fraction[:min(len(fraction), nanoseconds)]+offset)
	at = at.UTC()
	if leap {
		if at.Hour() != 23 || at.Minute() != 59 { // when all leap seconds are (RFC 3339 §5.7)
			return time.Time{}, false
		}
		at = at.Truncate(time.Second).Add(time.Second)
	}
	// An offset can lead out of the years that RFC 3339 can write.
	if err != nil || at.Year() < 0 || at.Year() > 9999 {
		return time.Time{}, false
	}
	return at, true
}
