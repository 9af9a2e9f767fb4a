package webhook

import (
	"net/netip"
	"slices"
	"strings"
)

// publicPorts are the ports a callback may name (contract §11.3).
var publicPorts = []uint16{80, 443, 8443}

// Policy says which targets are allowed beyond public addresses. The zero value,
// the only one for production, allows nothing more; the fields are the explicit
// allow-list of a local run (contract §11.3).
type Policy struct {
	AllowLoopback bool           // 127.0.0.0/8, ::1 and localhost names, on any port
	Allow         []netip.Prefix // further ranges; names that resolve into them may be local ones
	AllowPorts    []uint16       // further ports
}

// permitsAddr reports whether a callback may go to addr. Mapped IPv6 is refused
// under every policy, as it would dodge a reading of Allow.
func (p Policy) permitsAddr(addr netip.Addr) bool {
	if addr.Is4In6() || addr.Zone() != "" {
		return false
	}
	return p.AllowLoopback && addr.IsLoopback() || containsAddr(p.Allow, addr) || isPublic(addr)
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

// permitsName judges names that only mean something on a local network. Every
// other name is judged by the addresses it resolves to.
func (p Policy) permitsName(name string) bool {
	return p.allowsLocalhost(name) || len(p.Allow) > 0 || !isLocalName(name)
}

func (p Policy) allowsLocalhost(name string) bool {
	return p.AllowLoopback && (name == "localhost" || strings.HasSuffix(name, ".localhost"))
}

// localSuffixes are special-use (RFC 6761, 6762, 7686, 8375, ICANN's .internal)
// or in common use on private networks.
var localSuffixes = []string{
	".localhost", ".localdomain", ".local", ".internal", ".intranet", ".private",
	".lan", ".home", ".corp", ".home.arpa", ".onion",
}

func isLocalName(name string) bool {
	if !strings.Contains(name, ".") {
		return true
	}
	return slices.ContainsFunc(localSuffixes, func(suffix string) bool {
		return strings.HasSuffix("."+name, suffix)
	})
}
