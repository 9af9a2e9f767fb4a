package webhook

import "net/netip"

// globalUnicast6 is all of IPv6 that is allowed, as everything else is reserved or
// special (RFC 4291 §2.4). That alone refuses ::, ::1, IPv4-compatible ::/96,
// mapped ::ffff:0:0/96, NAT64 64:ff9b::/96 and 64:ff9b:1::/48, discard 100::/64,
// SRv6 5f00::/16, unique-local, link-local, site-local and multicast.
var globalUnicast6 = netip.MustParsePrefix("2000::/3")

// specialPurpose lists the rest of the IANA IPv4 and IPv6 Special-Purpose Address
// Registries and the multicast and reserved blocks. A block is refused whole even
// where the registry calls a part of it globally reachable (anycast relays, AS112):
// no merchant's server lives there.
var specialPurpose = parsePrefixes(
	"0.0.0.0/8",       // this network (RFC 791); Linux connects 0.0.0.0 to itself
	"10.0.0.0/8",      // private (RFC 1918)
	"100.64.0.0/10",   // shared, carrier-grade NAT (RFC 6598)
	"127.0.0.0/8",     // loopback (RFC 1122)
	"169.254.0.0/16",  // link-local (RFC 3927), with the clouds' metadata servers
	"172.16.0.0/12",   // private (RFC 1918)
	"192.0.0.0/24",    // IETF protocol assignments (RFC 6890)
	"192.0.2.0/24",    // documentation (RFC 5737)
	"192.31.196.0/24", // AS112 (RFC 7535)
	"192.52.193.0/24", // AMT (RFC 7450)
	"192.88.99.0/24",  // 6to4 relay anycast (RFC 7526)
	"192.168.0.0/16",  // private (RFC 1918)
	"192.175.48.0/24", // direct delegation AS112 (RFC 7534)
	"198.18.0.0/15",   // benchmarking (RFC 2544)
	"198.51.100.0/24", // documentation (RFC 5737)
	"203.0.113.0/24",  // documentation (RFC 5737)
	"224.0.0.0/4",     // multicast (RFC 5771)
	"240.0.0.0/4",     // reserved (RFC 1112) and limited broadcast (RFC 919)

	"168.63.129.16/32", // a cloud's host agent behind a public number

	"2001::/23",         // IETF protocol assignments: Teredo, benchmarking, ORCHID, AMT (RFC 2928)
	"2001:db8::/32",     // documentation (RFC 3849)
	"2002::/16",         // 6to4 (RFC 3056): carries any IPv4 address inside
	"2620:4f:8000::/48", // direct delegation AS112 (RFC 7534)
	"3ffe::/16",         // 6bone, returned (RFC 3701)
	"3fff::/20",         // documentation (RFC 9637)
)

func parsePrefixes(texts ...string) []netip.Prefix {
	prefixes := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		prefixes[i] = netip.MustParsePrefix(text)
	}
	return prefixes
}

// isPublic reports whether addr is a public unicast address; mapped IPv6 is not.
func isPublic(addr netip.Addr) bool {
	if !addr.IsValid() || isISATAP(addr) {
		return false
	}
	if addr.Is6() && !globalUnicast6.Contains(addr) {
		return false
	}
	return !containsAddr(specialPurpose, addr)
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
