package callbacks_test

import (
	"context"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/functions/callbacks"
	"github.com/cashwrap/cashwrap/localstack/world"
	"github.com/cashwrap/cashwrap/shared/app/queue"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// network carries callbacks to hosts that hang, and to others, which answer.
// Nobody waits: what hangs has timed out at once.
type network struct {
	*world.World
	deliver func(ctx context.Context, body string) error

	mu      sync.Mutex
	hanging map[string]bool
	blocked chan struct{} // what hangs waits for it, unless it is nil
	tries   []string      // hosts
}

const hanging = "hanging.example.com"

func newNetwork(t *testing.T) *network {
	t.Helper()
	n := &network{World: world.New(t), hanging: map[string]bool{hanging: true}}
	n.deliver = callbacks.Deliver(n.Over(n))
	return n
}

// RoundTrip takes one callback.
func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	n.mu.Lock()
	n.tries = append(n.tries, r.URL.Hostname())
	hangs, blocked := n.hanging[r.URL.Hostname()], n.blocked
	n.mu.Unlock()
	if hangs && blocked != nil {
		<-blocked
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.hanging[r.URL.Hostname()] {
		return nil, os.ErrDeadlineExceeded
	}
	return &http.Response{StatusCode: http.StatusNoContent, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
}

func (n *network) made() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.tries)
}

func (n *network) answers(host string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.hanging, host)
}

// owe has a shop owed a callback, and answers its id.
func (n *network) owe(s world.Shop, host string) string {
	n.Helper()
	before := n.owed()
	s.Deactivate(s.Create("10.10", map[string]any{"return_url": "https://" + host + "/hook"}))
	for _, id := range n.owed() {
		if !slices.Contains(before, id) {
			return id
		}
	}
	n.Fatal("no callback is owed")
	return ""
}

// owed are the ids of all callbacks.
func (n *network) owed() (ids []string) {
	n.Helper()
	_, table := n.App.Store.Raw()
	var items []struct {
		ID string `dynamo:"id"`
	}
	if err := table.Scan().Filter("sk = ?", "CALLBACK").All(n.Context(), &items); err != nil {
		n.Fatal(err)
	}
	for _, item := range items {
		ids = append(ids, item.ID)
	}
	return ids
}

// message handles a message of the callback, and answers what it is then.
func (n *network) message(id string) payments.Callback {
	n.Helper()
	if err := n.deliver(n.Context(), `{"callback":"`+id+`"}`); err != nil {
		n.Error(err)
	}
	return n.callback(id)
}

func (n *network) callback(id string) payments.Callback {
	n.Helper()
	_, c, err := n.App.Store.Callback(n.Context(), id)
	if err != nil {
		n.Fatal(err)
	}
	return c
}

// wantTried makes sure that a message had a try made.
func (n *network) wantTried(id string, state, reason string) {
	n.Helper()
	before := n.callback(id).Tries
	if c := n.message(id); c.Tries != before+1 || c.State != state || c.LastError != reason || c.Holds != 0 {
		n.Errorf("tried: %+v", c)
	}
}

// wantHeld makes sure that a message had no try made, and will come again, after a time.
func (n *network) wantHeld(id string, atLeast time.Duration) payments.Callback {
	n.Helper()
	made, before := n.made(), n.callback(id)
	c := n.message(id)
	if n.made() != made || c.Tries != before.Tries || c.State != payments.CallbackOwed || c.FirstFailedAt != before.FirstFailedAt {
		n.Errorf("held back: %+v", c)
	}
	if c.Holds != before.Holds+1 || c.NextAt.Before(n.Clock.Now().Add(atLeast)) {
		n.Errorf("held back until %s, want %s at least: %+v", c.NextAt, n.Clock.Now().Add(atLeast), c)
	}
	return c
}

// trip has a breaker opened by three tries that time out.
func (n *network) trip(s world.Shop, host string) {
	n.Helper()
	for range 3 {
		n.wantTried(n.owe(s, host), payments.CallbackOwed, "timeout")
	}
}

func TestATryWithoutAFreeSlotGoesBack(t *testing.T) {
	t.Parallel()
	n := newNetwork(t)
	n.blocked = make(chan struct{})
	var ids []string
	for range 4 {
		ids = append(ids, n.owe(n.Shop(), hanging))
	}
	var under sync.WaitGroup
	for i, id := range ids[:3] {
		under.Go(func() { n.message(id) })
		for n.made() <= i {
			time.Sleep(time.Millisecond)
		}
	}
	held := n.wantHeld(ids[3], 2*time.Second)
	if wait := held.NextAt.Sub(n.Clock.Now()); wait > 3*time.Second {
		t.Errorf("held back for %s", wait)
	}
	n.wantTried(n.owe(n.Shop(), "other.example.com"), payments.CallbackDelivered, "")
	neighbours := n.owe(n.Shop().Neighbour(), hanging)
	under.Go(func() { n.message(neighbours) })
	for n.made() < 5 {
		time.Sleep(time.Millisecond) // the last slot is for another merchant
	}
	n.wantHeld(n.owe(n.Shop().Neighbour(), hanging), 2*time.Second)
	n.answers(hanging)
	close(n.blocked)
	under.Wait()
	n.Clock.Advance(3 * time.Second)
	n.wantTried(ids[3], payments.CallbackDelivered, "")
}

func TestABreakerHoldsBackWhatWouldHang(t *testing.T) {
	t.Parallel()
	n := newNetwork(t)
	n.trip(n.Shop(), hanging)
	first, second := n.owe(n.Shop(), hanging), n.owe(n.Shop(), hanging)
	n.wantHeld(first, 10*time.Second)
	n.wantHeld(second, 10*time.Second)
	n.wantTried(n.owe(n.Shop(), "fast.example.com"), payments.CallbackDelivered, "")
	if log := n.Logs.String(); !strings.Contains(log, "callback breaker open") || !strings.Contains(log, "callback held back") {
		t.Error("the log says nothing")
	}

	n.Clock.Advance(15 * time.Second)
	n.wantTried(first, payments.CallbackOwed, "timeout") // the probe
	n.wantHeld(second, 20*time.Second)
	n.answers(hanging)
	n.Clock.Advance(30 * time.Second)
	n.wantTried(second, payments.CallbackDelivered, "") // the next, which closes it
	n.Clock.Advance(time.Minute)
	n.wantTried(first, payments.CallbackDelivered, "")
	n.wantTried(n.owe(n.Shop(), hanging), payments.CallbackDelivered, "")
}

func TestOneProbeAtATime(t *testing.T) {
	t.Parallel()
	n := newNetwork(t)
	n.trip(n.Shop(), hanging)
	probe, other := n.owe(n.Shop(), hanging), n.owe(n.Shop(), hanging)
	n.Clock.Advance(10 * time.Second)
	n.blocked = make(chan struct{})
	made := n.made()
	var under sync.WaitGroup
	under.Go(func() { n.message(probe) })
	for n.made() == made {
		time.Sleep(time.Millisecond)
	}
	n.wantHeld(other, 15*time.Second)
	close(n.blocked)
	under.Wait()
}

// One merchant's hanging receiver says nothing of another merchant's, at the
// same host: else anybody could stop the callbacks of whom he likes.
func TestABreakerIsOneMerchants(t *testing.T) {
	t.Parallel()
	n := newNetwork(t)
	n.trip(n.Shop(), hanging)
	n.answers(hanging)
	n.wantHeld(n.owe(n.Shop(), hanging), 10*time.Second)
	n.wantTried(n.owe(n.Shop().Neighbour(), hanging), payments.CallbackDelivered, "")
}

// Any answer is one, and so is a refusal: neither takes long.
func TestOnlySilenceOpensABreaker(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.answer(http.StatusInternalServerError)
	for i := range 8 {
		s.owe("order-" + strconv.Itoa(i))
	}
	s.stream()
	s.deliver()
	s.wantTries(8, "all at once")
}

func TestABreakerHoldsNothingForever(t *testing.T) {
	t.Parallel()
	n := newNetwork(t)
	n.trip(n.Shop(), hanging)
	id := n.owe(n.Shop(), hanging)
	n.wantHeld(id, 10*time.Second)
	n.Clock.Advance(12 * time.Hour)
	breaker, err := n.App.Store.Breaker(t.Context(), n.Shop().Tenant(), hanging)
	if err != nil {
		t.Fatal(err)
	}
	if err := n.App.Store.SaveBreaker(t.Context(), n.Shop().Tenant(), hanging, breaker.Probed(n.Clock.Now())); err != nil {
		t.Fatal(err)
	}
	n.wantHeld(n.owe(n.Shop(), hanging), 10*time.Second)
	n.wantTried(id, payments.CallbackOwed, "timeout")
}

// TestWhatIsHeldBackDoesNotMultiply: stream, queue and sweep keep one message
// of it going, though copies of it come, and take none of them for lost.
func TestWhatIsHeldBackDoesNotMultiply(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.owe("order")
	open := payments.Breaker{TimedOut: 10, OpenUntil: s.Clock.Now().Add(5 * time.Minute)}
	if err := s.App.Store.SaveBreaker(t.Context(), s.Shop().Tenant(), "127.0.0.1", open); err != nil {
		t.Fatal(err)
	}
	s.stream()
	if n := s.deliver(); n != 1 {
		t.Fatalf("%d messages", n)
	}
	messages := 0
	for range 60 { // of 4 seconds
		s.Clock.Advance(4 * time.Second)
		if s.Clock.Now().Second()%20 == 0 {
			var id string
			for _, line := range strings.Split(s.Logs.String(), `"callback":"`)[1:] {
				id, _, _ = strings.Cut(line, `"`)
			}
			if err := queue.OpenCallbacks(s.App).Send(t.Context(), s.Shop().Tenant(), id, 0); err != nil {
				t.Fatal(err)
			}
			messages--
		}
		if err := s.Main().TickNow(t.Context(), "sweep"); err != nil {
			t.Fatal(err)
		}
		s.stream()
		messages += s.deliver()
	}
	if messages != 0 {
		t.Errorf("%d messages more than were sent, while it was held", messages)
	}
	s.wantTries(0, "while it is held")
	for range 60 {
		s.Clock.Advance(10 * time.Second)
		s.stream()
		messages += s.deliver()
	}
	s.wantTries(1, "once the breaker lets it")
	if messages != 1 {
		t.Errorf("%d messages, want 1", messages)
	}
	if strings.Contains(s.Metrics.String(), `"OverdueCallbacks":1`) {
		t.Error("the sweep took it for lost")
	}
}
