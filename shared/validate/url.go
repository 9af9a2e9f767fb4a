package validate

import (
	"errors"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// maxURL bounds URLs, in bytes.
const maxURL = 2048

// notInHosts are the characters that a browser refuses in a host (URL Standard, "forbidden domain code point"), beside
// control characters.
const notInHosts = " #%/:<>?@[\\]^|\x7f"

// httpURL returns what is wrong with a text that must be an absolute http or https URL without credentials, which a
// browser can open; "" if nothing is.
func httpURL(text string) string {
	u, err := url.Parse(text)
	switch {
	case len(text) > maxURL:
		return "must have at most 2048 bytes"
	case err != nil:
		return UnparsedURL(text, err)
	case u.Scheme != "http" && u.Scheme != "https":
		return "must be an absolute http or https URL"
	case u.User != nil:
		return "must have no user information"
	case !isHost(u):
		return noHost
	case !isPort(u.Port()):
		return noPort
	default:
		return ""
	}
}

const (
	noHost = "must have the name or address of a host"
	noPort = "must have a port from 1 to 65535, or none"
)

// UnparsedURL says why url.Parse refuses a text, without repeating it.
func UnparsedURL(text string, err error) string {
	var escape url.EscapeError
	var host url.InvalidHostError
	switch {
	case strings.ContainsFunc(text, unicode.IsControl):
		return "must have no control characters"
	case badPort.MatchString(text):
		return noPort
	case errors.As(err, &escape) && !escaped.MatchString(string(escape)):
		return "must have two hexadecimal digits after each %"
	case errors.As(err, &escape), errors.As(err, &host), strings.Contains(text, "//["): // no host has another escape
		return noHost
	default:
		return "must be a URL"
	}
}

var (
	// badPort finds a port that is no number, behind a name or an address in brackets.
	badPort = regexp.MustCompile(`^[^/?#]*//(?:[^/?#@]*@)?(?:\[[^]/?#]*\]|[^[/?#:@]*)` +
		`:[^/?#@]*[^/?#@0-9][^/?#@]*(?:[/?#]|$)`)
	escaped = regexp.MustCompile(`^%[0-9A-Fa-f]{2}`)
)

func isHost(u *url.URL) bool {
	host := u.Hostname()
	if address, err := netip.ParseAddr(host); strings.HasPrefix(u.Host, "[") {
		return err == nil && address.Is6() && address.Zone() == ""
	}
	control := func(r rune) bool { return r < ' ' }
	if host == "" || strings.ContainsAny(host, notInHosts) || strings.ContainsFunc(host, control) {
		return false
	}
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	if last := labels[len(labels)-1]; digits(1, len(host))(last) { // so it is an address
		address, err := netip.ParseAddr(strings.TrimSuffix(host, "."))
		return err == nil && address.Is4()
	}
	for _, label := range labels {
		if label == "" {
			return false
		}
	}
	return true
}

func isPort(text string) bool {
	port, err := strconv.Atoi(text)
	return text == "" || err == nil && port >= 1 && port <= 65535
}
