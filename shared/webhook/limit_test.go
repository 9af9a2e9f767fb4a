package webhook

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
)

func TestAcquire_FourPerHost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var limit hostLimit
		var most, running, refused atomic.Int64
		finish := make(chan struct{})
		for i := range 10 {
			go func() {
				began := time.Now()
				release, err := limit.acquire(t.Context(), "a.example", "M"+strconv.Itoa(i%2))
				if err != nil {
					if waited := time.Since(began); !errors.Is(err, ErrBusy) || waited != maxIdle {
						t.Errorf("got %v after %v, want ErrBusy after %v", err, waited, maxIdle)
					}
					refused.Add(1)
					return
				}
				defer release()
				most.Store(max(most.Load(), running.Add(1)))
				<-finish
				running.Add(-1)
			}()
		}
		synctest.Wait()
		if got := running.Load(); got != 4 {
			t.Errorf("got %d at a time, want 4", got)
		}
		assertOthersPass(t, &limit)
		assertWaitersCanLeave(t, &limit)
		time.Sleep(maxIdle)
		synctest.Wait()
		if refused.Load() != 6 {
			t.Errorf("got %d that went back, want 6", refused.Load())
		}
		close(finish)
		synctest.Wait()
		if most.Load() != 4 || running.Load() != 0 {
			t.Errorf("got at most %d, %d left, want at most 4, none left", most.Load(), running.Load())
		}
		if len(limit.hosts) != 0 {
			t.Errorf("got %d idle hosts remembered, want none", len(limit.hosts))
		}
	})
}

func assertOthersPass(t *testing.T, limit *hostLimit) {
	t.Helper()
	release, err := limit.acquire(t.Context(), "b.example", "M0")
	if err != nil {
		t.Fatal(err)
	}
	release()
}

func assertWaitersCanLeave(t *testing.T, limit *hostLimit) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := limit.acquire(ctx, "a.example", "M0"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

// TestAcquire_ThreePerTenant checks that a merchant whose deliveries hang leaves one slot of the host to other
// merchants. The slot stays free for others after another merchant has used and released it.
func TestAcquire_ThreePerTenant(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var limit hostLimit
		take := func(tenant string, want error) func() {
			t.Helper()
			release, err := limit.acquire(t.Context(), "shared.example", tenant)
			if !errors.Is(err, want) {
				t.Errorf("%s: got %v, want %v", tenant, err, want)
			}
			return release
		}
		first := take("hanging", nil)
		take("hanging", nil)
		take("hanging", nil)
		take("hanging", ErrBusy)
		other := take("fast", nil)
		take("fast", ErrBusy) // all four slots are taken
		go func() {
			time.Sleep(maxIdle / 2)
			other()
		}()
		take("hanging", ErrBusy)
		take("fast", nil)
		first()
		take("hanging", nil)
	})
}

// TestSend_WaitsForSlot checks that a host that answers gets all deliveries of a burst, little by little. If the host
// is too slow or does not answer, the remaining deliveries are refused.
func TestSend_WaitsForSlot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		answers  time.Duration
		sent     int64 // number of deliveries sent, of 100
		waitedOn time.Duration
	}{
		{50 * time.Millisecond, 100, 0},
		{100 * time.Millisecond, 60, maxSlotWait},
		{maxIdle + 1, 3, maxIdle},
	} {
		synctest.Test(t, func(t *testing.T) {
			var limit hostLimit
			var sent atomic.Int64
			for range 100 {
				go func() {
					began := time.Now()
					release, err := limit.acquire(t.Context(), "shop.example", "M0")
					if err != nil {
						if waited := time.Since(began); waited != c.waitedOn {
							t.Errorf("got %v after %v, want it after %v", err, waited, c.waitedOn)
						}
						return
					}
					sent.Add(1)
					time.Sleep(c.answers)
					release()
				}()
			}
			time.Sleep(time.Minute)
			if got := sent.Load(); got < c.sent || got > c.sent+3 {
				t.Errorf("answering within %v: got %d of 100 sent, want %d to %d", c.answers, got, c.sent, c.sent+3)
			}
		})
	}
}

// TestSend_SlotsByHost checks that a host's slots are the same for all ports, paths and spellings of the host.
func TestSend_SlotsByHost(t *testing.T) {
	t.Parallel()
	arrived, finish := make(chan struct{}, 10), make(chan struct{})
	hang := faults.RoundTrip(func(*http.Request) (*http.Response, error) {
		arrived <- struct{}{}
		<-finish
		return &http.Response{StatusCode: http.StatusNoContent, Body: http.NoBody}, nil
	})
	sender := NewSenderOver(faults.Instead(hang), Policy{}, testKey(t))
	var sent sync.WaitGroup
	for i, target := range []string{"https://shop.example.com/a", "https://shop.example.com:8443/b",
		"http://SHOP.example.com/c", "http://shop.example.com:80/d"} {
		sent.Go(func() {
			if err := sender.Send(t.Context(), "M"+strconv.Itoa(i), target, testMessage(), nil); err != nil {
				t.Errorf("%s: got error %v, want none", target, err)
			}
		})
	}
	for range perHost {
		<-arrived
	}
	if err := sender.Send(t.Context(), "M0", "https://shop.example.com:443/e", testMessage(), nil); !errors.Is(err,
		ErrBusy) {
		t.Errorf("a fifth delivery: got %v, want ErrBusy", err)
	}
	close(finish)
	sent.Wait()
}

func TestHost(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"https://Shop.Example.com:8443/hook?token=hush": "shop.example.com", "http://192.0.2.1/": "192.0.2.1",
		"http://[2001:db8::1]:80/": "2001:db8::1", "no URL": "", "http://%zz/": "",
	} {
		if got := Host(raw); got != want {
			t.Errorf("%s: got %q, want %q", raw, got, want)
		}
	}
}

// TestSend_NoAnswerFromDNSOrAddress checks that a delivery fails with ReasonTimeout if DNS or the address does not
// answer. A refused connection is no timeout.
func TestSend_NoAnswerFromDNSOrAddress(t *testing.T) {
	t.Parallel()
	timeout := &net.DNSError{Err: "i/o timeout", IsTimeout: true}
	for _, c := range []struct {
		err  error
		want Reason
	}{
		{timeout, ReasonTimeout},
		{&net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, ReasonTimeout},
		{&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, ReasonConnect},
		{nil, ReasonConnect},
	} {
		if got := orTimeout(c.err, ReasonConnect); got != c.want {
			t.Errorf("%v: got %s, want %s", c.err, got, c.want)
		}
	}
	resolver := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, timeout
	}}
	d := &dialer{policy: loopbackOnly, resolver: resolver, control: loopbackOnly.checkSocket}
	_, err := d.DialContext(t.Context(), "tcp", "timeout.example.com:443")
	wantReason(t, err, ReasonTimeout)
}
