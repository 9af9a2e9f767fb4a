package rest_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/rest"
)

func things() []rest.Route { return []rest.Route{route("GET", "/things", respond("thing"))} }

func TestLimits_Burst(t *testing.T) {
	t.Parallel()
	f := newFixture(t, things())
	first := f.ask("GET", "/things", "")
	if h := first.Header(); h.Get("RateLimit-Policy") != `"default";q=500;w=5` ||
		h.Get("RateLimit") != `"default";r=499;t=1` {
		t.Errorf("first: got headers %v, want RateLimit-Policy %s and RateLimit %s", h,
			`"default";q=500;w=5`, `"default";r=499;t=1`)
	}
	for range 498 {
		f.ask("GET", "/things", "")
	}
	if last := f.ask("GET", "/things", ""); last.Code != 200 || last.Header().Get("RateLimit") != `"default";r=0;t=5` {
		t.Errorf("request 500: got %d %v, want 200 and RateLimit %s", last.Code, last.Header(), `"default";r=0;t=5`)
	}
	over := f.ask("GET", "/things", "")
	if got := decodeObject(t, over); over.Code != 429 || got["error_code"] != "TOO_MANY_REQUESTS" ||
		over.Header().Get("Retry-After") != "1" ||
		over.Header().Get("RateLimit") != `"default";r=0;t=1` {
		t.Errorf("request 501: got %d %v %s, want 429 TOO_MANY_REQUESTS, Retry-After 1 and RateLimit %s",
			over.Code, over.Header(), over.Body, `"default";r=0;t=1`)
	}
	if w := f.ask("GET", "/things", "", "Authorization: Bearer "+
		f.addCredential(t, "key_4", identity.SecretKey, "things")); w.Code != 200 {
		t.Errorf("another credential: got %d %s, want 200", w.Code, w.Body)
	}
	f.Advance(time.Second)
	if w := f.ask("GET", "/things", ""); w.Code != 200 {
		t.Errorf("after Retry-After: got %d %s, want 200", w.Code, w.Body)
	}
}

func TestLimits_Headers(t *testing.T) {
	t.Parallel()
	f := newFixture(t, things())
	for _, w := range []http.Header{
		f.ask("GET", "/nowhere", "").Header(), f.ask("GET", "/things", "", "Authorization:").Header(),
		f.ask("POST", "/things", "").Header(),
	} {
		if w.Get("RateLimit-Policy") != `"default";q=500;w=5` || w.Get("RateLimit") != `"default";r=500;t=0` {
			t.Errorf("got headers %v, want RateLimit-Policy %s and RateLimit %s", w,
				`"default";q=500;w=5`, `"default";r=500;t=0`)
		}
	}
}

// TestLimits_FewWrites counts the writes that reach the table, at rates below and far above the limit. In the long run
// a request costs at most 0.02 writes.
func TestLimits_FewWrites(t *testing.T) {
	t.Parallel()
	for name, perSecond := range map[string]int{"quiet": 1, "busy": 90, "flood": 300} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, things())
			const requests = 1000
			served := 0
			for range requests {
				if f.ask("GET", "/things", "").Code == 200 {
					served++
				}
				f.Advance(time.Second / time.Duration(perSecond))
			}
			// The leases double until they have the largest size. This takes four writes, once.
			if writes := f.wire.Calls("UpdateItem"); writes > requests/50+4 {
				t.Errorf("got %d writes for %d requests, want at most %d", writes, requests, requests/50+4)
			}
			allowed := 500 + 100*requests/perSecond
			if want := min(requests, allowed); served > want || served < want*9/10 {
				t.Errorf("got %d served of %d, want %d to %d", served, requests, want*9/10, want)
			}
		})
	}
}

var notEnforced = regexp.MustCompile(`.*rate limit not enforced.*`)

func TestLimits_SeveralProcesses(t *testing.T) {
	t.Parallel()
	f := newFixture(t, things(), func(c *rest.Config) { c.Limits.Credential = rest.Limit{Rate: 10, Burst: 100} })
	handlers := []http.Handler{f.handler}
	for range 3 {
		handlers = append(handlers, f.newProcess(things(), func(c *rest.Config) {
			c.Limits.Credential = rest.Limit{Rate: 10, Burst: 100}
		}))
	}
	var all sync.WaitGroup
	var served atomic.Int64
	for i := range 400 {
		all.Go(func() {
			if answer(handlers[i%len(handlers)], f.request("GET", "/things", "")).Code == 200 {
				served.Add(1)
			}
		})
	}
	all.Wait()
	if served.Load() != 100 {
		t.Errorf("got %d served, want the burst of 100; %s", served.Load(), notEnforced.FindString(f.log.String()))
	}
}

func TestLimits_TableFails(t *testing.T) {
	t.Parallel()
	f := newFixture(t, things())
	f.wire.Inject(faults.Always("UpdateItem", faults.FailBefore))
	for range 20 {
		if w := f.ask("GET", "/things", ""); w.Code != 200 {
			t.Fatalf("got %d %s, want 200", w.Code, w.Body)
		}
	}
}

// TestSource_LogLine checks that the log line has the address that connected, even if headers claim another.
func TestSource_LogLine(t *testing.T) {
	t.Parallel()
	f := newFixture(t, things())
	for _, c := range []struct {
		remote string
		want   any
	}{
		{"192.0.2.1", "192.0.2.1"}, {"192.0.2.1:1000", "192.0.2.1"}, {"[::ffff:192.0.2.1]:3000", "192.0.2.1"},
		{"[2001:db8::1%eth0]:1000", "2001:db8::1"}, {"not an address", nil},
	} {
		r := f.request("GET", "/things", "", "X-Forwarded-For: 203.0.113.9", "Forwarded: for=203.0.113.9")
		r.RemoteAddr = c.remote
		before := len(f.log.String())
		answer(f.handler, r)
		var line map[string]any
		if err := json.Unmarshal([]byte(f.log.String()[before:]), &line); err != nil {
			t.Fatal(err)
		}
		if line["source"] != c.want || line["msg"] != "request" {
			t.Errorf("from %s: got line %v, want source %v", c.remote, line, c.want)
		}
	}
}

func TestLimits_OpenRoute(t *testing.T) {
	t.Parallel()
	f := newFixture(t, []rest.Route{{Method: "GET", Path: "/open", Access: rest.Open,
		Handle: rest.JSON(200, respond("open"))}})
	from := func(address string) int {
		r := f.request("GET", "/open", "")
		r.RemoteAddr = address
		return answer(f.handler, r).Code
	}
	for range 30 {
		if code := from("192.0.2.1:1000"); code != 200 {
			t.Fatalf("got %d, want 200", code)
		}
	}
	for address, want := range map[string]int{
		"192.0.2.1:2000": 429, "192.0.2.1": 429, "[::ffff:192.0.2.1]:3000": 429, "192.0.2.2:1000": 200, "not an address": 200,
	} {
		if code := from(address); code != want {
			t.Errorf("%s: got %d, want %d", address, code, want)
		}
	}
	for range 30 {
		from("[2001:db8::1]:1000")
	}
	for address, want := range map[string]int{"[2001:db8::2]:1000": 429, "[2001:db8:0:1::1]:1000": 200} {
		if code := from(address); code != want {
			t.Errorf("%s: got %d, want %d", address, code, want)
		}
	}
}
