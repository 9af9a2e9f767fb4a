package webhook

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// publicPorts are the ports a callback may name (contract §11.3).
var publicPorts = []uint16{80, 443, 8443}

// Policy says which targets are allowed beyond public addresses. The zero value,
// the only one for production, allows nothing more; the fields are the
// allow-list of a local run (contract §11.3).
type Policy struct {
	AllowLoopback bool           // 127.0.0.0/8, ::1 and localhost names, on any port
	Allow         []netip.Prefix // further ranges; names that resolve into them may be local ones
	AllowPorts    []uint16       // further ports
}

// permitsAddr reports whether a callback may go to addr. Mapped IPv6 is always
// refused, because Allow would not match it.
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

// permitsName checks names that only have a meaning on a local network. All others
// are checked by the addresses they resolve to.
func (p Policy) permitsName(name string) bool {
	return p.allowsLocalhost(name) || len(p.Allow) > 0 || isPublicName(name)
}

// IsLoopback reports whether the URL leads to this machine, and the policy allows that.
func (p Policy) IsLoopback(u *url.URL) bool {
	addr, err := netip.ParseAddr(u.Hostname())
	return p.AllowLoopback && err == nil && addr.IsLoopback() || p.allowsLocalhost(u.Hostname())
}

func (p Policy) allowsLocalhost(name string) bool {
	return p.AllowLoopback && (name == "localhost" || strings.HasSuffix(name, ".localhost"))
}

// unresolved are suffixes that the list has, but no host of the public DNS (RFC 7686; RFC 3172 and RFC 8375).
var unresolved = []string{".onion", ".arpa"}

// isPublicName reports whether the name is below a suffix of the Public Suffix List,
// as every name of the public DNS is. Others are only resolved within
// their network: kubernetes.default.svc, a bare label, and whatever RFC 6761, RFC
// 6762 and ICANN reserve (.localhost, .test, .local, .internal). A suffix of the
// registries, such as co.uk, is itself no host; one of a company, such as
// github.io, may be. Both list and name are ASCII: international names, xn--.
func isPublicName(name string) bool {
	suffix, registry := publicsuffix.PublicSuffix(name)
	listed := registry || strings.Contains(suffix, ".") // else the last label, by the list's default rule
	if !listed || registry && suffix == name {
		return false
	}
	return !slices.ContainsFunc(unresolved, func(local string) bool { return strings.HasSuffix("."+name, local) })
}
