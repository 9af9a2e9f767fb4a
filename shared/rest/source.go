package rest

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"net/http"
	"net/netip"
	"strings"
)

// Proxies are the operator's proxies before API Gateway, such as CloudFront. X-Forwarded-For is believed as far as they
// write it.
type Proxies struct {
	Hops int // how many proxies a request passes; 0: there are none

	// SecretHashes are SHA-256 hashes of the values of SecretHeader by which the last proxy makes itself known; any of
	// them counts, so that the value can be changed. Without them a client that reaches API Gateway past the proxies
	// may claim any address.
	SecretHashes [][]byte
}

// SecretHeader is the header by which the last proxy makes itself known.
const SecretHeader = "X-Proxy-Secret"

// client returns the client's address, which is not valid if it is unknown. Without trusted proxies that is the address
// that connected to API Gateway, which the Lambda adapter puts into RemoteAddr without a port.
//
// Each proxy appends to X-Forwarded-For the address that connected to it, and so does API Gateway. What precedes the
// entries of the Hops proxies is the client's own text. If the entry of the first of them is missing or no address, the
// result is the address that connected.
func (p Proxies) client(r *http.Request) netip.Addr {
	peer := parseAddress(r.RemoteAddr)
	if p.Hops == 0 || !peer.IsValid() || !p.vouched(r) {
		return peer
	}
	entries := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	if parseAddress(entries[len(entries)-1]) == peer { // API Gateway's
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

// vouched reports whether the last proxy has sent the request, if that can be known.
func (p Proxies) vouched(r *http.Request) bool {
	sum := sha256.Sum256([]byte(r.Header.Get(SecretHeader)))
	known := len(p.SecretHashes) == 0
	for _, hash := range p.SecretHashes {
		known = hmac.Equal(hash, sum[:]) || known
	}
	return known
}

// parseAddress reads an address, perhaps with a port. The result is not valid if the text has none.
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

// addressSubject returns the address as limits count it: of IPv6 the /64, which one client owns whole.
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

// SourceAddress returns the network address of the request as limits count it: of IPv6 its /64 (contract §2.9).
func SourceAddress(ctx context.Context) string {
	subject, _ := ctx.Value(sourceKey{}).(string)
	return subject
}
