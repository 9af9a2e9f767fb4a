package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform"
	"github.com/cashwrap/cashwrap/localstack/platform/client"
)

// counter is a merchant's counter. Its till calls the API, and a person uses its card terminal.
type counter struct {
	*testing.T
	local
	place  platform.Folder
	path   string // path of the merchant's readers
	reader string // path of the reader
	keys   io.WriteCloser
	screen *screen
	ended  chan error
}

// screen contains the terminal's output. It is safe for concurrent use.
type screen struct {
	mu    sync.Mutex
	all   bytes.Buffer
	grown chan struct{}
	read  int // length of the output that the test has read
}

// Write adds output.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case s.grown <- struct{}{}:
	default:
	}
	return s.all.Write(p)
}

// find returns the first match of the pattern in the output after the last match.
func (s *screen) find(pattern *regexp.Regexp) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	shown := s.all.String()
	at := pattern.FindStringSubmatchIndex(shown[s.read:])
	if at == nil {
		return "", false
	}
	match := shown[s.read+at[len(at)-2] : s.read+at[len(at)-1]]
	s.read += at[1]
	return match, true
}

// newCounter starts a platform, and a terminal that connects to it.
func newCounter(t *testing.T) *counter {
	t.Helper()
	place := newFolder(t)
	l := startPlatform(t, place, platform.Config{Engine: platform.InMemory})
	c := &counter{T: t, local: l, place: place, path: "/v0.1/merchants/" + l.env["MERCHANT_CODE"] + "/readers"}
	c.startTerminal()
	t.Cleanup(func() {
		if err := l.stop(); err != nil {
			t.Errorf("stop: got error %v, want none", err)
		}
	})
	return c
}

// startTerminal starts a terminal.
func (c *counter) startTerminal() {
	in, keys := io.Pipe()
	c.keys, c.screen, c.ended = keys, &screen{grown: make(chan struct{}, 1)}, make(chan error, 1)
	ctx, stop := context.WithCancel(c.Context())
	c.Cleanup(stop)
	go func(s *screen, ended chan error) { ended <- c.place.Reader(ctx, in, s) }(c.screen, c.ended)
}

// waitFor waits until the terminal's output matches the pattern, and returns the pattern's group.
func (c *counter) waitFor(pattern string) string {
	c.Helper()
	re, limit := regexp.MustCompile("("+pattern+")"), time.After(30*time.Second)
	if strings.Contains(pattern, "(") {
		re = regexp.MustCompile(pattern)
	}
	for {
		if match, ok := c.screen.find(re); ok {
			return match
		}
		select {
		case <-c.screen.grown:
		case err := <-c.ended:
			c.Fatalf("the terminal has ended with %v after\n%s\nwant it to show %s", err, &c.screen.all, pattern)
		case <-limit:
			c.Fatalf("got\n%s\nwant the terminal to show %s", &c.screen.all, pattern)
		}
	}
}

func (c *counter) enter(keys ...string) {
	c.Helper()
	for _, key := range keys {
		if _, err := fmt.Fprintln(c.keys, key); err != nil {
			c.Fatal(err)
		}
	}
}

// call sends a request as the till, checks the status, and decodes the reply.
func (c *counter) call(method, path string, body any, status int, into any) {
	c.Helper()
	r := client.Request{Method: method, Path: path, APIKey: c.env["API_KEY"]}
	if body != nil {
		r.Body = body
	}
	response, err := client.Client{BaseURL: c.env["BASE_URL"]}.Do(c.Context(), r)
	if err != nil || response.Status != status {
		c.Fatalf("%s %s: got %d %s and error %v, want %d", method, path, response.Status, response.Body, err, status)
	}
	if into == nil {
		return
	}
	if err := response.Into(into); err != nil {
		c.Fatal(err)
	}
}

// pair pairs the terminal by the code that the terminal shows.
func (c *counter) pair() {
	c.Helper()
	var r struct{ ID, Status string }
	c.call("POST", c.path, object{"pairing_code": c.waitFor(`my code is ([A-Z0-9]{8})`), "name": "Counter"}, 201, &r)
	c.reader = c.path + "/" + r.ID
	c.waitFor("Pair with merchant " + c.env["MERCHANT_CODE"])
	c.enter("y")
	c.waitFor("Ready")
	if c.call("GET", c.reader, nil, 200, &r); r.Status != "paired" {
		c.Fatalf("got a reader that is %s, want it paired", r.Status)
	}
}

type object = map[string]any

// startCheckout starts a checkout for an amount in cents as the till, and returns the checkout's path.
func (c *counter) startCheckout(cents int, more object) string {
	c.Helper()
	body := object{"total_amount": object{"currency": "EUR", "minor_unit": 2, "value": cents}, "description": "Lunch"}
	maps.Copy(body, more)
	var made struct {
		Data struct {
			ID string `json:"checkout_id"`
		}
	}
	c.call("POST", c.reader+"/checkout", body, 201, &made)
	return c.reader + "/checkout/" + made.Data.ID
}

type paid struct {
	Status   string
	Reason   string `json:"payment_failure_reason"`
	ClientID string `json:"client_transaction_id"`
}

// wantPaid reads a checkout, and checks the status and the reason. Reading also makes the platform ask for the outcome.
func (c *counter) wantPaid(checkout, status, reason string) paid {
	c.Helper()
	var got struct{ Data paid }
	if c.call("GET", checkout, nil, 200, &got); got.Data.Status != status || got.Data.Reason != reason {
		c.Fatalf("got %+v, want it %s, %q", got.Data, status, reason)
	}
	return got.Data
}

type transaction struct {
	Amount       json.Number
	Tip          json.Number `json:"tip_amount"`
	EntryMode    string      `json:"entry_mode"`
	Verification string      `json:"verification_method"`
}

func (c *counter) wantTransaction(of paid, want transaction) {
	c.Helper()
	var got transaction
	c.call("GET", "/v2.1/merchants/"+c.env["MERCHANT_CODE"]+"/transactions?client_transaction_id="+of.ClientID, nil, 200,
		&got)
	if got != want {
		c.Errorf("got transaction %+v, want %+v", got, want)
	}
}

// TestReader_Payments checks a terminal on a running platform. A person pays, declines, cancels, and interrupts the
// terminal's line.
func TestReader_Payments(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	c.pair()

	tipped := c.startCheckout(4600, object{"tip_rates": []json.Number{"0.10", "0.15"}})
	c.waitFor(`46\.00 EUR`)
	c.waitFor(`\[2\] tip 6\.90 EUR \(15 %\)`)
	c.wantState("SELECTING_TIP")
	c.enter("3", "1")
	c.waitFor("none of the choices")
	c.waitFor(`50\.60 EUR`)
	c.enter("t")
	c.waitFor("PIN")
	c.wantState("WAITING_FOR_PIN")
	c.enter("12", "1234")
	c.waitFor("none of the choices")
	c.waitFor("Approved")
	c.wantTransaction(c.wantPaid(tipped, "successful", ""), transaction{"50.60", "4.60", "CONTACTLESS", "online pin"})

	swiped := c.startCheckout(1000, nil)
	c.waitFor(`10\.00 EUR`)
	c.wantBusy()
	c.enter("s", "")
	c.waitFor("Approved")
	c.wantTransaction(c.wantPaid(swiped, "successful", ""), transaction{"10.00", "0.00", "MAGSTRIPE", "signature"})

	cancelled := c.startCheckout(1000, nil)
	c.waitFor(`10\.00 EUR`)
	c.enter("c")
	c.waitFor("Cancelled")
	c.wantPaid(cancelled, "cancelled", "cancelled at the reader")

	refused := c.startCheckout(1000, nil)
	c.waitFor(`10\.00 EUR`)
	c.enter("d")
	c.waitFor("Declined by the card")
	c.wantPaid(refused, "cancelled", "declined by the card")

	declined := c.startCheckout(4201, nil)
	c.waitFor(`42\.01 EUR`)
	c.enter("i", "1234")
	c.waitFor(`Declined \(05\)`)
	c.wantPaid(declined, "failed", "declined")

	stopped := c.startCheckout(1000, nil)
	c.waitFor(`10\.00 EUR`)
	c.call("POST", c.reader+"/terminate", nil, 202, nil)
	c.waitFor("The merchant has stopped the payment")
	c.wantPaid(stopped, "cancelled", "terminated")

	c.checkDroppedLine()
	c.call("DELETE", c.reader, nil, 200, nil)
	c.waitFor("my code is")
	c.enter("q")
	if err := <-c.ended; err != nil {
		t.Errorf("got error %v of the terminal, want none", err)
	}
	files, err := os.ReadDir(filepath.Join(string(c.place), "readers"))
	if err != nil || len(files) != 0 {
		t.Errorf("got %v and error %v, want no file of a terminal that has ended", files, err)
	}
}

// checkDroppedLine checks a terminal whose line drops before or after the charge. The platform must find the charge.
// Once the line is back, the terminal must process the next checkout.
func (c *counter) checkDroppedLine() {
	c.Helper()
	charged := c.startCheckout(1000, nil)
	c.waitFor(`10\.00 EUR`)
	c.enter("l", "t")
	c.waitFor("The line to the platform is off")
	c.waitFor("Approved")
	c.wantPaid(charged, "successful", "")
	c.wantError("/checkout", object{"total_amount": object{"currency": "EUR", "minor_unit": 2, "value": 100}},
		"READER_OFFLINE")
	c.enter("l")
	c.waitFor(`\[l\]ine off`)
	again := c.startCheckout(1100, nil) // declined by the acquirer
	c.waitFor(`11\.00 EUR`)
	c.enter("i", "l", "4321")
	c.waitFor(`Declined \(51\)`)
	c.wantPaid(again, "failed", "declined")
	c.enter("l")
	c.waitFor(`\[l\]ine off`)
}

func (c *counter) wantState(want string) {
	c.Helper()
	var got struct {
		Data struct{ Status, State string }
	}
	if c.call("GET", c.reader+"/status", nil, 200, &got); got.Data.Status != "ONLINE" || got.Data.State != want {
		c.Errorf("got status %+v, want ONLINE and %s", got.Data, want)
	}
}

func (c *counter) wantBusy() {
	c.Helper()
	c.wantError("/checkout", object{"total_amount": object{"currency": "EUR", "minor_unit": 2, "value": 100}},
		"READER_BUSY")
}

func (c *counter) wantError(path string, body object, kind string) {
	c.Helper()
	var refused struct{ Errors struct{ Type string } }
	if c.call("POST", c.reader+path, body, http.StatusUnprocessableEntity, &refused); refused.Errors.Type != kind {
		c.Errorf("got %+v, want %s", refused, kind)
	}
}

// TestReader_NoPlatform checks a terminal without a running platform.
func TestReader_NoPlatform(t *testing.T) {
	t.Parallel()
	if err := newFolder(t).Reader(t.Context(), strings.NewReader(""), io.Discard); err == nil {
		t.Error("got no error, want one that the platform does not run")
	}
}
