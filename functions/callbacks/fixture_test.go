package callbacks_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/world"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

// request is one try as a merchant's server saw it.
type request struct {
	header http.Header
	body   string
	at     time.Time
}

// shop is a merchant's server that keeps every try, whatever it answers.
type shop struct {
	*world.World
	url string

	mu     sync.Mutex
	status int
	got    []request
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{World: world.New(t), status: http.StatusNoContent}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL + "/hook?token=shibboleth"
	return s
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.Errorf("callback: %v", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, request{header: r.Header, body: string(body), at: s.Clock.Now()})
	w.WriteHeader(s.status)
}

func (s *shop) answer(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = status
}

func (s *shop) tries() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.got)
}

func (s *shop) wantTries(n int, when string) {
	s.Helper()
	if got := len(s.tries()); got != n {
		s.Fatalf("%s: %d tries, want %d", when, got, n)
	}
}

// owe has one callback owed, by a checkout that is created and deactivated.
func (s *shop) owe(reference string) (checkout string) {
	s.Helper()
	checkout = s.Shop().Create("10.10", map[string]any{"checkout_reference": reference, "return_url": s.url})
	s.Shop().Deactivate(checkout)
	return checkout
}

// stream lets the fast path see what was written. After a long time the first
// read only renews the place in the stream.
func (s *shop) stream() {
	s.Helper()
	for range 2 {
		if _, err := s.Main().DrainStream(s.Context()); err != nil {
			s.Fatal(err)
		}
	}
}

// deliver drains the queue and says how many messages it held.
func (s *shop) deliver() int {
	s.Helper()
	messages, err := s.Main().DrainQueues(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	return messages
}

// id is the webhook-id of the first try.
func (s *shop) id() string {
	s.Helper()
	tries := s.tries()
	if len(tries) == 0 {
		s.Fatal("no try yet")
	}
	return tries[0].header.Get("webhook-id")
}

func (s *shop) callback(id string) payments.Callback {
	s.Helper()
	_, c, err := s.App.Store.Callback(s.Context(), id)
	if err != nil {
		s.Fatal(err)
	}
	return c
}

// verifies says the try bears a signature by this secret alone.
func (r request) verifies(secret webhook.Secret) bool {
	return webhook.Verify(r.header, []byte(r.body), r.at, []webhook.Secret{secret}, nil) == nil
}

func (s *shop) wantBody(r request, checkout string) {
	s.Helper()
	if want := fmt.Sprintf(`{"event_type":"CHECKOUT_STATUS_CHANGED","id":"%s"}`, checkout); r.body != want {
		s.Errorf("body %s, want %s", r.body, want)
	}
}
