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

// counter is a merchant's: its till calls the API, and a person is at its card terminal.
type counter struct {
	*testing.T
	local
	place  platform.Folder
	path   string // of the merchant's readers
	reader string // the path of one
	keys   io.WriteCloser
	screen *screen
	ended  chan error
}

// screen is what the terminal has shown. It is safe for concurrent use.
type screen struct {
	mu    sync.Mutex
	all   bytes.Buffer
	grown chan struct{}
	read  int // up to where the test has
}

// Write shows something.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case s.grown <- struct{}{}:
	default:
	}
	return s.all.Write(p)
}

// find is the match of the pattern in what has been shown since the last one.
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

// newCounter runs a platform, and a terminal that joins it.
func newCounter(t *testing.T) *counter {
	t.Helper()
	place := newFolder(t)
	l := startWith(t, place, platform.Config{Engine: platform.InMemory})
	c := &counter{T: t, local: l, place: place, path: "/v0.1/merchants/" + l.env["MERCHANT_CODE"] + "/readers"}
	c.join()
	t.Cleanup(func() {
		if err := l.stop(); err != nil {
			t.Errorf("stop: got error %v, want none", err)
		}
	})
	return c
}

// join runs a terminal.
func (c *counter) join() {
	in, keys := io.Pipe()
	c.keys, c.screen, c.ended = keys, &screen{grown: make(chan struct{}, 1)}, make(chan error, 1)
	ctx, stop := context.WithCancel(c.Context())
	c.Cleanup(stop)
	go func(s *screen, ended chan error) { ended <- c.place.Reader(ctx, in, s) }(c.screen, c.ended)
}

// sees waits until the terminal shows the pattern, and returns its group.
func (c *counter) sees(pattern string) string {
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

// ask makes a request of the till, which must have the status, and reads its reply.
func (c *counter) ask(method, path string, body any, status int, into any) {
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

// pair pairs the terminal by the code that it shows.
func (c *counter) pair() {
	c.Helper()
	var r struct{ ID, Status string }
	c.ask("POST", c.path, object{"pairing_code": c.sees(`my code is ([A-Z0-9]{8})`), "name": "Counter"}, 201, &r)
	c.reader = c.path + "/" + r.ID
	c.sees("Pair with merchant " + c.env["MERCHANT_CODE"])
	c.enter("y")
	c.sees("Ready")
	if c.ask("GET", c.reader, nil, 200, &r); r.Status != "paired" {
		c.Fatalf("got a reader that is %s, want it paired", r.Status)
	}
}

type object = map[string]any

// offer has the till ask for an amount in cents, and returns the checkout's path.
func (c *counter) offer(cents int, more object) string {
	c.Helper()
	body := object{"total_amount": object{"currency": "EUR", "minor_unit": 2, "value": cents}, "description": "Lunch"}
	maps.Copy(body, more)
	var made struct {
		Data struct {
			ID string `json:"checkout_id"`
		}
	}
	c.ask("POST", c.reader+"/checkout", body, 201, &made)
	return c.reader + "/checkout/" + made.Data.ID
}

type paid struct {
	Status   string
	Reason   string `json:"payment_failure_reason"`
	ClientID string `json:"client_transaction_id"`
}

// wantPaid reads a checkout, which settles it.
func (c *counter) wantPaid(checkout, status, reason string) paid {
	c.Helper()
	var got struct{ Data paid }
	if c.ask("GET", checkout, nil, 200, &got); got.Data.Status != status || got.Data.Reason != reason {
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
	c.ask("GET", "/v2.1/merchants/"+c.env["MERCHANT_CODE"]+"/transactions?client_transaction_id="+of.ClientID, nil, 200,
		&got)
	if got != want {
		c.Errorf("got transaction %+v, want %+v", got, want)
	}
}

// TestATerminalForPeople joins a platform that runs: a person pays at it, declines and cancels, and drops its line.
func TestATerminalForPeople(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	c.pair()

	tipped := c.offer(4600, object{"tip_rates": []json.Number{"0.10", "0.15"}})
	c.sees(`46\.00 EUR`)
	c.sees(`\[2\] tip 6\.90 EUR \(15 %\)`)
	c.wantState("SELECTING_TIP")
	c.enter("3", "1")
	c.sees("none of the choices")
	c.sees(`50\.60 EUR`)
	c.enter("t")
	c.sees("PIN")
	c.wantState("WAITING_FOR_PIN")
	c.enter("12", "1234")
	c.sees("none of the choices")
	c.sees("Approved")
	c.wantTransaction(c.wantPaid(tipped, "successful", ""), transaction{"50.60", "4.60", "CONTACTLESS", "online pin"})

	swiped := c.offer(1000, nil)
	c.sees(`10\.00 EUR`)
	c.busy()
	c.enter("s", "")
	c.sees("Approved")
	c.wantTransaction(c.wantPaid(swiped, "successful", ""), transaction{"10.00", "0.00", "MAGSTRIPE", "signature"})

	cancelled := c.offer(1000, nil)
	c.sees(`10\.00 EUR`)
	c.enter("c")
	c.sees("Cancelled")
	c.wantPaid(cancelled, "cancelled", "cancelled at the reader")

	refused := c.offer(1000, nil)
	c.sees(`10\.00 EUR`)
	c.enter("d")
	c.sees("Declined by the card")
	c.wantPaid(refused, "cancelled", "declined by the card")

	declined := c.offer(4201, nil)
	c.sees(`42\.01 EUR`)
	c.enter("i", "1234")
	c.sees(`Declined \(05\)`)
	c.wantPaid(declined, "failed", "declined")

	stopped := c.offer(1000, nil)
	c.sees(`10\.00 EUR`)
	c.ask("POST", c.reader+"/terminate", nil, 202, nil)
	c.sees("The merchant has stopped the payment")
	c.wantPaid(stopped, "cancelled", "terminated")

	c.dropsTheLine()
	c.ask("DELETE", c.reader, nil, 200, nil)
	c.sees("my code is")
	c.enter("q")
	if err := <-c.ended; err != nil {
		t.Errorf("got error %v of the terminal, want none", err)
	}
	files, err := os.ReadDir(filepath.Join(string(c.place), "readers"))
	if err != nil || len(files) != 0 {
		t.Errorf("got %v and error %v, want no file of a terminal that has ended", files, err)
	}
}

// dropsTheLine after the card was charged, and before: the platform finds the charge, and once the line is back the
// next checkout is paid.
func (c *counter) dropsTheLine() {
	c.Helper()
	charged := c.offer(1000, nil)
	c.sees(`10\.00 EUR`)
	c.enter("l", "t")
	c.sees("The line to the platform is off")
	c.sees("Approved")
	c.wantPaid(charged, "successful", "")
	c.wantError("/checkout", object{"total_amount": object{"currency": "EUR", "minor_unit": 2, "value": 100}},
		"READER_OFFLINE")
	c.enter("l")
	c.sees(`\[l\]ine off`)
	again := c.offer(1100, nil) // declined by the acquirer
	c.sees(`11\.00 EUR`)
	c.enter("i", "l", "4321")
	c.sees(`Declined \(51\)`)
	c.wantPaid(again, "failed", "declined")
	c.enter("l")
	c.sees(`\[l\]ine off`)
}

func (c *counter) wantState(want string) {
	c.Helper()
	var got struct {
		Data struct{ Status, State string }
	}
	if c.ask("GET", c.reader+"/status", nil, 200, &got); got.Data.Status != "ONLINE" || got.Data.State != want {
		c.Errorf("got status %+v, want ONLINE and %s", got.Data, want)
	}
}

func (c *counter) busy() {
	c.Helper()
	c.wantError("/checkout", object{"total_amount": object{"currency": "EUR", "minor_unit": 2, "value": 100}},
		"READER_BUSY")
}

func (c *counter) wantError(path string, body object, kind string) {
	c.Helper()
	var refused struct{ Errors struct{ Type string } }
	if c.ask("POST", c.reader+path, body, http.StatusUnprocessableEntity, &refused); refused.Errors.Type != kind {
		c.Errorf("got %+v, want %s", refused, kind)
	}
}

// TestATerminalNeedsAPlatform that runs.
func TestATerminalNeedsAPlatform(t *testing.T) {
	t.Parallel()
	if err := newFolder(t).Reader(t.Context(), strings.NewReader(""), io.Discard); err == nil {
		t.Error("got no error, want one that the platform does not run")
	}
}
