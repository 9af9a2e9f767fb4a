package webhook

import (
	"errors"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

func TestCheckURL_PublicTargets(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"https://shop.example.com/hook?order=1&x=%20": "https://shop.example.com/hook?order=1&x=%20",
		"HTTPS://Shop.Example.COM/Hook":               "https://shop.example.com/Hook",
		"http://shop.example.com":                     "http://shop.example.com",
		"http://shop.example.com:80/":                 "http://shop.example.com:80/",
		"https://shop.example.com:8443/":              "https://shop.example.com:8443/",
		"https://xn--bcher-kva.de/":                   "https://xn--bcher-kva.de/",
		"https://shop.xn--p1ai/":                      "https://shop.xn--p1ai/",
		"https://shop.com.br/":                        "https://shop.com.br/",
		"https://svc.co.uk/":                          "https://svc.co.uk/",
		"https://shop.github.io/":                     "https://shop.github.io/", // a company's suffix
		"https://github.io/":                          "https://github.io/",
		"https://www.ck/":                             "https://www.ck/", // an exception to the rule *.ck
		"https://my_shop.example.com/@home:8080":      "https://my_shop.example.com/@home:8080",
		"https://1and1.com/":                          "https://1and1.com/",
		"https://0x7f.com/":                           "https://0x7f.com/",
		"https://8.8.8.8/":                            "https://8.8.8.8/",
		"https://[2606:4700:4700::1111]:443/":         "https://[2606:4700:4700::1111]:443/",
		"https://a.example.com/" + strings.Repeat("p", maxURLSize-len("https://a.example.com/")): "https://a.example.com/" +
			strings.Repeat("p", maxURLSize-len("https://a.example.com/")),
	} {
		u, err := CheckURL(raw, Policy{})
		if err != nil {
			t.Errorf("%q: got error %v, want %s", raw, err, want)
		} else if u.String() != want {
			t.Errorf("%q: got %s, want %s", raw, u, want)
		}
	}
}

func TestCheckURL_Oversize(t *testing.T) {
	t.Parallel()
	label := strings.Repeat("a", maxLabelSize)
	for name, raw := range map[string]string{
		"URL":   "https://a.example.com/" + strings.Repeat("p", maxURLSize),
		"label": "https://a" + label + ".example.com/",
		"name":  "https://" + strings.Repeat(label+".", 4) + "example.com/",
	} {
		if _, err := CheckURL(raw, Policy{}); err == nil {
			t.Errorf("an oversized %s: got no error, want one", name)
		}
	}
}

func TestURLError_WithoutURL(t *testing.T) {
	t.Parallel()
	for _, target := range hostileTargets(t) {
		_, err := CheckURL(target.url, Policy{})
		if target.addrs != nil {
			if err != nil {
				t.Errorf("%q: got error %v, want none where only DNS can show it", target.url, err)
			}
			continue
		}
		var refusal *URLError
		if !errors.As(err, &refusal) {
			t.Errorf("%q: got %v, want a URLError", target.url, err)
		} else if !strings.HasPrefix(refusal.Error(), "must ") || strings.Contains(refusal.Error(), "127.0") {
			t.Errorf("%q: got %q, want a text of what it must be, without the URL", target.url, refusal.Error())
		}
	}
}

func TestCheckURL_BrokenRules(t *testing.T) {
	t.Parallel()
	const name, literal = "must have a host, by its full domain name in ASCII, such as shop.example.com",
		"must write an address as four decimal numbers, or as IPv6 in brackets"
	const port = "must use port 80, 443 or 8443"
	const address = "must have a public address: the host is a private or special-purpose address"
	const local = "must have a public host name: this name is reserved, or known only in a local network"
	const characters = "must have only printable ASCII characters, and no spaces"
	for raw, want := range map[string]string{
		"https://a.example.com/" + strings.Repeat("p", maxURLSize): "must be at most 2048 bytes long",
		"https://a.example.com/#x":                                 "must have no fragment",
		`https://a.example.com\@evil.example/`:                     "must have no backslash",
		"https://a.example.com/a b":                                characters,
		"https://b\u00fccher.example.com/":                         characters,
		"https://a.example.com/\r\n":                               characters,
		"https://a.example.com/%zz":                                "must be a URL",
		"ftp://a.example.com/":                                     "must be an absolute http or https URL",
		"a.example.com":                                            "must be an absolute http or https URL",
		"https:///hook":                                            name,
		"https://a..example.com/":                                  name,
		"https://a.example.com./":                                  name,
		"https://ada@a.example.com/":                               "must not contain user information",
		"https://a.example.com:22/":                                port,
		"https://a.example.com:080/":                               port,
		"https://8.8.8.8:22/":                                      port,
		"https://localhost/":                                       local,
		"https://receiver/":                                        local,
		"https://0x7f000001/":                                      literal,
		"https://127.1/":                                           literal,
		"https://2130706433/":                                      literal,
		"https://127.0.0.1/":                                       address,
		"https://[::1]/":                                           address,
		"https://[::ffff:8.8.8.8]/":                                address,
	} {
		if _, err := CheckURL(raw, Policy{}); err == nil || err.Error() != want {
			t.Errorf("%.50q: got %v, want %q", raw, err, want)
		}
	}
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	loopback := Policy{AllowLoopback: true}
	network := Policy{Allow: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}, AllowPorts: []uint16{9000}}
	for _, c := range []struct {
		policy Policy
		raw    string
		ok     bool
	}{
		{loopback, "http://127.0.0.1:3000/", true},
		{loopback, "http://[::1]:3000/", true},
		{loopback, "http://localhost:3000/", true},
		{loopback, "http://shop.localhost:3000/", true},
		{loopback, "http://shop.example.com:3000/", false},
		{loopback, "http://8.8.8.8:3000/", false},
		{loopback, "http://10.1.0.1/", false},
		{loopback, "http://receiver/", false},
		{loopback, "http://0.0.0.0:3000/", false},
		{loopback, "http://127.1:3000/", false},
		{loopback, "http://[::1%25lo]:3000/", false},
		{loopback, "http://[::ffff:127.0.0.1]:3000/", false},
		{network, "http://10.1.0.1:9000/", true},
		{network, "http://receiver:9000/", true},
		{network, "https://8.8.8.8:9000/", true},
		{network, "http://10.2.0.1:9000/", false},
		{network, "http://10.1.0.1:9001/", false},
		{network, "http://127.0.0.1:9000/", false},
		{network, "http://[::ffff:10.1.0.1]:9000/", false},
	} {
		if _, err := CheckURL(c.raw, c.policy); (err == nil) != c.ok {
			t.Errorf("%s under %+v: got error %v, want allowed %t", c.raw, c.policy, err, c.ok)
		}
	}
}

// FuzzCheckURL checks that another parse of an accepted URL gives the same URL. The URL must not be a forbidden address
// in any spelling that inet_aton or netip reads.
func FuzzCheckURL(f *testing.F) {
	for _, target := range hostileTargets(f) {
		f.Add(target.url)
	}
	f.Add("https://shop.example.com:8443/hook?x=%2f")
	f.Add("https://8.8.8.8/")
	f.Add("https://[2606:4700:4700::1111]/")
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := CheckURL(raw, Policy{})
		if err != nil {
			return
		}
		again, err := CheckURL(u.String(), Policy{})
		if err != nil || again.Host != u.Host || again.Scheme != u.Scheme {
			t.Fatalf("%q: checked again, got %v (%v), want the scheme and host of %v", raw, again, err, u)
		}
		assertHarmless(t, raw, u)
	})
}

func assertHarmless(t *testing.T, raw string, u *url.URL) {
	t.Helper()
	host := u.Hostname()
	if u.User != nil || u.Opaque != "" || u.Fragment != "" || strings.ContainsAny(host, "%\\@/ ") ||
		strings.HasSuffix(host, ".") {
		t.Fatalf("%q: got %#v, want only a scheme, a host, a path and a query", raw, u)
	}
	if port := u.Port(); port != "" && port != "80" && port != "443" && port != "8443" {
		t.Fatalf("%q: got port %s accepted, want 80, 443 or 8443", raw, port)
	}
	if addr, ok := anyLiteral(host); ok && seemsPrivate(addr) {
		t.Fatalf("%q: got %v accepted, want a public address", raw, addr)
	}
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		t.Fatalf("%q: got host %s accepted, want no localhost", raw, host)
	}
}

// seemsPrivate uses only the standard library, and not the table under test.
func seemsPrivate(addr netip.Addr) bool {
	return addr.Is4In6() || addr.Zone() != "" || addr.IsPrivate() || addr.IsLoopback() ||
		addr.IsUnspecified() || !addr.IsGlobalUnicast()
}

func anyLiteral(host string) (netip.Addr, bool) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr, true
	}
	return inetAton(host)
}

// inetAton parses an IPv4 address as libc does: one to four parts, each decimal, octal or hexadecimal. The last part
// fills all remaining bytes.
func inetAton(host string) (netip.Addr, bool) {
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var sum uint64
	for i, part := range parts {
		value, ok := libcNumber(part)
		if !ok {
			return netip.Addr{}, false
		}
		if i < len(parts)-1 {
			value <<= 8 * (3 - i)
		}
		sum += value
	}
	return netip.AddrFrom4([4]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}), true
}

func libcNumber(part string) (uint64, bool) {
	base := 10
	if hex, ok := strings.CutPrefix(strings.ToLower(part), "0x"); ok {
		part, base = hex, 16
	} else if len(part) > 1 && part[0] == '0' {
		base = 8
	}
	value, err := strconv.ParseUint(part, base, 32)
	return value, err == nil
}

func TestInetAton(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"127.0.0.1", "127.1", "2130706433", "0x7f000001", "017700000001",
		"0177.0.1", "0x7f.0.0.0x1"} {
		if addr, ok := inetAton(host); !ok || addr != netip.MustParseAddr("127.0.0.1") {
			t.Errorf("%s: got %v, %t, want 127.0.0.1, true", host, addr, ok)
		}
	}
}
