package webhook

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// connectTimeout bounds the time to connect to one address. So an address that does not answer leaves time for the
// next.
const connectTimeout = 3 * time.Second

// dialer connects only to targets that its policy permits. It resolves a name once, requires that every address is
// permitted (contract §11.3), and connects only to these addresses. Just before connect(2), control checks the socket's
// own target, so that no packet ever goes to a forbidden address.
type dialer struct {
	policy   Policy
	resolver *net.Resolver
	control  func(network, address string, conn syscall.RawConn) error
}

func newDialer(policy Policy) *dialer {
	return &dialer{policy: policy, resolver: net.DefaultResolver, control: policy.checkSocket}
}

// DialContext dials for http.Transport. Its errors are of type [*DeliveryError].
func (d *dialer) DialContext(ctx context.Context, _, address string) (net.Conn, error) {
	host, portText, err := net.SplitHostPort(address)
	if err != nil {
		return nil, &DeliveryError{Reason: ReasonURL}
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, &DeliveryError{Reason: ReasonURL}
	}
	targets, err := d.resolve(ctx, host, uint16(port))
	if err != nil {
		return nil, err
	}
	return d.connect(ctx, targets)
}

func (d *dialer) resolve(ctx context.Context, host string, port uint16) ([]netip.AddrPort, error) {
	addrs, err := d.resolver.LookupNetIP(ctx, "ip", host)
	if err != nil || len(addrs) == 0 {
		return nil, &DeliveryError{Reason: orTimeout(err, ReasonLookup)}
	}
	targets := make([]netip.AddrPort, len(addrs))
	for i, addr := range addrs {
		// The resolver returns A records in mapped form.
		targets[i] = netip.AddrPortFrom(addr.Unmap(), port)
		if !d.policy.permits(targets[i]) {
			return nil, &DeliveryError{Reason: ReasonAddress}
		}
	}
	return targets, nil
}

func (d *dialer) connect(ctx context.Context, targets []netip.AddrPort) (net.Conn, error) {
	socket := net.Dialer{Timeout: connectTimeout, Control: d.control}
	reason := ReasonConnect
	for _, target := range targets {
		conn, err := socket.DialContext(ctx, "tcp", target.String())
		if err == nil {
			return conn, nil
		}
		reason = orTimeout(err, reason)
	}
	return nil, &DeliveryError{Reason: reason}
}

// orTimeout returns ReasonTimeout for the error of a timeout. For any other error it returns the given reason.
func orTimeout(err error, otherwise Reason) Reason {
	if network, ok := errors.AsType[net.Error](err); ok && network.Timeout() {
		return ReasonTimeout
	}
	return otherwise
}

// checkSocket refuses a socket whose target is not permitted. It has the signature of net.Dialer.Control.
func (p Policy) checkSocket(network, address string, _ syscall.RawConn) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil || network != "tcp4" && network != "tcp6" || !p.permits(target) {
		return &DeliveryError{Reason: ReasonAddress}
	}
	return nil
}

// AnswerTimeout bounds one attempt from the first lookup to the end of the answer (contract §11.3).
const AnswerTimeout = 10 * time.Second

// maxAnswerSize bounds the bytes that are read of an answer's header, and the bytes that are read of its body.
const maxAnswerSize = 64 << 10

// Client returns an HTTP client that reaches only permitted targets and gives up after [AnswerTimeout]. It follows no
// redirect. It returns the 3xx as the answer.
func Client(policy Policy) *http.Client { return newClient(newDialer(policy)) }

func newClient(d *dialer) *http.Client {
	return &http.Client{
		Transport:     newTransport(d),
		Timeout:       AnswerTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func newTransport(d *dialer) *http.Transport {
	return &http.Transport{
		Proxy:       nil, // a proxy from the environment would dial without the check
		DialContext: d.DialContext,
		// Idle connections would not survive the pauses between invocations. Besides, each new connection checks the address
		// again.
		DisableKeepAlives:      true,
		DisableCompression:     true,
		ForceAttemptHTTP2:      true, // a custom dialer would otherwise turn HTTP/2 off
		MaxResponseHeaderBytes: maxAnswerSize,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
	}
}

// registry has the IANA Special-Purpose Address Registries. Of IPv6, it allows only global unicast. It refuses whole
// blocks, even parts that are globally reachable (anycast relays, AS112), because no merchant's server is there.
var registry = ssrf.New(
	// This is the public address of a cloud's host agent.
	ssrf.WithDeniedV4Prefixes(netip.MustParsePrefix("168.63.129.16/32")),
	// These are the addresses of the 6bone, a former test network. They were given back to IANA (RFC 3701).
	ssrf.WithDeniedV6Prefixes(netip.MustParsePrefix("3ffe::/16")),
)

// isPublic returns true if addr is a public unicast address. A mapped IPv6 address is not public.
func isPublic(addr netip.Addr) bool {
	return addr.IsValid() && !isISATAP(addr) && registry.SafeAddr(addr) == nil
}

// isISATAP returns true if addr tunnels an IPv4 address in its interface identifier (RFC 5214 §6.1). Such addresses
// exist under any prefix, so no table has them.
func isISATAP(addr netip.Addr) bool {
	if !addr.Is6() {
		return false
	}
	b := addr.As16()
	return b[8]&^0x03 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}
