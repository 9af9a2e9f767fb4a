package merchant

import (
	"sync"
	"time"
	_ "time/tzdata" // Lambda's runtime image has no time zones
)

// Location is the merchant's time zone; UTC when it is unset or unknown.
func (m Merchant) Location() *time.Location {
	name := m.TimeZone
	if known, ok := places.Load(name); ok {
		return known.(*time.Location)
	}
	place, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	places.Store(name, place)
	return place
}

// places are the locations loaded so far: reading one takes a file or a part
// of the program. There are as many as time zones, some hundreds.
var places sync.Map // IANA name → *time.Location
