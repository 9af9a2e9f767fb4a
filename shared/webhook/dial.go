package webhook

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"syscall"
	"time"
)

// connectTimeout bounds one address, so that a dead one leaves time for the next.
const connectTimeout = 3 * time.Second

// dialer connects only to what its policy permits. It resolves a name once, requires
// that every address is permitted (contract §11.3), and connects to exactly those.
// control then checks the socket's own target just before connect(2): whatever
// happened above it, no packet goes to a forbidden address.
type dialer struct {
	policy   Policy
	resolver *net.Resolver
	control  func(network, address string, conn syscall.RawConn) error
}

func newDialer(policy Policy) *dialer {
	return &dialer{policy: policy, resolver: net.DefaultResolver, control: policy.control}
}

// DialContext is the http.Transport hook. Its errors are of type [*DeliveryError].
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

// orTimeout is ReasonTimeout for a timeout, which takes long, and otherwise the given
// reason.
func orTimeout(err error, otherwise Reason) Reason {
	var network net.Error
	if errors.As(err, &network) && network.Timeout() {
		return ReasonTimeout
	}
	return otherwise
}

// control has the signature of net.Dialer.Control.
func (p Policy) control(network, address string, _ syscall.RawConn) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil || network != "tcp4" && network != "tcp6" || !p.permits(target) {
		return &DeliveryError{Reason: ReasonAddress}
	}
	return nil
}
