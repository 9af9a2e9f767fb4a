package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform/control"
	"github.com/cashwrap/cashwrap/localstack/platform/steps"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

// shop is the merchant's web server. Payers return to it, and it receives callbacks.
type shop struct {
	server    *http.Server
	base      string
	callbacks chan callback
	payers    chan string // checkout ids of returned payers
}

type callback struct {
	header http.Header
	body   []byte
	at     time.Time
}

const maxCallback = 64 << 10

func openShop() (*shop, error) {
	s := &shop{callbacks: make(chan callback, 100), payers: make(chan string, 10)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /callback", s.receiveCallback)
	mux.HandleFunc("GET /thanks", s.serveThanks)
	s.server = &http.Server{Handler: mux, ReadHeaderTimeout: time.Second}
	var err error
	s.base, _, err = control.Serve(s.server)
	return s, err
}

func (s *shop) callbackURL() string { return s.base + "/callback" }

func (s *shop) receiveCallback(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxCallback))
	if err != nil {
		http.Error(w, "too large", http.StatusRequestEntityTooLarge)
		return
	}
	select {
	case s.callbacks <- callback{r.Header.Clone(), body, time.Now()}:
		w.WriteHeader(http.StatusNoContent)
	default: // no step is waiting, and the callback will be sent again
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

func (s *shop) serveThanks(w http.ResponseWriter, r *http.Request) {
	select {
	case s.payers <- r.URL.Query().Get("checkout_id"):
	default:
	}
	_, _ = io.WriteString(w, "Thank you!")
}

// awaitCallback verifies the callback and reads the checkout, as receivers must (contract §11.1). It skips other
// callbacks, because callbacks may come more than once and in any order.
func (s *scenario) awaitCallback(checkoutID, status string) {
	for {
		select {
		case n := <-s.shop.callbacks:
			mine, err := s.verify(n, checkoutID, status)
			steps.Check(err)
			if mine {
				s.retrieve(checkoutID, status)
				return
			}
		case <-s.ctx.Done():
			steps.Check(errors.New("no callback came: " + s.ctx.Err().Error()))
		}
	}
}

// verify checks the body and each of the two signatures. mine is true if the callback is about the checkout.
func (s *scenario) verify(n callback, checkoutID, status string) (mine bool, err error) {
	var event struct {
		EventType string `json:"event_type"`
		ID        string
	}
	if err := json.Unmarshal(n.body, &event); err != nil {
		return false, fmt.Errorf("callback: %w", err)
	}
	if event.ID != checkoutID {
		return false, nil
	}
	s.print.line("← POST " + s.shop.callbackURL())
	for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
		s.print.line("  " + name + ": " + n.header.Get(name))
	}
	s.print.line("  " + string(n.body))
	want := fmt.Sprintf(`{"event_type":"CHECKOUT_STATUS_CHANGED","id":"%s","status":"%s"}`, checkoutID, status)
	if string(n.body) != want {
		return false, errors.New("the callback's body is not exactly " + want)
	}
	if err := webhook.Verify(n.header, n.body, n.at, s.secrets, nil); err != nil {
		return false, fmt.Errorf("by the merchant's secret: %w", err)
	}
	if err := webhook.Verify(n.header, n.body, n.at, nil, s.keys); err != nil {
		return false, fmt.Errorf("by the platform's public key: %w", err)
	}
	s.expect(true, "a callback signed with the merchant's secret (v1) and the platform's key (v1a)")
	return true, nil
}
