package webhook

import (
	"bufio"
	"errors"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"
)

// target is a line of testdata/hostile.txt.
type target struct {
	url   string
	addrs []netip.Addr // the addresses that DNS answers; none: CheckURL must refuse the URL
}

func hostileTargets(t testing.TB) []target {
	t.Helper()
	file, err := os.Open("testdata/hostile.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var targets []target
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if line := lines.Text(); line != "" && !strings.HasPrefix(line, "# ") {
			targets = append(targets, parseTarget(t, line))
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if len(targets) < 120 {
		t.Fatalf("got %d hostile targets, want at least 120", len(targets))
	}
	return targets
}

func parseTarget(t testing.TB, line string) target {
	t.Helper()
	if strings.HasPrefix(line, `"`) {
		text, err := strconv.Unquote(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return target{url: text}
	}
	text, answer, resolves := strings.Cut(line, " => ")
	if !resolves {
		return target{url: text}
	}
	var addrs []netip.Addr
	for addr := range strings.SplitSeq(answer, ", ") {
		addrs = append(addrs, netip.MustParseAddr(addr))
	}
	return target{text, addrs}
}

func TestSend_HostileTarget(t *testing.T) {
	t.Parallel()
	for _, target := range hostileTargets(t) {
		t.Run(target.url, func(t *testing.T) {
			t.Parallel()
			names := startNameServer(t, func(string, int) []netip.Addr { return target.addrs })
			dialer, recorded := recordingDialer(Policy{}, names)
			want := ReasonURL
			if target.addrs != nil {
				want = ReasonAddress
			}
			wantReason(t, testSender(t, dialer).Send(t.Context(), "M0", target.url, testMessage(), nil), want)
			if got := recorded.all(); len(got) > 0 {
				t.Errorf("got connections to %v, want none", got)
			}
		})
	}
}

// TestDialContext_WithoutCheckURL checks the dial guard alone. A client without CheckURL calls every target, and DNS
// answers 127.0.0.1 for every name.
func TestDialContext_WithoutCheckURL(t *testing.T) {
	t.Parallel()
	loopback := netip.MustParseAddr("127.0.0.1")
	names := startNameServer(t, func(string, int) []netip.Addr { return []netip.Addr{loopback} })
	dialer, recorded := recordingDialer(Policy{}, names)
	client := newClient(dialer)
	refused := 0
	for _, target := range hostileTargets(t) {
		response, err := client.Get(target.url)
		if err == nil {
			response.Body.Close()
			t.Errorf("%q: got an answer %d, want an error", target.url, response.StatusCode)
		}
		var delivery *DeliveryError
		if errors.As(err, &delivery) && delivery.Reason == ReasonAddress {
			refused++
		}
	}
	if refused < 120 {
		t.Errorf("got %d targets at the guard, want at least 120", refused)
	}
	// Lines that are hostile only by their form have these public addresses.
	public4, public6 := netip.MustParseAddr("8.8.8.8"), netip.MustParseAddr("2606:4700:4700::1111")
	for _, connect := range recorded.all() {
		if connect.Addr() != public4 && connect.Addr() != public6 {
			t.Errorf("got a connection to %v, want none but to %v and %v", connect, public4, public6)
		}
	}
}

// TestDialContext_LocalListener uses real sockets. A listener answers if the policy allows its address. Otherwise it
// sees no connection.
func TestDialContext_LocalListener(t *testing.T) {
	t.Parallel()
	listener := listen(t, "127.0.0.1:0")
	loopback := netip.MustParseAddr("127.0.0.1")
	names := startNameServer(t, func(string, int) []netip.Addr { return []netip.Addr{loopback} })
	send := func(policy Policy, host string) error {
		dialer := newDialer(policy)
		dialer.resolver = names
		return testSender(t, dialer).Send(t.Context(), "M0", "http://"+host+":"+listener.port()+"/", testMessage(), nil)
	}
	// The port is allowed, so that only the address decides.
	closed := Policy{AllowPorts: []uint16{listener.addr.Port()}}
	for _, host := range []string{"127.0.0.1", "[::ffff:127.0.0.1]", "localhost"} {
		wantReason(t, send(closed, host), ReasonURL)
	}
	wantReason(t, send(closed, "shop.example.com"), ReasonAddress)
	if got := listener.accepts.Load(); got != 0 {
		t.Fatalf("got %d connections to a forbidden listener, want none", got)
	}
	open := Policy{AllowLoopback: true}
	for _, host := range []string{"127.0.0.1", "localhost"} {
		if err := send(open, host); err != nil {
			t.Errorf("%s: got error %v, want none", host, err)
		}
	}
	if got := listener.accepts.Load(); got != 2 {
		t.Errorf("got %d connections to an allowed listener, want 2", got)
	}
}

// TestDialContext_DNSRebinding uses a name that first has an allowed address, and then a forbidden address on the same
// port. 127.0.0.9 stands in for the public address.
func TestDialContext_DNSRebinding(t *testing.T) {
	t.Parallel()
	public, forbidden := listenPair(t, "127.0.0.9", "127.0.0.1")
	policy := Policy{
		Allow:      []netip.Prefix{netip.PrefixFrom(public.addr.Addr(), 32)},
		AllowPorts: []uint16{public.addr.Port()},
	}
	dialer := newDialer(policy)
	dialer.resolver = startNameServer(t, func(name string, asked int) []netip.Addr {
		switch {
		case name == "both.example.com":
			return []netip.Addr{public.addr.Addr(), forbidden.addr.Addr()}
		case asked == 0:
			return []netip.Addr{public.addr.Addr()}
		default:
			return []netip.Addr{forbidden.addr.Addr()}
		}
	})
	sender := testSender(t, dialer)
	send := func(name string) error {
		return sender.Send(t.Context(), "M0", "http://"+name+":"+public.port()+"/", testMessage(), nil)
	}
	if err := send("rebind.example.com"); err != nil {
		t.Fatalf("first answer: got error %v, want none", err)
	}
	wantReason(t, send("rebind.example.com"), ReasonAddress)
	wantReason(t, send("both.example.com"), ReasonAddress)
	if public, forbidden := public.accepts.Load(), forbidden.accepts.Load(); public != 1 || forbidden != 0 {
		t.Errorf("got %d allowed and %d forbidden connections, want 1 and 0", public, forbidden)
	}
}

// TestCheckSocket checks that the guard also checks the socket's own address, even if the resolved addresses were not
// checked.
func TestCheckSocket(t *testing.T) {
	t.Parallel()
	listener := listen(t, "127.0.0.1:0")
	dialer := newDialer(Policy{AllowPorts: []uint16{listener.addr.Port()}})
	if _, err := dialer.connect(t.Context(), []netip.AddrPort{listener.addr}); err == nil {
		t.Errorf("got a connection to loopback %v, want an error", listener.addr)
	}
	if got := listener.accepts.Load(); got != 0 {
		t.Errorf("got %d connections, want none", got)
	}
	for _, c := range []struct {
		network, address string
		allowed          bool
	}{
		{"tcp4", "93.184.215.14:443", true},
		{"tcp6", "[2606:4700:4700::1111]:80", true},
		{"tcp4", "93.184.215.14:22", false},
		{"udp4", "93.184.215.14:443", false},
		{"unix", "/var/run/docker.sock", false},
		{"tcp4", "127.0.0.1:443", false},
		{"tcp6", "[::ffff:93.184.215.14]:443", false},
		{"tcp6", "[fe80::1%eth0]:443", false},
		{"tcp4", "shop.example.com:443", false},
	} {
		if err := (Policy{}).checkSocket(c.network, c.address, nil); (err == nil) != c.allowed {
			t.Errorf("%s %s: got error %v, want allowed %t", c.network, c.address, err, c.allowed)
		}
	}
}

func TestSend_UnresolvedName(t *testing.T) {
	t.Parallel()
	dialer, recorded := recordingDialer(Policy{}, startNameServer(t, func(string, int) []netip.Addr { return nil }))
	wantReason(t, testSender(t, dialer).Send(t.Context(), "M0", "https://gone.example.com/", testMessage(), nil),
		ReasonLookup)
	if got := recorded.all(); len(got) > 0 {
		t.Errorf("got connections to %v, want none", got)
	}
}

// TestDialContext_PublicAddresses checks that the dialer tries every address of DNS's answer, exactly as it was
// checked.
func TestDialContext_PublicAddresses(t *testing.T) {
	t.Parallel()
	addrs := []netip.Addr{netip.MustParseAddr("93.184.215.14"), netip.MustParseAddr("93.184.215.15")}
	dialer, recorded := recordingDialer(Policy{}, startNameServer(t, func(string, int) []netip.Addr { return addrs }))
	wantReason(t, testSender(t, dialer).Send(t.Context(), "M0", "https://shop.example.com/", testMessage(), nil),
		ReasonConnect)
	got := map[netip.AddrPort]bool{}
	for _, connect := range recorded.all() {
		got[connect] = true
	}
	for _, addr := range addrs {
		if !got[netip.AddrPortFrom(addr, 443)] {
			t.Errorf("got tries of %v, want %v among them", got, addr)
		}
	}
	if len(got) != len(addrs) {
		t.Errorf("got tries of %v, want only %v", got, addrs)
	}
}

// specialRanges has the IANA Special-Purpose Address Registries, and multicast and reserved blocks. It also has a
// cloud's host agent with a public address, and 6bone, which was returned (RFC 3701).
var specialRanges = []string{
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
	"192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
	"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32",
	"::/3", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
	"2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3ffe::/16", "3fff::/20",
}

func TestIsPublic_SpecialRanges(t *testing.T) {
	t.Parallel()
	for _, text := range specialRanges {
		prefix := netip.MustParsePrefix(text)
		for _, addr := range []netip.Addr{prefix.Addr(), lastAddr(prefix)} {
			if isPublic(addr) {
				t.Errorf("%v, of %v: got public, want refused", addr, prefix)
			}
		}
	}
	for _, text := range []string{
		"1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
		"128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0",
		"192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
		"2001:200::", "2001:db7:ffff::", "2001:db9::", "2003::", "2600::", "2a00:1450::1",
	} {
		if !isPublic(netip.MustParseAddr(text)) {
			t.Errorf("%s: got refused, want public", text)
		}
	}
	if isPublic(netip.Addr{}) {
		t.Error("the zero address: got public, want refused")
	}
}

func lastAddr(prefix netip.Prefix) netip.Addr {
	b := prefix.Addr().AsSlice()
	for bit := prefix.Bits(); bit < len(b)*8; bit++ {
		b[bit/8] |= 0x80 >> (bit % 8)
	}
	addr, _ := netip.AddrFromSlice(b)
	return addr
}

func TestNewDialer_DefaultResolver(t *testing.T) {
	t.Parallel()
	if got := newDialer(Policy{}).resolver; got != net.DefaultResolver {
		t.Errorf("got resolver %v, want net.DefaultResolver", got)
	}
}
