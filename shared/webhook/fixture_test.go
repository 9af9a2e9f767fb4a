package webhook

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var attempt = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)

func testKey(t testing.TB) SigningKey {
	t.Helper()
	key, err := NewSigningKey(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func testSecret(version int) Secret {
	return DeriveSecret(bytes.Repeat([]byte{9}, 32), "M1", version)
}

func testMessage() Message {
	return Message{ID: "msg_0193b1c2-aaaa-7bbb-8ccc-0123456789ab", Timestamp: attempt, Body: []byte(`{"id":"c1"}`)}
}

// wantReason fails the test unless err is a DeliveryError with the reason.
func wantReason(t *testing.T, err error, want Reason) {
	t.Helper()
	var delivery *DeliveryError
	if !errors.As(err, &delivery) || delivery.Reason != want {
		t.Errorf("got error %v, want reason %q", err, want)
	}
}

// testSender returns a sender that uses the given dialer. Tests use it to replace parts of the dialer.
func testSender(t testing.TB, d *dialer) *Sender {
	t.Helper()
	sender := NewSender(d.policy, testKey(t))
	sender.client = newClient(d)
	return sender
}

var errRecorded = errors.New("recorded instead of connected")

// connectLog records the targets that the guard let through.
type connectLog struct {
	mu      sync.Mutex
	targets []netip.AddrPort
}

func (c *connectLog) all() []netip.AddrPort {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]netip.AddrPort(nil), c.targets...)
}

// recordingDialer returns the real dialer with one change: after the guard has let a connection through, it records the
// target and stops just before connect(2).
func recordingDialer(policy Policy, resolver *net.Resolver) (*dialer, *connectLog) {
	recorded := &connectLog{}
	control := func(network, address string, conn syscall.RawConn) error {
		if err := policy.checkSocket(network, address, conn); err != nil {
			return err
		}
		recorded.mu.Lock()
		defer recorded.mu.Unlock()
		recorded.targets = append(recorded.targets, netip.MustParseAddrPort(address))
		return errRecorded
	}
	return &dialer{policy: policy, resolver: resolver, control: control}, recorded
}

// startNameServer answers DNS over UDP on loopback. answer returns the addresses of a name. asked is the number of
// earlier questions for the name's A records.
func startNameServer(t testing.TB, answer func(name string, asked int) []netip.Addr) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		serveNames(conn, answer)
	}()
	t.Cleanup(func() { _ = conn.Close(); <-done })
	return &net.Resolver{
		PreferGo: true,
		Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "udp4", conn.LocalAddr().String())
		},
	}
}

func serveNames(conn net.PacketConn, answer func(name string, asked int) []netip.Addr) {
	asked := map[string]int{}
	packet := make([]byte, 1500)
	for {
		n, from, err := conn.ReadFrom(packet)
		if err != nil {
			return
		}
		name, typ, question := parseQuestion(packet[:n])
		reply := dnsReply(packet[:2], question, typ, answer(name, asked[name]))
		if typ == typeA {
			asked[name]++
		}
		if _, err := conn.WriteTo(reply, from); err != nil {
			return
		}
	}
}

// DNS record types (RFC 1035 §3.2.2, RFC 3596 §2.1).
const (
	typeA    = 1
	typeAAAA = 28
)

// parseQuestion reads the only question of a query (RFC 1035 §4.1.2).
func parseQuestion(packet []byte) (name string, typ int, question []byte) {
	const headerSize = 12
	i := headerSize
	for packet[i] != 0 {
		size := int(packet[i])
		name += string(packet[i+1:i+1+size]) + "."
		i += 1 + size
	}
	end := i + 1 + 4 // the root label, type and class
	return strings.TrimSuffix(name, "."), int(packet[i+1])<<8 | int(packet[i+2]), packet[headerSize:end]
}

func dnsReply(id, question []byte, typ int, addrs []netip.Addr) []byte {
	var records []byte
	count := byte(0)
	for _, addr := range addrs {
		if addr.Is4() != (typ == typeA) {
			continue
		}
		data := addr.AsSlice()
		records = append(records, 0xc0, 12, 0, byte(typ), 0, 1, 0, 0, 0, 0, 0, byte(len(data)))
		records = append(records, data...)
		count++
	}
	header := []byte{id[0], id[1], 0x81, 0x80, 0, 1, 0, count, 0, 0, 0, 0}
	return append(append(header, question...), records...)
}
