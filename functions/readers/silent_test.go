package readers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/functions/readers"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// longestWait limits the time that one message to a terminal may take, both in a request and in a poll.
const longestWait = 8 * time.Second

// silent are terminals that never answer within a message's time limit. A message without such a limit fails the test.
type silent struct {
	*testing.T
	ends map[time.Time]int // number of messages whose time limit ends at that time
}

func newSilent(t *testing.T) silent {
	t.Helper()
	return silent{t, map[time.Time]int{}}
}

func (s silent) wait(ctx context.Context, message string) error {
	end, ok := ctx.Deadline()
	if !ok || time.Until(end) > longestWait {
		s.Errorf("%s: got %v %v, want an end within %s", message, end, ok, longestWait)
	}
	s.ends[end]++
	return context.DeadlineExceeded
}

func (s silent) Pair(ctx context.Context, _ terminal.Pairing) (terminal.Device, error) {
	return terminal.Device{}, s.wait(ctx, "Pair")
}

func (s silent) Heartbeat(ctx context.Context, _ string) (terminal.Heartbeat, error) {
	return terminal.Heartbeat{}, s.wait(ctx, "Heartbeat")
}

func (s silent) Offer(ctx context.Context, _ terminal.Checkout) error { return s.wait(ctx, "Offer") }

func (s silent) Outcome(ctx context.Context, _ string) (terminal.Outcome, error) {
	return terminal.Outcome{}, s.wait(ctx, "Outcome")
}

func (s silent) Settings(ctx context.Context, _ string) (terminal.Settings, error) {
	return terminal.Settings{}, s.wait(ctx, "Settings")
}

func (s silent) Configure(ctx context.Context, _ string, _ terminal.SettingsChange) error {
	return s.wait(ctx, "Configure")
}

func (s silent) Terminate(ctx context.Context, _ string) error { return s.wait(ctx, "Terminate") }
func (s silent) Unpair(ctx context.Context, _ string) error    { return s.wait(ctx, "Unpair") }

// TestHangingTerminal_AcquirerAsked checks that a hanging terminal does not prevent the call to the acquirer. The paid
// checkout is recorded, the unpaid one is terminated, and the terminal's next checkout ends. Without the call, the
// reader would stay busy forever, and a payment would stay unknown.
func TestHangingTerminal_AcquirerAsked(t *testing.T) {
	t.Parallel()
	c := newTill(t)
	p, tenant := c.App.Processing, c.Tenant()
	resolve := func(checkout string, want payments.CheckoutStatus,
		by func(context.Context, identity.Tenant, payments.Checkout) (payments.Checkout, error)) {
		t.Helper()
		stored, err := c.App.Store.AnyCheckout(t.Context(), tenant, checkout)
		if err == nil {
			stored, err = by(t.Context(), tenant, stored)
		}
		if err != nil || stored.Status != want {
			t.Errorf("got %s, %v, want %s", stored.Status, err, want)
		}
	}
	first := c.Begin(1010)
	c.Clock.Advance(pays)
	if _, err := c.App.Virtual.Outcome(t.Context(), first); err != nil { // asking for the outcome charges the card
		t.Fatal(err)
	}
	c.App.Terminals[identity.Test] = newSilent(t)
	resolve(first, payments.CheckoutPaid, p.ResolveAttempt)
	second := c.Begin(1010)
	resolve(second, payments.CheckoutPending, p.Readers.Offer)
	resolve(second, payments.CheckoutFailed, p.Readers.TerminateWaiting)
	c.Clock.Advance(pays) // then the terminal tries to charge, and the acquirer refuses
	third := c.Begin(1010)
	c.Clock.Advance(2 * time.Minute)
	resolve(third, payments.CheckoutFailed, p.ResolveAttempt)
}

// TestListReaders_HangingTerminals checks that the messages to all terminals end at the same time, so that a request
// can ask a hundred terminals.
func TestListReaders_HangingTerminals(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for _, code := range []string{"WAIT0001", "WAIT0002", "WAIT0003"} {
		s.pair(code)
	}
	hanging := newSilent(t)
	answer := s.listOver(hanging)
	if answer.Code != http.StatusOK || len(hanging.ends) != 1 {
		t.Errorf("got %d %s with messages that end at %v, want 200, and one end", answer.Code, answer.Body, hanging.ends)
	}
}

// expiring are terminals that let five minutes pass when they are asked about a reader. If they are asked about the
// pairing in the field except, no time passes.
type expiring struct {
	terminal.Terminals
	except string
	pass   func()
}

func (e expiring) Heartbeat(ctx context.Context, pairing string) (terminal.Heartbeat, error) {
	if pairing != e.except {
		e.pass()
	}
	return e.Terminals.Heartbeat(ctx, pairing)
}

// TestListReaders_StatusWhenAsked checks that the list shows each reader's status at the time when its own terminal
// answered. The answers of slower terminals do not change that status.
func TestListReaders_StatusWhenAsked(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	first := s.pair("WAIT0001")
	s.Clock.Advance(time.Minute)
	s.pair("WAIT0002")
	pass := func() { s.Clock.Advance(5 * time.Minute) }
	answer := s.listOver(expiring{s.App.Terminals[identity.Test], first.ID, pass})
	var got struct{ Items []cardReader }
	if err := json.Unmarshal(answer.Body.Bytes(), &got); err != nil || len(got.Items) != 2 {
		t.Fatalf("got %d %s, error %v, want two readers", answer.Code, answer.Body, err)
	}
	if got.Items[0].ID != first.ID || got.Items[0].Status != "processing" {
		t.Errorf("got %+v, want %s processing", got.Items[0], first.ID)
	}
}

// listOver lists the readers in a process that uses these terminals.
func (s shop) listOver(terminals terminal.Terminals) *httptest.ResponseRecorder {
	s.Helper()
	return sendOver(s.Shop, terminals, httptest.NewRequestWithContext(s.Context(), "GET", s.ReadersPath(), http.NoBody))
}

// sendOver sends a request to a process that uses these terminals.
func sendOver(s world.Shop, terminals terminal.Terminals, request *http.Request) *httptest.ResponseRecorder {
	s.Helper()
	s.App.Terminals[identity.Test] = terminals
	request.Header.Set("Authorization", "Bearer "+s.Merchant.Key.Plaintext)
	request.Header.Set("X-Forwarded-Proto", "https")
	answer := httptest.NewRecorder()
	s.App.Handler(readers.Routes(s.App)).ServeHTTP(answer, request)
	return answer
}

// terminating are terminals that terminate a checkout before it is offered to them.
type terminating struct {
	terminal.Terminals
	terminate func()
}

func (o terminating) Offer(ctx context.Context, c terminal.Checkout) error {
	o.terminate()
	return o.Terminals.Offer(ctx, c)
}

// TestReaderCheckout_TerminatedBeforeOffer checks that a checkout terminated before its offer is never paid. The
// terminal takes the next checkout.
func TestReaderCheckout_TerminatedBeforeOffer(t *testing.T) {
	t.Parallel()
	c := newTill(t)
	text, err := json.Marshal(c.SaleBody(1010))
	if err != nil {
		t.Fatal(err)
	}
	request := httptest.NewRequestWithContext(t.Context(), "POST", c.Path("/checkout"), bytes.NewReader(text))
	request.Header.Set("Content-Type", "application/json")
	answer := sendOver(c.Shop, terminating{c.App.Virtual, func() { c.Send("POST", c.Path("/terminate"), nil) }}, request)
	var made begun
	if err := json.Unmarshal(answer.Body.Bytes(), &made); err != nil || answer.Code != http.StatusCreated {
		t.Fatalf("got %d %s, %v, want 201", answer.Code, answer.Body, err)
	}
	next := c.Begin(1010)
	wantFate(c, made.Data.ID, stopped)
	c.Clock.Advance(pays)
	wantFate(c, next, paid)
	wantFate(c, made.Data.ID, stopped)
}

// begun is the reply to a request that created a checkout.
type begun struct {
	Data struct {
		ID string `json:"checkout_id"`
	} `json:"data"`
}

// deleting are terminals that delete a reader when they are asked about it.
type deleting struct {
	terminal.Terminals
	remove func(pairing string)
}

func (d deleting) Heartbeat(ctx context.Context, pairing string) (terminal.Heartbeat, error) {
	d.remove(pairing)
	return d.Terminals.Heartbeat(ctx, pairing)
}

// TestListReaders_DeletedMeanwhile checks a reader that is deleted while the list is made. The list omits the reader,
// and the request still succeeds.
func TestListReaders_DeletedMeanwhile(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.pair("WAIT0001")
	remove := func(id string) { s.wantEmpty("delete", s.Send("DELETE", s.path(id), nil)) }
	answer := s.listOver(deleting{s.App.Virtual, remove})
	if answer.Code != http.StatusOK || answer.Body.String() != `{"items":[]}` {
		t.Errorf("got %d %s, want none", answer.Code, answer.Body)
	}
}
