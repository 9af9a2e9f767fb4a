package readers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

const passcode = "4711"

// newLockable pairs a reader, and declares the passcode a secret that must not be stored or logged.
func newLockable(t *testing.T) till {
	t.Helper()
	c := newTill(t)
	c.Secret("passcode", passcode)
	return c
}

// by returns the till with another shop or another credential for its requests.
func (c till) by(s world.Shop) till {
	c.Shop = s
	return c
}

func (c till) settings() world.Response {
	c.Helper()
	return c.Send("GET", c.Path("/settings"), nil)
}

func (c till) configure(menuLock any) world.Response {
	c.Helper()
	return c.Send("PATCH", c.Path("/settings"), fields{"menu_lock": menuLock})
}

// wantBody checks that a request succeeded, and compares the whole body.
func wantBody(t testing.TB, what string, got world.Response, want string) {
	t.Helper()
	if got.Status != 200 || string(got.Body) != want {
		t.Errorf("%s: got %d %s, want 200 %s", what, got.Status, got.Body, want)
	}
}

var unprocessable = world.Refused(422, "", "", "unprocessable-entity")

const (
	locked   = `{"data":{"menu_lock":{"enabled":true}}}`
	unlocked = `{"data":{"menu_lock":{"enabled":false}}}`
)

func TestReaderSettings_LockAndPasscode(t *testing.T) {
	t.Parallel()
	c := newLockable(t)
	wantBody(t, "at first", c.settings(), unlocked)
	for _, step := range []struct {
		set                fields
		applied, then, why string // applied is "" if PASSCODE_REQUIRED refuses the change
	}{
		{fields{"enabled": true}, "", unlocked, "no passcode yet"},
		{fields{"enabled": false}, `{"enabled":false}`, unlocked, "no passcode needed"},
		{fields{"enabled": nil, "passcode": passcode}, `{}`, unlocked, "a passcode alone does not lock"},
		{fields{"enabled": true, "passcode": nil}, `{"enabled":true}`, locked, "it has a passcode"},
		{fields{"passcode": "0000"}, `{}`, locked, "another passcode"},
		{fields{"enabled": false, "passcode": passcode}, `{"enabled":false}`, unlocked, "both"},
		{fields{"enabled": true}, `{"enabled":true}`, locked, "the passcode is kept"},
	} {
		got := c.configure(step.set)
		if step.applied == "" {
			wantRefusal(t, got, unprocessable, "PASSCODE_REQUIRED")
		} else {
			wantBody(t, step.why, got, `{"data":{"menu_lock":`+step.applied+`,"status":"applied"}}`)
		}
		wantBody(t, step.why, c.settings(), step.then)
	}
	if read := (shop{c.Shop}).get(c.ID); !read.UpdatedAt.Equal(read.CreatedAt.Add(pays)) { // only the confirmation set it
		t.Errorf("got %+v, want settings to leave the time of its update", read)
	}
}

func TestReaderSettings_Refused(t *testing.T) {
	t.Parallel()
	c := newLockable(t)
	for body, want := range map[string]world.Refusal{
		``:                                     world.Missing("menu_lock"),
		`{}`:                                   world.Missing("menu_lock"),
		`{"menu_lock":null}`:                   world.Missing("menu_lock"),
		`{"menu_lock":{}}`:                     world.Invalid("menu_lock"),
		`{"menu_lock":[]}`:                     world.Invalid("menu_lock"), // PHP encodes {} in this way
		`{"menu_lock":{"enabled":null}}`:       world.Invalid("menu_lock"),
		`{"menu_lock":{"pin":"4711"}}`:         world.Invalid("menu_lock"),
		`{"menu_lock":[true]}`:                 world.Invalid("menu_lock"),
		`{"menu_lock":true}`:                   world.Invalid("menu_lock"),
		`{"menu_lock":{"enabled":"true"}}`:     world.Invalid("menu_lock.enabled"),
		`{"menu_lock":{"passcode":""}}`:        world.Invalid("menu_lock.passcode"),
		`{"menu_lock":{"passcode":4711}}`:      world.Invalid("menu_lock.passcode"),
		`{"menu_lock":{"passcode":"471"}}`:     world.Invalid("menu_lock.passcode"),
		`{"menu_lock":{"passcode":"47110"}}`:   world.Invalid("menu_lock.passcode"),
		`{"menu_lock":{"passcode":"471a"}}`:    world.Invalid("menu_lock.passcode"),
		`{"menu_lock":{"passcode":"4711\n"}}`:  world.Invalid("menu_lock.passcode"),
		`{"menu_lock":{"passcode":"٤٧١١"}}`:    world.Invalid("menu_lock.passcode"),
		`{"menu_lock":{"passcode":["4711"]}}`:  world.Invalid("menu_lock.passcode"),
		`{"menu_lock":{"passcode":{"a":"b"}}}`: world.Invalid("menu_lock.passcode"),
	} {
		got := c.Send("PATCH", c.Path("/settings"), body)
		said := strings.ReplaceAll(string(got.Body), got.Text("trace_id"), "") // the trace id may contain the same digits
		if want.Check(t, got); got.Text("errors.detail") == "" || strings.Contains(said, passcode) {
			t.Errorf("%s: got %s, want errors.detail, without the passcode", body, got.Body)
		}
	}
	wantBody(t, "afterwards", c.settings(), unlocked)
}

// TestReaderSettings_Offline checks that an offline reader shows the settings that the last read or change saw. Without
// such settings the request is refused.
func TestReaderSettings_Offline(t *testing.T) {
	t.Parallel()
	for want, see := range map[string]func(till){
		"":       func(till) {},
		"none":   func(c till) { c.configure(fields{"passcode": passcode}) },
		unlocked: func(c till) { c.settings() },
		locked: func(c till) {
			c.configure(fields{"enabled": true, "passcode": passcode})
			c.configure(fields{"passcode": "0000"})
		},
	} {
		c := newLockable(t)
		see(c)
		c.SetOffline(true)
		wantRefusal(t, c.configure(fields{"enabled": false}), offline, "READER_OFFLINE")
		if got := c.settings(); !strings.HasPrefix(want, "{") {
			wantRefusal(t, got, notFound, "")
		} else {
			wantBody(t, "offline", got, want)
		}
		c.SetOffline(false)
		c.Want("online", 200, c.settings())
	}
}

// TestReaderSettings_OfAnotherPairing checks that a reader's settings can be read and changed only while its own
// pairing lasts, and only by its own merchant. A new pairing begins without lock and passcode.
func TestReaderSettings_OfAnotherPairing(t *testing.T) {
	t.Parallel()
	c := newLockable(t)
	// The pairing with WAIT0001 is not confirmed.
	wantRefusal(t, tillOf(c.Shop, "WAIT0001").configure(fields{"enabled": false}), offline, "READER_OFFLINE")
	c.configure(fields{"enabled": true, "passcode": passcode})
	again := tillOf(c.Shop, "TILL0001")
	wantBody(t, "the new pairing", again.settings(), unlocked)
	wantRefusal(t, again.configure(fields{"enabled": true}), unprocessable, "PASSCODE_REQUIRED")
	wantRefusal(t, c.settings(), notFound, "") // the terminal forgot the settings of the old pairing
	wantRefusal(t, c.configure(fields{"enabled": true, "passcode": passcode}), offline, "READER_OFFLINE")
	wantBody(t, "the new pairing", again.settings(), unlocked)

	stranger := again.by(c.NewShop("DE", "EUR", nil))
	for _, got := range []world.Response{stranger.settings(), stranger.configure(fields{"enabled": false}),
		c.Send("GET", c.Path("none/settings"), nil)} {
		wantRefusal(t, got, notFound, "")
	}
	for scope, want := range map[string][]int{"readers.read": {200, 403}, "readers.write": {403, 200},
		"terminals.read": {403, 403}, "terminals.write": {403, 403}} {
		by := again.by(again.WithKey(again.NewKey("secret", scope)))
		got := []int{by.settings().Status, by.configure(fields{"enabled": false}).Status}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: reading and changing (-want +got):\n%s", scope, diff)
		}
	}
	again.Send("DELETE", again.Path(""), nil)
	wantRefusal(t, again.settings(), notFound, "")
	wantRefusal(t, again.configure(fields{"enabled": false}), notFound, "")
}

// TestUpdateReaderSettings_EachFault checks that an interrupted change is made as a whole or not at all. A repeated
// request completes the change.
func TestUpdateReaderSettings_EachFault(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.Secret("passcode", passcode)
	s.Attempts(8, func(try string, send func(world.Request) world.Response) {
		c := tillOf(s.Shop, "TILL0001")
		r := world.Request{Method: "PATCH", Path: c.Path("/settings"), IdempotencyKey: try,
			Body: fields{"menu_lock": fields{"enabled": true, "passcode": passcode}}}
		if first := send(r); first.Status == 422 { // the message did not reach the terminal
			wantRefusal(t, first, offline, "READER_OFFLINE")
			wantBody(t, try, c.settings(), unlocked)
			r.IdempotencyKey = "" // with the key, the stored refusal would come again (contract §13.9)
		}
		c.Clock.Advance(time.Minute)
		for range 2 {
			wantBody(t, try, c.Do(r), `{"data":{"menu_lock":{"enabled":true},"status":"applied"}}`)
		}
		c.SetOffline(true)
		wantBody(t, try, c.settings(), locked)
	})
}

// TestRetrieveReaderSettings_EachFault checks that a read with a fault shows the current settings, or none. Later reads
// show the settings, even if the terminal is offline.
func TestRetrieveReaderSettings_EachFault(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.Attempts(5, func(try string, send func(world.Request) world.Response) {
		c := tillOf(s.Shop, "TILL0001")
		got := send(world.Request{Method: "GET", Path: c.Path("/settings")})
		if got.Status == 200 && string(got.Body) != unlocked {
			t.Errorf("%s: got %s, want %s", try, got.Body, unlocked)
		}
		wantBody(t, try, c.settings(), unlocked)
		c.SetOffline(true)
		wantBody(t, try, c.settings(), unlocked)
	})
}

// unsettled are terminals with unusual answers to messages about settings. If err returns an error, the terminals
// answer with that error. Otherwise the settings that they report have no menu lock.
type unsettled struct {
	terminal.Terminals
	err func() error
}

func (u unsettled) Settings(context.Context, string) (terminal.Settings, error) {
	return terminal.Settings{}, u.err()
}

func (u unsettled) Configure(ctx context.Context, pairing string, c terminal.SettingsChange) error {
	if err := u.err(); err != nil {
		return err
	}
	return u.Terminals.Configure(ctx, pairing, c)
}

// TestReaderSettings_NoAnswer checks a terminal that answers no message at all, and terminals that answer all messages
// except those about settings.
func TestReaderSettings_NoAnswer(t *testing.T) {
	t.Parallel()
	timeout := world.Refused(504, "INTERNAL_ERROR", "", "gateway-timeout")
	c := newLockable(t)
	c.configure(fields{"enabled": true, "passcode": passcode})
	fails := func(err error) terminal.Terminals {
		return unsettled{c.App.Virtual, func() error { return err }}
	}
	unlock := fields{"menu_lock": fields{"enabled": false}}
	wantBody(t, "silent", c.sendOver(newSilent(t), "GET", nil), locked)
	wantRefusal(t, c.sendOver(newSilent(t), "PATCH", unlock), offline, "READER_OFFLINE")
	wantRefusal(t, c.sendOver(fails(context.DeadlineExceeded), "GET", nil), unprocessable, "SETTINGS_UNAVAILABLE")
	timeout.Check(t, c.sendOver(fails(context.DeadlineExceeded), "PATCH", unlock))
	for _, err := range []error{terminal.ErrOffline, terminal.ErrUnpaired} { // this happened after the last heartbeat
		wantBody(t, err.Error(), c.sendOver(fails(err), "GET", nil), locked)
		wantRefusal(t, c.sendOver(fails(err), "PATCH", unlock), offline, "READER_OFFLINE")
	}
	wantBody(t, "nothing was changed", c.settings(), locked)
	wantBody(t, "does not say", c.sendOver(fails(nil), "GET", nil), `{"data":{"menu_lock":{}}}`)
	c.SetOffline(true)
	wantRefusal(t, c.settings(), notFound, "")
}

// TestReaderSettings_PairedAgainMeanwhile checks that a change for the old pairing does not affect the new pairing.
func TestReaderSettings_PairedAgainMeanwhile(t *testing.T) {
	t.Parallel()
	c := newLockable(t)
	var again till
	meanwhile := unsettled{c.App.Virtual, func() error { again = tillOf(c.Shop, "TILL0001"); return nil }}
	got := c.sendOver(meanwhile, "PATCH", fields{"menu_lock": fields{"enabled": true, "passcode": passcode}})
	wantRefusal(t, got, offline, "READER_OFFLINE")
	wantBody(t, "the new pairing", again.settings(), unlocked)
	wantRefusal(t, again.configure(fields{"enabled": true}), unprocessable, "PASSCODE_REQUIRED")
}

// sendOver sends a request about the settings to a process that uses these terminals.
func (c till) sendOver(terminals terminal.Terminals, method string, body any) world.Response {
	c.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		c.Fatal(err)
	}
	request := httptest.NewRequestWithContext(c.Context(), method, c.Path("/settings"), bytes.NewReader(text))
	request.Header.Set("Content-Type", "application/json")
	answer := sendOver(c.Shop, terminals, request)
	return world.Response{Status: answer.Code, Header: answer.Header(), Body: answer.Body.Bytes()}
}
