package rest_test

import (
	"crypto/sha256"
	"encoding/json"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/shared/rest"
)

// loggedSource returns the source in the log line of a request.
func (f *fixture) loggedSource(t *testing.T, remote string, header ...string) any {
	t.Helper()
	r := f.request("GET", "/things", "", header...)
	r.RemoteAddr = remote
	before := len(f.log.String())
	answer(f.handler, r)
	var line map[string]any
	if err := json.Unmarshal([]byte(f.log.String()[before:]), &line); err != nil {
		t.Fatal(err)
	}
	return line["source"]
}

// TestSource_BehindProxies checks that behind n proxies the client's address is the entry of the first proxy, and never
// an entry that the client wrote. API Gateway appends the address that connected to it, here 192.0.2.1.
func TestSource_BehindProxies(t *testing.T) {
	t.Parallel()
	const peer = "192.0.2.1"
	for hops, cases := range map[int]map[string]string{
		0: {"203.0.113.9, 192.0.2.1": peer, "203.0.113.9": peer},
		1: {
			"203.0.113.9, 192.0.2.1":               "203.0.113.9",
			"203.0.113.9,192.0.2.1":                "203.0.113.9",
			"198.51.100.7, 203.0.113.9, 192.0.2.1": "203.0.113.9", // the client sent the first entry
			"nonsense, 203.0.113.9, 192.0.2.1":     "203.0.113.9",
			"203.0.113.9":                          "203.0.113.9", // a gateway that appends nothing
			"203.0.113.9:1234, 192.0.2.1":          "203.0.113.9",
			"[2001:db8::1]:1234, 192.0.2.1":        "2001:db8::1",
			"::ffff:203.0.113.9, 192.0.2.1":        "203.0.113.9",
			"192.0.2.1":                            peer, // no proxy has written an entry
			"":                                     peer,
			", 192.0.2.1":                          peer,
			"nonsense, 192.0.2.1":                  peer,
			"198.51.100.7, nonsense, 192.0.2.1":    peer,
			"203.0.113.9, 192.0.2.1, ":             peer,
		},
		2: {
			"203.0.113.9, 198.51.100.1, 192.0.2.1":               "203.0.113.9",
			"198.51.100.7, 203.0.113.9, 198.51.100.1, 192.0.2.1": "203.0.113.9",
			"203.0.113.9, 192.0.2.1":                             peer, // the request bypassed one proxy
			"nonsense, 198.51.100.1, 192.0.2.1":                  peer,
		},
	} {
		f := newFixture(t, things(), func(c *rest.Config) { c.Proxies.Hops = hops })
		for forwarded, want := range cases {
			got := f.loggedSource(t, peer, "X-Forwarded-For: "+forwarded, "Forwarded: for=198.51.100.9")
			if got != want {
				t.Errorf("%d proxies, %q: got source %v, want %s", hops, forwarded, got, want)
			}
		}
		if got := f.loggedSource(t, "not an address", "X-Forwarded-For: 203.0.113.9, 198.51.100.1"); got != nil {
			t.Errorf("%d proxies, unknown peer: got source %v, want none", hops, got)
		}
	}
}

// TestSource_ProxySecret checks that X-Forwarded-For is ignored in a request without the proxy's secret.
func TestSource_ProxySecret(t *testing.T) {
	t.Parallel()
	old, current := sha256.Sum256([]byte("the last value")), sha256.Sum256([]byte("the value"))
	f := newFixture(t, things(), func(c *rest.Config) {
		c.Proxies = rest.Proxies{Hops: 1, SecretHashes: [][]byte{old[:], current[:]}}
	})
	for secret, want := range map[string]string{"the value": "203.0.113.9", "the last value": "203.0.113.9",
		"a guess": "192.0.2.1", "": "192.0.2.1", "the value,the value": "192.0.2.1"} {
		got := f.loggedSource(t, "192.0.2.1", "X-Forwarded-For: 203.0.113.9, 192.0.2.1", "X-Proxy-Secret:"+secret)
		if got != want {
			t.Errorf("secret %q: got source %v, want %s", secret, got, want)
		}
	}
	if strings.Contains(f.log.String(), "the value") {
		t.Errorf("got log %s, want no secret in it", f.log)
	}
}

// TestLimits_BehindAProxy checks that each visitor behind a proxy has one bucket, and gains no other bucket by claiming
// addresses.
func TestLimits_BehindAProxy(t *testing.T) {
	t.Parallel()
	f := newFixture(t, []rest.Route{{Method: "GET", Path: "/things", Access: rest.Open,
		Handle: rest.JSON(200, respond("open"))}}, func(c *rest.Config) {
		c.Proxies.Hops, c.Limits.Address = 1, rest.Limit{Rate: 1, Burst: 5}
	})
	served := func(forwarded string) (n int) {
		for range 10 {
			r := f.request("GET", "/things", "", "X-Forwarded-For: "+forwarded)
			r.RemoteAddr = "192.0.2.1"
			if answer(f.handler, r).Code == 200 {
				n++
			}
		}
		return n
	}
	for _, c := range []struct {
		forwarded string
		want      int
	}{
		{"203.0.113.9, 192.0.2.1", 5}, {"198.51.100.7, 203.0.113.9, 192.0.2.1", 0}, {"203.0.113.10, 192.0.2.1", 5},
		{"2001:db8::1, 192.0.2.1", 5}, {"2001:db8::2, 192.0.2.1", 0},
	} {
		if got := served(c.forwarded); got != c.want {
			t.Errorf("%s: got %d of 10 requests served, want %d", c.forwarded, got, c.want)
		}
	}
}
