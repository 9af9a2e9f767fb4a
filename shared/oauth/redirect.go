package oauth

import (
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// maxRedirectURI is how long a redirect URI may be, in characters.
const maxRedirectURI = 512

// notInURIs are the printable characters that no URI has (RFC 3986 §2) and that browsers escape
// in different ways.
const notInURIs = "\"<>\\^`{|}"

// CheckRedirectURI says what is wrong with a redirect URI of a client in the mode, as a
// predicate for failure.Invalid; "" if nothing is. Codes are sent to it, so it must be https; in
// test mode it may also be http on the browser's own machine. It is not normalised, since requests
// are compared with its text (redirectMatches).
func CheckRedirectURI(text string, mode identity.Mode) string {
	u, err := url.Parse(text)
	switch {
	case text == "" || len(text) > maxRedirectURI:
		return "must have 1 to 512 characters"
	case strings.Contains(text, "*"): // lest somebody expect a wildcard
		return "must have no wildcard"
	case strings.ContainsFunc(text, isNotInURIs):
		return "must have only the characters of a URI"
	case err != nil:
		return validate.UnparsedURL(text, err)
	case u.Opaque != "" || u.Host == "":
		return "must be an absolute URI with a host"
	case strings.Contains(text, "#"):
		return "must have no fragment"
	case u.User != nil:
		return "must have no user information"
	case !isPort(u):
		return "must have a port from 1 to 65535, or none"
	case !isHost(u):
		return "must have the name or address of a host"
	case u.Scheme == "https", u.Scheme == "http" && mode == identity.Test && isLoopback(u.Hostname()):
		return ""
	case mode == identity.Test:
		return "must be https, or http on 127.0.0.1, [::1] or localhost"
	default:
		return "must be https"
	}
}

// loopbackURI matches http URIs on the browser's own machine, and finds what stands before the port and after it.
var loopbackURI = regexp.MustCompile(`^(http://(?:127\.0\.0\.1|\[::1\]|localhost))(?::[1-9][0-9]{0,4})?([/?].*)?$`)

// redirectMatches reports whether a request may name this redirect URI where the other is registered. They are compared
// as texts (RFC 9700 §2.1). Only the port of a URI on the browser's own machine may differ: a native app listens at a
// port that the system chooses when the app asks (RFC 8252 §7.3), also at localhost (RFC 9700 §4.1.3).
func redirectMatches(registered, named string) bool {
	if registered == named {
		return true
	}
	known, asked := loopbackURI.FindStringSubmatch(registered), loopbackURI.FindStringSubmatch(named)
	return known != nil && asked != nil && slices.Equal(known[1:], asked[1:]) &&
		CheckRedirectURI(named, identity.Test) == ""
}

func isNotInURIs(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(notInURIs, r) }

// isLoopback reports whether the host is the browser's own machine (RFC 8252 §7.3, §8.3).
func isLoopback(host string) bool { return host == "127.0.0.1" || host == "::1" || host == "localhost" }

// isPort reports whether the URI's port, if there is a colon, is a number from 1 to 65535.
func isPort(u *url.URL) bool {
	port, err := strconv.Atoi(u.Port())
	return !strings.HasSuffix(u.Host, ":") && (u.Port() == "" || err == nil && port >= 1 && port <= 65535)
}

// isHost reports whether the URI's host is a domain name or an IP address without a zone.
func isHost(u *url.URL) bool {
	host := u.Hostname()
	if strings.HasPrefix(u.Host, "[") {
		address, err := netip.ParseAddr(host)
		return err == nil && address.Is6() && address.Zone() == ""
	}
	if len(host) > 253 {
		return false
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 || strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") ||
			strings.ContainsFunc(label, notInNames) {
			return false
		}
	}
	return true
}

// notInNames reports whether host names cannot have the character (RFC 1123 §2.1).
func notInNames(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-'
}
