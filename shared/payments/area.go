package payments

import (
	"strconv"
	"strings"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// Location is the place of a payment in degrees, as the terminal reports it.
type Location struct {
	Lat float64 `dynamo:"lat"`
	Lon float64 `dynamo:"lon"`
	// Accuracy is the radius of uncertainty in metres; 0: not known.
	Accuracy float64 `dynamo:"accuracy,omitempty"`
}

// Area is a box on the map, edges included. If the box crosses the date line, its west is greater than its east.
type Area struct {
	text                     string
	west, south, east, north float64
}

var errArea = failure.Invalid("", "must be the longitude and latitude of the southwest corner, then of the "+
	"northeast: four decimal numbers, joined by commas, such as 13.1,52.3,13.7,52.7")

// UnmarshalText reads "<west>,<south>,<east>,<north>" (contract §6.3). Failure: Invalid.
func (a *Area) UnmarshalText(text []byte) error {
	parts := strings.Split(string(text), ",")
	if len(parts) != 4 {
		return errArea
	}
	read := Area{text: string(text)}
	for i, edge := range []*float64{&read.west, &read.south, &read.east, &read.north} {
		limit := 180.0
		if i%2 == 1 {
			limit = 90
		}
		var ok bool
		if *edge, ok = parseDegrees(parts[i], limit); !ok {
			return errArea
		}
	}
	if read.south > read.north {
		return errArea
	}
	*a = read
	return nil
}

// parseDegrees reads a plain decimal number from -limit to limit.
func parseDegrees(text string, limit float64) (float64, bool) {
	integer, fraction, hasPoint := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	if integer == "" || (hasPoint && fraction == "") || strings.Trim(integer+fraction, "0123456789") != "" {
		return 0, false
	}
	d, err := strconv.ParseFloat(text, 64)
	return d, err == nil && d >= -limit && d <= limit
}

// String returns the text that the area was read from.
func (a Area) String() string { return a.text }

// Contains returns true if the location lies within the area.
func (a Area) Contains(l Location) bool {
	if l.Lat < a.south || l.Lat > a.north {
		return false
	}
	if a.west <= a.east {
		return l.Lon >= a.west && l.Lon <= a.east
	}
	return l.Lon >= a.west || l.Lon <= a.east
}
