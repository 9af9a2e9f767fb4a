package webhook

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// Size limits in bytes. The limits of names and labels are those of RFC 1035 §2.3.4.
const (
	maxURLSize   = 2048
	maxNameSize  = 253
	maxLabelSize = 63
)

// URLError reports why a callback URL is refused. Its text never repeats the URL, so the text may be logged and sent to
// the client.
type URLError struct{ Problem string }

// Error returns a text that begins with "must", so that it can follow a field's name.
func (e *URLError) Error() string { return e.Problem }

// defaultPorts has the port of each scheme for URLs that name no port.
var defaultPorts = map[string]uint16{"http": 80, "https": 443}

// CheckURL checks a callback URL before anything is resolved (contract §11.3). It returns the parsed URL, with scheme
// and host in lower case. A host is a domain name, a canonical dotted IPv4 address, or a bracketed IPv6 address. A
// domain name has only letters, digits, hyphens and underscores in its labels (international names are in their xn--
// form). CheckURL refuses other spellings that a browser or libc reads as an address. It also refuses fragments,
// because they are never sent. Error: [*URLError].
func CheckURL(raw string, policy Policy) (*url.URL, error) {
	if len(raw) > maxURLSize {
		return nil, &URLError{"must be at most 2048 bytes long"}
	}
	switch {
	case strings.Contains(raw, "#"):
		return nil, &URLError{"must have no fragment"}
	case strings.Contains(raw, `\`):
		return nil, &URLError{"must have no backslash"}
	case strings.IndexFunc(raw, isForbiddenInURL) >= 0:
		return nil, &URLError{"must have only printable ASCII characters, and no spaces"}
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, &URLError{"must be a URL"}
	}
	defaultPort, ok := defaultPorts[u.Scheme]
	if !ok {
		return nil, &URLError{"must be an absolute http or https URL"}
	}
	if u.Host == "" {
		return nil, errName
	}
	if u.User != nil {
		return nil, &URLError{"must not contain user information"}
	}
	u.Host = strings.ToLower(u.Host)
	port, err := parsePort(u, defaultPort)
	if err != nil {
		return nil, err
	}
	if err := checkHost(u, port, policy); err != nil {
		return nil, err
	}
	return u, nil
}

// Host returns the host of a callback URL without its port, in the spelling that CheckURL accepts. It returns "" if the
// URL has no host.
func Host(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// isForbiddenInURL returns true for characters that parsers are known to treat differently.
func isForbiddenInURL(r rune) bool { return r <= ' ' || r > '~' }

// parsePort accepts only the canonical decimal spelling. Clients read other spellings, such as "080" or an empty port,
// differently.
func parsePort(u *url.URL, defaultPort uint16) (uint16, error) {
	text := u.Port()
	if text == "" && !strings.HasSuffix(u.Host, ":") {
		return defaultPort, nil
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || strconv.FormatUint(port, 10) != text {
		return 0, errPort
	}
	return uint16(port), nil
}

var (
	errPort    = &URLError{"must use port 80, 443 or 8443"}
	errName    = &URLError{"must have a host, by its full domain name in ASCII, such as shop.example.com"}
	errLocal   = &URLError{"must have a public host name: this name is reserved, or known only in a local network"}
	errLiteral = &URLError{"must write an address as four decimal numbers, or as IPv6 in brackets"}
	errAddress = &URLError{"must have a public address: the host is a private or special-purpose address"}
)

func checkHost(u *url.URL, port uint16, policy Policy) error {
	host := u.Hostname()
	if strings.HasPrefix(u.Host, "[") || endsInNumber(host) {
		return checkLiteral(u.Host, host, port, policy)
	}
	if !isDomainName(host) {
		return errName
	}
	if !policy.permitsName(host) {
		return errLocal
	}
	if !policy.allowsLocalhost(host) && !policy.permitsPort(port) {
		return errPort
	}
	return nil
}

func checkLiteral(authority, host string, port uint16, policy Policy) error {
	addr, err := netip.ParseAddr(host)
	bracketed := strings.HasPrefix(authority, "[")
	if err != nil || addr.Is6() != bracketed {
		return errLiteral
	}
	if !policy.permitsAddr(addr) {
		return errAddress
	}
	if !policy.permits(netip.AddrPortFrom(addr, port)) {
		return errPort
	}
	return nil
}

// endsInNumber applies the WHATWG URL standard's test for an IPv4 address. By this test the last label is decimal,
// octal or 0x-hexadecimal, as in 2130706433, 0177.1 and 0x7f.0.0.1. A trailing dot is refused by isDomainName.
func endsInNumber(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if digits, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(digits, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// isDomainName returns true if every label has only letters, digits, hyphens or underscores, and there is no trailing
// dot. So a host has only one spelling. The limit per host relies on this.
func isDomainName(host string) bool {
	if len(host) > maxNameSize {
		return false
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > maxLabelSize || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		if strings.IndexFunc(label, func(r rune) bool { return !isLDH(r) && r != '_' }) >= 0 {
			return false
		}
	}
	return true
}

// publicPorts are the ports that a callback may name (contract §11.3).
var publicPorts = []uint16{80, 443, 8443}

// Policy allows targets beyond public addresses. The zero value allows no such target, and is the only policy for
// production. The fields are the allow-list of a local run (contract §11.3).
type Policy struct {
	AllowLoopback bool           // allows 127.0.0.0/8, ::1 and localhost names, on any port
	Allow         []netip.Prefix // further allowed ranges; names that resolve into them may be local names
	AllowPorts    []uint16       // further allowed ports
}

// permitsAddr returns true if a callback may go to addr. It returns false for mapped IPv6, because Allow would not
// match it.
func (p Policy) permitsAddr(addr netip.Addr) bool {
	if addr.Is4In6() || addr.Zone() != "" {
		return false
	}
	allowed := slices.ContainsFunc(p.Allow, func(prefix netip.Prefix) bool { return prefix.Contains(addr) })
	return p.AllowLoopback && addr.IsLoopback() || allowed || isPublic(addr)
}

func (p Policy) permitsPort(port uint16) bool {
	return slices.Contains(publicPorts, port) || slices.Contains(p.AllowPorts, port)
}

func (p Policy) permits(target netip.AddrPort) bool {
	addr := target.Addr()
	if !p.permitsAddr(addr) {
		return false
	}
	return p.AllowLoopback && addr.IsLoopback() || p.permitsPort(target.Port())
}

// permitsName returns false for a name that has a meaning only on a local network, unless the policy allows such names.
// All other names are checked by their addresses.
func (p Policy) permitsName(name string) bool {
	return p.allowsLocalhost(name) || len(p.Allow) > 0 || isPublicName(name)
}

// IsLoopback returns true if the URL leads to this machine and the policy allows that.
func (p Policy) IsLoopback(u *url.URL) bool {
	addr, err := netip.ParseAddr(u.Hostname())
	return p.AllowLoopback && err == nil && addr.IsLoopback() || p.allowsLocalhost(u.Hostname())
}

func (p Policy) allowsLocalhost(name string) bool {
	return p.AllowLoopback && (name == "localhost" || strings.HasSuffix(name, ".localhost"))
}

// unresolved has suffixes of the Public Suffix List under which the public DNS has no host (RFC 7686; RFC 3172 and RFC
// 8375).
var unresolved = []string{".onion", ".arpa"}

// isPublicName returns true if the public DNS may have a host with the name. The name must end in a suffix of the
// Public Suffix List, but not in one of the suffixes in unresolved. Names without a listed suffix resolve only within
// their network: kubernetes.default.svc, a bare label, and the names that RFC 6761, RFC 6762 and ICANN reserve
// (.localhost, .test, .local, .internal). isPublicName refuses a name that is itself a registry's suffix, such as
// co.uk. It accepts a name that is a company's suffix, such as github.io, because such a name may be a host. Both the
// list and the name are ASCII (xn--).
func isPublicName(name string) bool {
	suffix, registry := publicsuffix.PublicSuffix(name)
	listed := registry || strings.Contains(suffix, ".") // an unlisted suffix is the last label, by the list's default rule
	if !listed || registry && suffix == name {
		return false
	}
	return !slices.ContainsFunc(unresolved, func(local string) bool { return strings.HasSuffix("."+name, local) })
}
