package callbacks_test

import (
	"context"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/functions/callbacks"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/outbox"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

// network carries callbacks to hosts that hang and to hosts that answer. A request to a hanging host times out at once.
// If blocked is set, the request first waits until blocked is closed.
type network struct {
	*world.World
	deliver func(ctx context.Context, body string) error

	mu      sync.Mutex
	hanging map[string]bool
	blocked chan struct{} // if set, requests to hanging hosts wait until it is closed
	begun   chan struct{} // receives a value for each waiting try
	tries   []string      // hosts of all requests
}

const hanging = "hanging.example.com"

func newNetwork(t *testing.T) *network {
	t.Helper()
	n := &network{World: world.New(t), hanging: map[string]bool{hanging: true}, begun: make(chan struct{})}
	n.deliver = callbacks.Deliver(n.AppWith(func(_ *app.Config, o *app.Overrides) { o.WrapCallbacks = faults.Instead(n) }))
	return n
}

func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	n.mu.Lock()
	n.tries = append(n.tries, r.URL.Hostname())
	hangs, blocked := n.hanging[r.URL.Hostname()], n.blocked
	n.mu.Unlock()
	if hangs && blocked != nil {
		n.begun <- struct{}{}
		<-blocked
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.hanging[r.URL.Hostname()] {
		return nil, os.ErrDeadlineExceeded
	}
	return &http.Response{StatusCode: http.StatusNoContent, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
}

func (n *network) countRequests() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.tries)
}

func (n *network) letAnswer(host string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.hanging, host)
}

// createCallback creates a due callback of the shop to the host, and returns its id.
func (n *network) createCallback(s world.Shop, host string) string {
	n.Helper()
	before := storedCallbacks(n.World)
	s.Deactivate(s.Create("10.10", map[string]any{"return_url": "https://" + host + "/hook"}))
	after := storedCallbacks(n.World)
	for _, id := range after {
		if !slices.Contains(before, id) {
			return id
		}
	}
	n.Fatalf("got callbacks %q, want one more than %q", after, before)
	return ""
}

// storedCallbacks returns the ids of all stored callbacks.
func storedCallbacks(w *world.World) (ids []string) {
	w.Helper()
	_, table := w.App.Store.Raw()
	var items []struct {
		ID string `dynamo:"id"`
	}
	if err := table.Scan().Filter("sk = ?", "CALLBACK").All(w.Context(), &items); err != nil {
		w.Fatal(err)
	}
	for _, item := range items {
		ids = append(ids, item.ID)
	}
	return ids
}

// handleMessage handles a message of the callback, and returns the callback as stored afterwards.
func (n *network) handleMessage(id string) payments.Callback {
	n.Helper()
	if err := n.deliver(n.Context(), `{"callback":"`+id+`"}`); err != nil {
		n.Errorf("message of %s: got error %v, want none", id, err)
	}
	return callback(n.World, id)
}

// hang starts to handle a message whose try hangs until blocked is closed. It returns as soon as the try has begun.
func (n *network) hang(under *sync.WaitGroup, id string) {
	n.Helper()
	under.Go(func() { n.handleMessage(id) })
	select {
	case <-n.begun:
	case <-time.After(30 * time.Second):
		n.Fatalf("got no try of %s within 30 s, want one", id)
	}
}

// wantTried handles a message, and checks that it makes a try with this outcome.
func (n *network) wantTried(id string, state, reason string) {
	n.Helper()
	before := callback(n.World, id).Tries
	if c := n.handleMessage(id); c.Tries != before+1 || c.State != state || c.LastError != reason || c.Postponements != 0 {
		n.Errorf("got %+v, want it %s after try %d, with error %q and no postponements", c, state, before+1, reason)
	}
}

// wantPostponed handles a message, and checks that it makes no try. The next try must be postponed by atLeast or more.
func (n *network) wantPostponed(id string, atLeast time.Duration) payments.Callback {
	n.Helper()
	made, before := n.countRequests(), callback(n.World, id)
	c := n.handleMessage(id)
	if n.countRequests() != made || c.Tries != before.Tries || c.State != outbox.Pending ||
		c.FirstFailedAt != before.FirstFailedAt {
		n.Errorf("got %+v, and %d tries of all; want it %s after %d tries, first failed at %v, and %d of all", c,
			n.countRequests(), outbox.Pending, before.Tries, before.FirstFailedAt, made)
	}
	if c.Postponements != before.Postponements+1 || c.NextAt.Before(n.Clock.Now().Add(atLeast)) {
		n.Errorf("got %+v, want %d postponements and the next try at %s or later", c, before.Postponements+1,
			n.Clock.Now().Add(atLeast))
	}
	return c
}

// trip opens a breaker. It lets tries time out until their number reaches the breaker's threshold.
func (n *network) trip(s world.Shop, host string) {
	n.Helper()
	for range payments.BreakerThreshold {
		n.wantTried(n.createCallback(s, host), outbox.Pending, "timeout")
	}
}

func TestPostpone_NoFreeSlot(t *testing.T) {
	t.Parallel()
	n := newNetwork(t)
	n.blocked = make(chan struct{})
	var ids []string
	for range 4 {
		ids = append(ids, n.createCallback(n.Shop(), hanging))
	}
	var under sync.WaitGroup
	for _, id := range ids[:3] {
		n.hang(&under, id)
	}
	postponed := n.wantPostponed(ids[3], 2*time.Second)
	if wait := postponed.NextAt.Sub(n.Clock.Now()); wait > 3*time.Second {
		t.Errorf("got it postponed for %s, want 3s at most", wait)
	}
	n.wantTried(n.createCallback(n.Shop(), "other.example.com"), outbox.Delivered, "")
	n.hang(&under, n.createCallback(n.Shop().OtherShop(), hanging)) // the last slot is for another merchant
	n.wantPostponed(n.createCallback(n.Shop().OtherShop(), hanging), 2*time.Second)
	n.letAnswer(hanging)
	close(n.blocked)
	under.Wait()
	n.Clock.Advance(3 * time.Second)
	n.wantTried(ids[3], outbox.Delivered, "")
}

func TestBreaker_PostponesAndProbes(t *testing.T) {
	t.Parallel()
	n := newNetwork(t)
	n.trip(n.Shop(), hanging)
	first, second := n.createCallback(n.Shop(), hanging), n.createCallback(n.Shop(), hanging)
	n.wantPostponed(first, 10*time.Second)
	n.wantPostponed(second, 10*time.Second)
	n.wantTried(n.createCallback(n.Shop(), "fast.example.com"), outbox.Delivered, "")
	if log := n.Logs.String(); !strings.Contains(log, "callback breaker open") ||
		!strings.Contains(log, "callback postponed") {
		t.Errorf(`got log %s, want "callback breaker open" and "callback postponed" in it`, log)
	}

	n.Clock.Advance(15 * time.Second)
	n.wantTried(first, outbox.Pending, "timeout") // this try is the probe
	n.wantPostponed(second, 20*time.Second)
	n.letAnswer(hanging)
	n.Clock.Advance(30 * time.Second)
	n.wantTried(second, outbox.Delivered, "") // the next try, which closes the breaker
	n.Clock.Advance(time.Minute)
	n.wantTried(first, outbox.Delivered, "")
	n.wantTried(n.createCallback(n.Shop(), hanging), outbox.Delivered, "")
}

func TestBreaker_OneProbe(t *testing.T) {
	t.Parallel()
	n := newNetwork(t)
	n.trip(n.Shop(), hanging)
	probe, other := n.createCallback(n.Shop(), hanging), n.createCallback(n.Shop(), hanging)
	n.Clock.Advance(10 * time.Second)
	n.blocked = make(chan struct{})
	var under sync.WaitGroup
	n.hang(&under, probe)
	n.wantPostponed(other, 15*time.Second)
	close(n.blocked)
	under.Wait()
}

// TestBreaker_OtherMerchant checks that a breaker does not affect other merchants at the same host. Otherwise a
// merchant could stop the callbacks of any other.
func TestBreaker_OtherMerchant(t *testing.T) {
	t.Parallel()
	n := newNetwork(t)
	n.trip(n.Shop(), hanging)
	n.letAnswer(hanging)
	n.wantPostponed(n.createCallback(n.Shop(), hanging), 10*time.Second)
	n.wantTried(n.createCallback(n.Shop().OtherShop(), hanging), outbox.Delivered, "")
}

// TestBreaker_OnlyTimeouts checks that error answers and refused connections do not open a breaker. These failures are
// quick.
func TestBreaker_OnlyTimeouts(t *testing.T) {
	t.Parallel()
	answering, refusing := newShop(t), newShop(t)
	answering.Receiver.Answer(http.StatusInternalServerError)
	refusing.Receiver.URL = "http://127.0.0.1:1/hook" // port of tcpmux; no server listens there
	for reason, s := range map[string]shop{"status 500": answering, string(webhook.ReasonConnect): refusing} {
		for range 8 { // one try after another, so that none waits for a slot
			s.createCallback()
			s.relayStream()
			if n := s.DrainQueues(); n != 1 {
				t.Errorf("%s: got %d messages, want 1", reason, n)
			}
		}
		for _, id := range storedCallbacks(s.World) {
			if c := callback(s.World, id); c.Tries != 1 || c.LastError != reason {
				t.Errorf("got %+v, want one try, with error %s", c, reason)
			}
		}
	}
}

// TestBreaker_Threshold checks that the threshold of timeouts equals the number of a merchant's slots at a host. So the
// breaker opens if tries begin together in all slots and all time out.
func TestBreaker_Threshold(t *testing.T) {
	t.Parallel()
	if payments.BreakerThreshold != webhook.PerTenant {
		t.Errorf("got a breaker that opens after %d timeouts, want %d, the slots of a merchant", payments.BreakerThreshold,
			webhook.PerTenant)
	}
}

func TestBreaker_PostponedTooLong(t *testing.T) {
	t.Parallel()
	n := newNetwork(t)
	n.trip(n.Shop(), hanging)
	id := n.createCallback(n.Shop(), hanging)
	n.wantPostponed(id, 10*time.Second)
	n.Clock.Advance(12 * time.Hour)
	breaker, err := n.App.Store.Breaker(t.Context(), n.Shop().Tenant(), hanging)
	if err != nil {
		t.Fatal(err)
	}
	if err := n.App.Store.SaveBreaker(t.Context(), n.Shop().Tenant(), hanging,
		breaker.ProbeStarted(n.Clock.Now())); err != nil {
		t.Fatal(err)
	}
	n.wantPostponed(n.createCallback(n.Shop(), hanging), 10*time.Second)
	n.wantTried(id, outbox.Pending, "timeout")
}

// TestPostpone_Messages checks that relay and sweep keep exactly one message for a postponed callback, even if a
// message is repeated, and that no message counts as lost.
func TestPostpone_Messages(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.createCallback()
	id := storedCallbacks(s.World)[0]
	open := payments.Breaker{TimedOut: 10, OpenUntil: s.Clock.Now().Add(5 * time.Minute)}
	if err := s.App.Store.SaveBreaker(t.Context(), s.Tenant(), "127.0.0.1", open); err != nil {
		t.Fatal(err)
	}
	s.relayStream()
	if n := s.DrainQueues(); n != 1 {
		t.Fatalf("got %d messages, want 1", n)
	}
	messages := 0
	for range 60 { // steps of 4 seconds
		s.Clock.Advance(4 * time.Second)
		if s.Clock.Now().Second()%20 == 0 {
			s.repeatMessage(id)
			messages--
		}
		s.Tick("sweep")
		s.relayStream()
		messages += s.DrainQueues()
	}
	if messages != 0 {
		t.Errorf("got %d more messages than were sent while it was postponed, want 0", messages)
	}
	s.wantTries(0, "while it is postponed")
	for range 60 {
		s.Clock.Advance(10 * time.Second)
		s.relayStream()
		messages += s.DrainQueues()
	}
	s.wantTries(1, "once the breaker allows it")
	if messages != 1 {
		t.Errorf("got %d messages, want 1", messages)
	}
	if got := s.Metrics.String(); strings.Contains(got, `"OverdueCallbacks":1`) {
		t.Errorf("got metrics %s, want no overdue callback in them", got)
	}
}
