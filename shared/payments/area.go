package payments

import (
	"strconv"
	"strings"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// Location is that of a payment, as its terminal reports it, in degrees.
type Location struct {
	Lat float64 `dynamo:"lat"`
	Lon float64 `dynamo:"lon"`
	// Accuracy is the radius in metres within which it is; 0: not known.
	Accuracy float64 `dynamo:"accuracy,omitempty"`
}

// Area is a box on the map, edges included. Across the date line its west is east of its east.
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
		if *edge, ok = degrees(parts[i], limit); !ok {
			return errArea
		}
	}
	if read.south > read.north {
		return errArea
	}
	*a = read
	return nil
}

// degrees reads a plain decimal number from -limit to limit.
func degrees(text string, limit float64) (float64, bool) {
	integer, fraction, hasPoint := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	if integer == "" || (hasPoint && fraction == "") || strings.Trim(integer+fraction, "0123456789") != "" {
		return 0, false
	}
	d, err := strconv.ParseFloat(text, 64)
	return d, err == nil && d >= -limit && d <= limit
}

// String is the text the area was read from.
func (a Area) String() string { return a.text }

// Contains reports whether the location lies within.
func (a Area) Contains(l Location) bool {
	if l.Lat < a.south || l.Lat > a.north {
		return false
	}
	if a.west <= a.east {
		return l.Lon >= a.west && l.Lon <= a.east
	}
	return l.Lon >= a.west || l.Lon <= a.east
}
