package rest

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"net/http"
	"net/netip"
	"strings"
)

// Proxies are the operator's proxies before API Gateway, such as CloudFront. The platform trusts only the entries of
// X-Forwarded-For that these proxies wrote.
type Proxies struct {
	Hops int // the number of proxies that each request passes

	// SecretHashes are the SHA-256 hashes of the secrets that the last proxy may send in SecretHeader. There are two while
	// the secret is being changed. Without hashes, a client that reaches API Gateway past the proxies may claim any
	// address.
	SecretHashes [][]byte
}

// SecretHeader is the header that carries the last proxy's secret.
const SecretHeader = "X-Proxy-Secret"

// clientAddress returns the client's address, or an invalid address if it is unknown. Without proxies it returns the
// peer: the address that connected to API Gateway. The Lambda adapter puts the peer into RemoteAddr, without a port.
//
// Each proxy appends to X-Forwarded-For the address that connected to it, and so does API Gateway. The first of the
// Hops proxies appends the client's address. Entries before that are the client's own text. If the entry is missing or
// no address, clientAddress returns the peer.
func (p Proxies) clientAddress(r *http.Request) netip.Addr {
	peer := parseAddress(r.RemoteAddr)
	if p.Hops == 0 || !peer.IsValid() || !p.hasProxySecret(r) {
		return peer
	}
	entries := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	if parseAddress(entries[len(entries)-1]) == peer { // API Gateway's entry
		entries = entries[:len(entries)-1]
	}
	if p.Hops > len(entries) {
		return peer
	}
	if client := parseAddress(entries[len(entries)-p.Hops]); client.IsValid() {
		return client
	}
	return peer
}

// hasProxySecret returns true if the request carries a secret of the last proxy. Without SecretHashes it returns true.
func (p Proxies) hasProxySecret(r *http.Request) bool {
	sum := sha256.Sum256([]byte(r.Header.Get(SecretHeader)))
	known := len(p.SecretHashes) == 0
	for _, hash := range p.SecretHashes {
		known = hmac.Equal(hash, sum[:]) || known
	}
	return known
}

// parseAddress parses an address, with or without a port. The result is invalid if the text is no address.
func parseAddress(text string) netip.Addr {
	text = strings.TrimSpace(text)
	address, err := netip.ParseAddr(text)
	if err != nil {
		withPort, err := netip.ParseAddrPort(text)
		if err != nil {
			return netip.Addr{}
		}
		address = withPort.Addr()
	}
	return address.Unmap().WithZone("")
}

// addressSubject returns the subject that limits count for an address. For IPv6 the subject is the /64, because one
// client has a whole /64.
func addressSubject(address netip.Addr) string {
	if !address.IsValid() {
		return "address unknown"
	}
	if address.Is6() {
		if network, err := address.Prefix(64); err == nil {
			return "address " + network.String()
		}
	}
	return "address " + address.String()
}

// SourceAddress returns the subject that limits count for the client's address. For IPv6 the subject is the address's
// /64 (contract §2.9).
func SourceAddress(ctx context.Context) string { return stateOf(ctx).source }
