package clock

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	day  = 24 * time.Hour
	week = 7 * day
)

var (
	units           = map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": day, "w": week}
	durationPattern = regexp.MustCompile(`^([0-9]+)([smhdw])$`)
)

// ParseDuration parses a positive duration as people write it: 90s, 15m, 36h, 7d, 2w. A day has 24 hours.
func ParseDuration(text string) (time.Duration, error) {
	if parts := durationPattern.FindStringSubmatch(text); parts != nil {
		n, err := strconv.ParseInt(parts[1], 10, 64)
		if unit := units[parts[2]]; err == nil && n > 0 && n <= int64(math.MaxInt64/unit) {
			return time.Duration(n) * unit, nil
		}
	}
	return 0, fmt.Errorf("%q is not a duration above zero: write 90s, 15m, 36h, 7d or 2w", text)
}

// FormatDuration formats a duration in days, hours, minutes and seconds, such as 7d 1h. It omits units that are zero.
func FormatDuration(d time.Duration) string {
	d = d.Truncate(time.Second)
	var parts []string
	for _, u := range []struct {
		name string
		size time.Duration
	}{{"d", day}, {"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}} {
		if n := d / u.size; n > 0 {
			parts = append(parts, fmt.Sprintf("%d%s", n, u.name))
		}
		d %= u.size
	}
	if len(parts) == 0 {
		return "0s"
	}
	return strings.Join(parts, " ")
}
