package merchant

import (
	"sync"
	"time"
	_ "time/tzdata" // Lambda's runtime image has no time zones
)

// Location returns the merchant's time zone, or UTC when it is unset or unknown.
func (m Merchant) Location() *time.Location {
	name := m.TimeZone
	if known, ok := locations.Load(name); ok {
		return known.(*time.Location)
	}
	place, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	locations.Store(name, place)
	return place
}

// locations caches time zones, because loading a zone reads a file or a part of the program. A few hundred zones exist.
var locations sync.Map // IANA name → *time.Location
