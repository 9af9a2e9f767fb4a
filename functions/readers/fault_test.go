package readers_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/reader"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

const route = "/v0.1/merchants/{merchant_code}/readers"

// operations returns the operations on a reader that the audit records.
func (s shop) operations(id string) []string {
	s.Helper()
	_, operations := s.AuditOf("reader " + id)
	return operations
}

// TestCreateReader_EachFault checks that an interrupted request creates at most one reader, and that a repeated request
// creates exactly one.
func TestCreateReader_EachFault(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.Attempts(6, func(try string, send func(world.Request) world.Response) {
		r := world.Request{Method: "POST", Path: s.ReadersPath(), IdempotencyKey: try,
			Body: fields{"pairing_code": "12345678", "name": try}}
		first := send(r)
		there := s.list()
		s.Clock.Advance(time.Minute)
		got := s.shown(201, s.Do(r))
		s.Clock.Advance(2 * time.Second)
		all := s.list()
		if len(all) != 1 || all[0].ID != got.ID || all[0].Status != "paired" || all[0].Name != try {
			t.Errorf("%s: got %+v, then %+v, want it paired, and no other", try, got, all)
		}
		if len(there) == 1 && there[0].ID != got.ID || first.Status == 201 && first.Text("id") != got.ID {
			t.Errorf("%s: got %d %s and %+v, then %+v, want the same", try, first.Status, first.Body, there, got)
		}
		if diff := cmp.Diff([]string{"POST " + route}, s.operations(got.ID)); diff != "" {
			t.Errorf("%s: entries (-want +got):\n%s", try, diff)
		}
		s.wantEmpty(try, s.Send("DELETE", s.path(got.ID), nil))
	})
}

// TestDeleteReader_EachFault checks that an interrupted deletion is either complete or not made. A repeated request
// completes it.
func TestDeleteReader_EachFault(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.Attempts(6, func(try string, send func(world.Request) world.Response) {
		one := s.pairConfirmed("12345678")
		r := world.Request{Method: "DELETE", Path: s.path(one.ID), IdempotencyKey: try}
		s.Clock.Advance(time.Second)
		send(r)
		s.Clock.Advance(time.Minute)
		s.wantEmpty(try, s.Do(r))
		s.wantEmpty(try, s.Do(r))
		if got := s.list(); len(got) != 0 {
			t.Errorf("%s: got %+v, want none", try, got)
		}
		if diff := cmp.Diff([]string{"POST " + route, "DELETE " + route + "/{reader_id}"}, s.operations(one.ID)); diff != "" {
			t.Errorf("%s: entries (-want +got):\n%s", try, diff)
		}
		notFound.Check(t, s.Send("DELETE", s.path(one.ID), nil)) // another operation
	})
}

// sell offers the cardholder a checkout of 10.10 EUR, and returns its id.
func (s shop) sell(r cardReader) string {
	s.Helper()
	made := s.Send("POST", s.path(r.ID)+"/checkout",
		fields{"total_amount": fields{"currency": "EUR", "minor_unit": 2, "value": 1010}})
	s.Want("sell", 201, made)
	return made.Text("data.checkout_id")
}

// storedCheckout returns the checkout as stored.
func (s shop) storedCheckout(id string) payments.Checkout {
	s.Helper()
	c, err := s.App.Store.AnyCheckout(s.Context(), s.Tenant(), id)
	if err != nil {
		s.Fatal(err)
	}
	return c
}

// TestDeleteReader_EndsCheckout checks that a deletion ends a waiting checkout, and does not change a paid one.
func TestDeleteReader_EndsCheckout(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for after, want := range map[time.Duration]payments.CheckoutStatus{time.Second: payments.CheckoutFailed,
		3 * time.Second: payments.CheckoutPaid} {
		one := s.pairConfirmed("12345678")
		id := s.sell(one)
		s.Clock.Advance(after)
		s.wantEmpty("delete", s.Send("DELETE", s.path(one.ID), nil))
		if got := s.storedCheckout(id); got.Status != want || got.AttemptOpen() {
			t.Errorf("after %s: got %+v, want it %s", after, got, want)
		}
		s.PassMinute()
		if got := s.storedCheckout(id); got.Status != want {
			t.Errorf("a minute later: got %+v, want it %s", got, want)
		}
	}
}

// TestDeleteReader_EachFaultWithCheckout checks that a repeated deletion ends the reader's checkout. The checkout ends
// without a payment, unless the first try failed and the cardholder paid before the second try.
func TestDeleteReader_EachFaultWithCheckout(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.Attempts(8, func(try string, send func(world.Request) world.Response) {
		one := s.pairConfirmed("12345678")
		id := s.sell(one)
		r := world.Request{Method: "DELETE", Path: s.path(one.ID), IdempotencyKey: try}
		answer := send(r)
		s.Clock.Advance(time.Minute)
		s.wantEmpty(try, s.Do(r))
		got := s.storedCheckout(id)
		late := answer.Status != 200 && got.Status == payments.CheckoutPaid // the cardholder paid before the second try
		if got.Status != payments.CheckoutFailed && !late || got.AttemptOpen() {
			t.Errorf("%s: got %+v, want it ended", try, got)
		}
	})
}

// TestRetrieveReader_EachFault checks a read with a fault. The read fails, or shows the reader's true status, or shows
// the reader as processing. The next read shows the true status.
func TestRetrieveReader_EachFault(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.Attempts(3, func(try string, send func(world.Request) world.Response) {
		for _, c := range []struct {
			code, status string
			after        time.Duration
		}{{"12345678", "paired", 2 * time.Second}, {"WAIT1234", "expired", 6 * time.Minute}} {
			r := s.pair(c.code)
			s.Clock.Advance(c.after)
			got := send(world.Request{Method: "GET", Path: s.path(r.ID)})
			if got.Status == 200 && got.Text("status") != c.status && got.Text("status") != "processing" {
				t.Errorf("%s: got %s, want it %s", try, got.Body, c.status)
			}
			read := s.get(r.ID)
			if read.Status != c.status || (read.ServiceAccount != "") != (c.status == "paired") {
				t.Errorf("%s: got %+v, want it %s", try, read, c.status)
			}
			s.wantEmpty(try, s.Send("DELETE", s.path(r.ID), nil))
		}
	})
}

// TestCreateReader_RepeatedAfterDeletion checks a creation without a stored reply. If it is repeated after the reader
// was deleted, the reader stays deleted.
func TestCreateReader_RepeatedAfterDeletion(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.Attempts(6, func(try string, send func(world.Request) world.Response) {
		r := world.Request{Method: "POST", Path: s.ReadersPath(), IdempotencyKey: try,
			Body: fields{"pairing_code": "12345678"}}
		send(r)
		deleted := s.list()
		for _, one := range deleted {
			s.wantEmpty(try, s.Send("DELETE", s.path(one.ID), nil))
		}
		s.Clock.Advance(time.Minute)
		got := s.shown(201, s.Do(r))
		now := s.list()
		if len(deleted) == 1 && (got.ID != deleted[0].ID || len(now) != 0) {
			t.Errorf("%s: deleted %+v, got %+v and %+v, want none", try, deleted, got, now)
		}
		for _, one := range now {
			s.wantEmpty(try, s.Send("DELETE", s.path(one.ID), nil))
		}
	})
}

// TestIdempotencyKey_CreateReader checks that a repeated request gets the same answer, even if that is a refusal.
func TestIdempotencyKey_CreateReader(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for code, status := range map[string]int{"12345678": 201, "FAIL1234": 404, "BUSY1234": 409} {
		r := world.Request{Method: "POST", Path: s.ReadersPath(), IdempotencyKey: code, Body: fields{"pairing_code": code}}
		first, again := s.Do(r), s.Do(r)
		if first.Status != status || again.Status != status || again.Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("%s: got %d, then %d, replayed %q, want %d twice", code, first.Status, again.Status,
				again.Header.Get("Idempotency-Replayed"), status)
		}
	}
	if got := s.list(); len(got) != 1 {
		t.Errorf("got %+v, want one", got)
	}
}

// TestAudit_ReaderChanges checks that the audit records each change with its actor. It does not record reports of
// terminals.
func TestAudit_ReaderChanges(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	r := s.as(s.TokenOf(s.Owner())).pairConfirmed("12345678")
	s.Send("PATCH", s.path(r.ID), fields{"name": "Bar", "metadata": fields{"a": 1}})
	s.Send("PATCH", s.path(r.ID), fields{"name": "Bar"}) // the name stays the same: no change
	s.Clock.Advance(time.Second)
	s.wantEmpty("delete", s.Send("DELETE", s.path(r.ID), nil))
	got, _ := s.AuditOf("reader " + r.ID)
	serial := r.Device.Identifier
	want := []string{
		fmt.Sprintf(`test member %s: POST %s {} {"model":"virtual-solo","name":%q,"serial":%q}`, s.Owner().Email, route,
			r.Name, serial),
		fmt.Sprintf(`test api_key : PATCH %s/{reader_id} {"name":%q} {"metadata":{"a":1},"name":"Bar"}`, route,
			r.Name),
		fmt.Sprintf(`test api_key : DELETE %s/{reader_id} {"metadata":{"a":1},"model":"virtual-solo","name":"Bar",`+
			`"serial":%q} {}`, route, serial),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
}

// hangsUp are terminals that cancel the request's context when they are asked for an outcome.
type hangsUp struct {
	terminal.Terminals
	end context.CancelFunc
}

func (h hangsUp) Outcome(ctx context.Context, checkout string) (terminal.Outcome, error) {
	h.end()
	return h.Terminals.Outcome(ctx, checkout)
}

// TestIdempotencyKey_BusyReader repeats a request while the reader is busy with another checkout. The repetition
// returns the checkout that the first try stored. If the repetition cannot read whether that checkout exists, it
// returns the error of the read. It does not return READER_BUSY, because that reply would be stored although a terminal
// may have the checkout.
func TestIdempotencyKey_BusyReader(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	one := s.pairConfirmed("12345678")
	first := s.storedCheckout(s.sell(one))
	s.Clock.Advance(10 * time.Minute) // the checkout has ended by then
	s.sell(one)
	begin := func(ctx context.Context) (payments.Checkout, error) {
		return s.App.Processing.Readers.Begin(ctx, s.Tenant(), one.ID, first, func(reader.Reader) error { return nil })
	}
	if got, err := begin(t.Context()); err != nil || got.ID != first.ID {
		t.Errorf("got %s and error %v, want %s", got.ID, err, first.ID)
	}
	ctx, end := context.WithCancel(t.Context())
	s.App.Terminals[identity.Test] = hangsUp{s.App.Terminals[identity.Test], end}
	if _, err := begin(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("without an answer: got error %v, want %v", err, context.Canceled)
	}
}
