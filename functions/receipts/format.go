package receipts

import (
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/page"
)

// moment is a time as it is read in the zone, with the zone.
func (s sheet) moment(at time.Time, zone *time.Location) string {
	layout := "02/01/2006, 15:04"
	switch s.language {
	case page.English:
		layout = "2 January 2006, 15:04"
	case page.German:
		layout = "02.01.2006, 15:04"
	}
	return at.In(zone).Format(layout + " (UTC-07:00)")
}

// percent is a VAT rate, a decimal fraction such as 0.19, as 19 %.
func (s sheet) percent(fraction string) string {
	whole, digits, _ := strings.Cut(fraction, ".")
	for len(digits) < 2 {
		digits += "0"
	}
	whole = strings.TrimLeft(whole+digits[:2], "0")
	rest := strings.TrimRight(digits[2:], "0")
	if whole == "" {
		whole = "0"
	}
	if rest != "" {
		point := ","
		if s.language == page.English {
			point = "."
		}
		whole += point + rest
	}
	return whole + "\u00a0%"
}
