package callbacks_test

import (
	"fmt"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/app/queue"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// shop is a shop whose callbacks go to a receiver. The receiver's URL has a query.
type shop struct{ world.Shop }

func newShop(t *testing.T) shop {
	t.Helper()
	s := shop{world.NewShop(t).WithCallbacks()}
	s.Receiver.URL += "?token=shibboleth"
	return s
}

func (s shop) wantTries(n int, when string) {
	s.Helper()
	if got := len(s.Receiver.Tries()); got != n {
		s.Fatalf("%s: got %d tries, want %d", when, got, n)
	}
}

// createCallback creates and deactivates a checkout, so that a callback is due. It returns the checkout's id.
func (s shop) createCallback() (checkout string) {
	s.Helper()
	checkout = s.Create("10.10", nil)
	s.Deactivate(checkout)
	return checkout
}

// relayStream lets relay read the new records. It reads twice, because after a long time the first read only renews the
// position in the stream.
func (s shop) relayStream() {
	s.Helper()
	for range 2 {
		s.ReadStream()
	}
}

// repeatMessage sends another message of a callback.
func (s shop) repeatMessage(id string) {
	s.Helper()
	if err := queue.OpenCallbacks(s.App).SendLater(s.Context(), s.Tenant(), app.CallbackMessage{ID: id}, 0); err != nil {
		s.Fatal(err)
	}
}

// id returns the webhook-id of the first try.
func (s shop) id() string {
	s.Helper()
	tries := s.Receiver.Tries()
	if len(tries) == 0 {
		s.Fatal("got no try, want one or more")
	}
	return tries[0].Header.Get("webhook-id")
}

func callback(w *world.World, id string) payments.Callback {
	w.Helper()
	_, c, err := w.App.Store.Callback(w.Context(), id)
	if err != nil {
		w.Fatal(err)
	}
	return c
}

func (s shop) wantBody(try world.Try, checkout, status string) {
	s.Helper()
	want := fmt.Sprintf(`{"event_type":"CHECKOUT_STATUS_CHANGED","id":"%s","status":"%s"}`, checkout, status)
	if try.Body != want {
		s.Errorf("got body %s, want %s", try.Body, want)
	}
}
