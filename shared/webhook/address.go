package webhook

import (
	"net/netip"

	"code.dny.dev/ssrf"
)

// registry knows the IANA Special-Purpose Address Registries, and of IPv6 allows
// global unicast alone. It refuses a block whole even where the registry calls a
// part of it globally reachable (anycast relays, AS112): no merchant's server is
// there.
var registry = ssrf.New(
	// A cloud's host agent behind a public number.
	ssrf.WithDeniedV4Prefixes(netip.MustParsePrefix("168.63.129.16/32")),
	// 6bone, returned (RFC 3701).
	ssrf.WithDeniedV6Prefixes(netip.MustParsePrefix("3ffe::/16")),
)

// isPublic reports whether addr is a public unicast address; mapped IPv6 is not.
func isPublic(addr netip.Addr) bool {
	return addr.IsValid() && !isISATAP(addr) && registry.SafeAddr(addr) == nil
}

// isISATAP recognises an IPv4 address tunnelled in an interface identifier
// (RFC 5214 §6.1). It can be in any prefix, so no table has it.
func isISATAP(addr netip.Addr) bool {
	if !addr.Is6() {
		return false
	}
	b := addr.As16()
	return b[8]&^0x03 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}

func containsAddr(prefixes []netip.Prefix, addr netip.Addr) bool {
	for _, prefix := range prefixes {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}
