package checkouts_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/world"
)

// shop is a merchant's server that creates and processes checkouts.
type shop struct {
	world.Shop
	receiver *world.Receiver // of its callbacks
}

const redirectURL = "https://shop.example/done?a=b"

// open starts a world with a German shop.
func open(t *testing.T) *shop {
	t.Helper()
	w := world.New(t)
	return &shop{w.Shop(), w.Receive()}
}

// abroad is another merchant of the same world, settling in its own currency.
func (s *shop) abroad(country, currency string) *shop {
	s.Helper()
	return &shop{s.NewShop(country, currency, nil), s.receiver}
}

// neighbour is the world's other German merchant.
func (s *shop) neighbour() *shop { return &shop{s.OtherShop(), s.receiver} }

func (s *shop) get(id string) world.Response { return s.Send("GET", "/v0.1/checkouts/"+id, nil) }

func (s *shop) put(id string, body any) world.Response {
	return s.Send("PUT", "/v0.1/checkouts/"+id, body)
}

// order is a good body to create a checkout with.
func (s *shop) order() map[string]any {
	return edited(s.CheckoutBody("10.10"), change{"return_url", s.receiver.URL}, change{"redirect_url", redirectURL})
}

// create makes a checkout of an order with changes and answers its id.
func (s *shop) create(t *testing.T, changes ...change) string {
	t.Helper()
	made := s.Send("POST", "/v0.1/checkouts", edited(s.order(), changes...))
	if made.Status != 201 {
		t.Fatalf("create: %d %s", made.Status, made.Body)
	}
	return made.Text("id")
}

// card is a body to pay with a card, with changes.
func (s *shop) card(number string, changes ...change) map[string]any {
	return edited(s.Card(number), changes...)
}

// pay has a checkout paid at once and answers it.
func (s *shop) pay(t *testing.T, id string, body map[string]any) world.Response {
	t.Helper()
	paid := s.put(id, body)
	if paid.Status != 200 || paid.Text("status") != "PAID" {
		t.Fatalf("pay: %d %s", paid.Status, paid.Body)
	}
	return paid
}

// told is how many different callbacks on a checkout have arrived by now.
func (s *shop) told(id string) int {
	s.Settle()
	return len(s.receiver.Messages(id))
}

// seen is what became of a checkout, in short: its status, and those of its
// transactions from the oldest on.
func (s *shop) seen(id string) string {
	s.Helper()
	var c struct {
		Status       string
		Transactions []struct{ Status string }
	}
	if read := s.get(id); read.Status != 200 || read.Into(&c) != nil {
		s.Fatalf("read: %d %s", read.Status, read.Body)
	}
	words := []string{c.Status}
	for _, transaction := range c.Transactions {
		words = append(words, transaction.Status)
	}
	return strings.Join(words, " ")
}

// change sets the member at a dot path of a body; the value absent removes it.
type change struct {
	path  string
	value any
}

type removed struct{}

var absent = removed{}

// edited is the body with changes; the body itself stays as it is.
func edited(body map[string]any, changes ...change) map[string]any {
	for _, c := range changes {
		body = set(body, c.path, c.value)
	}
	return body
}

func set(body map[string]any, path string, value any) map[string]any {
	clone := map[string]any{}
	maps.Copy(clone, body)
	name, rest, nested := strings.Cut(path, ".")
	switch {
	case nested:
		inner, _ := clone[name].(map[string]any)
		clone[name] = set(inner, rest, value)
	case value == absent:
		delete(clone, name)
	default:
		clone[name] = value
	}
	return clone
}

var missing, invalid = world.Missing, world.Invalid

var (
	malformed  = world.Refused(400, "INVALID_REQUEST", "", "bad-request")
	denied     = world.Refused(403, "FORBIDDEN", "", "forbidden")
	notFound   = world.Refused(404, "NOT_FOUND", "", "not-found")
	noCheckout = world.Refused(404, "NOT_FOUND", "", "checkout-not-found")
	unusable   = world.Refused(402, "INSTRUMENT_NOT_CHARGEABLE", "", "instrument-not-chargeable")
	duplicate  = world.Refused(409, "DUPLICATED_CHECKOUT", "", "conflict")
	busy       = world.Refused(409, "CONFLICT", "", "conflict")
	processed  = world.Refused(409, "CHECKOUT_PROCESSED", "", "session-already-processed")
	closed     = world.Refused(409, "CHECKOUT_PROCESSED", "", "session-cant-be-deactivated")
	expired    = world.Refused(409, "CHECKOUT_SESSION_IS_EXPIRED", "", "session-expired")
	upstream   = world.Refused(424, "UPSTREAM_FAILED", "", "upstream-failed")
	tooMany    = world.Refused(429, "TOO_MANY_REQUESTS", "", "too-many-requests")
)

// transactions are those of a checkout, each as it was sent.
func transactions(t *testing.T, checkout world.Response) []json.RawMessage {
	t.Helper()
	var all []json.RawMessage
	if err := json.Unmarshal([]byte(world.Members(t, checkout.Body)["transactions"]), &all); err != nil || len(all) == 0 {
		t.Fatalf("no transactions in %s: %v", checkout.Body, err)
	}
	return all
}
