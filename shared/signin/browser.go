package signin

import "strings"

// product is a browser or a system, and the mark by which a header User-Agent shows it.
type product struct{ mark, name string }

// The browsers and systems that ParseBrowser knows. Many browsers also send the marks of others, so the more special
// come first.
var (
	browsers = []product{{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"},
		{"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"}, {"CriOS/", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}}
	systems = []product{{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"},
		{"Macintosh", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"}}
)

// ParseBrowser returns the names of the browser and the system of a header User-Agent, such as "Firefox, Linux", in at
// most 32 characters. It returns "" if it knows neither. The names come from fixed lists, so no text of the header is
// shown to the account's owner.
func ParseBrowser(userAgent string) string {
	var names []string
	for _, known := range [][]product{browsers, systems} {
		if p, found := findProduct(known, userAgent); found {
			names = append(names, p.name)
		}
	}
	return strings.Join(names, ", ")
}

func findProduct(known []product, userAgent string) (product, bool) {
	for _, p := range known {
		if strings.Contains(userAgent, p.mark) {
			return p, true
		}
	}
	return product{}, false
}
