package reader

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/cashwrap/cashwrap/localstack/platform/control"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// entry tells the platform how to find a terminal. It is in a file that only the platform's owner can read.
type entry struct {
	Serial  string `json:"serial"`
	Address string `json:"address"`
	Token   string `json:"token"`
	Code    string `json:"code,omitempty"`    // on the screen
	Pairing string `json:"pairing,omitempty"` // id of the latest pairing
	Off     bool   `json:"off,omitempty"`     // true if the person has switched the terminal's line off
}

const (
	private       = 0o600
	privateFolder = 0o700
	maxJoined     = 100 // terminals; further ones are ignored
	entryEnding   = ".json"
)

func (e entry) write(dir string) error {
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, privateFolder); err != nil {
		return err
	}
	file := filepath.Join(dir, e.Serial+entryEnding)
	if err := os.WriteFile(file+".new", text, private); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

func (e entry) remove(dir string) error { return os.Remove(filepath.Join(dir, e.Serial+entryEnding)) }

func (e entry) terminal() terminal.Terminals {
	return client{control.Host{Address: e.Address, Token: e.Token}}
}

// prune removes files of terminals that ended without removing them.
func prune(dir string) error {
	all, err := readEntries(dir)
	for _, e := range all {
		conn, dialErr := net.DialTimeout("tcp", strings.TrimPrefix(e.Address, "http://"), patience)
		switch {
		case dialErr == nil:
			_ = conn.Close()
		case errors.Is(dialErr, syscall.ECONNREFUSED) && !e.Off:
			err = errors.Join(err, e.remove(dir))
		}
	}
	return err
}

func readEntries(dir string) ([]entry, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*"+entryEnding))
	if err != nil {
		return nil, err
	}
	var all []entry
	for _, file := range files[:min(len(files), maxJoined)] {
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the terminal has ended
		}
		var e entry
		if err == nil {
			err = json.Unmarshal(text, &e)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

// Switchboard combines the terminals that have files in Dir with all others.
type Switchboard struct {
	Dir    string
	Others terminal.Terminals
}

var _ terminal.Terminals = Switchboard{}

// findTerminal returns the first terminal that fits, or else Others.
func (s Switchboard) findTerminal(fits func(entry) bool) (t terminal.Terminals, has bool, err error) {
	all, err := readEntries(s.Dir)
	for _, e := range all {
		if fits(e) {
			return e.terminal(), true, nil
		}
	}
	return s.Others, false, err
}

func (s Switchboard) findPaired(pairing string) (terminal.Terminals, bool, error) {
	return s.findTerminal(func(e entry) bool { return e.Pairing == pairing })
}

// Pair asks the terminal that shows the code, or that has already taken this pairing.
func (s Switchboard) Pair(ctx context.Context, p terminal.Pairing) (terminal.Device, error) {
	t, _, err := s.findTerminal(func(e entry) bool { return e.Code == p.Code || e.Pairing == p.ID })
	if err != nil {
		return terminal.Device{}, err
	}
	d, err := t.Pair(ctx, p)
	if errors.Is(err, terminal.ErrOffline) {
		err = terminal.ErrNoTerminal
	}
	return d, err
}

// Heartbeat asks the pairing's terminal.
func (s Switchboard) Heartbeat(ctx context.Context, pairing string) (terminal.Heartbeat, error) {
	t, _, err := s.findPaired(pairing)
	if err != nil {
		return terminal.Heartbeat{}, err
	}
	return t.Heartbeat(ctx, pairing)
}

// Offer offers a checkout to the pairing's terminal.
func (s Switchboard) Offer(ctx context.Context, c terminal.Checkout) error {
	t, _, err := s.findPaired(c.Pairing)
	if err != nil {
		return err
	}
	return t.Offer(ctx, c)
}

// Outcome asks Others first, and then the terminals in Dir until one knows the checkout. If Others returns any error
// except ErrUnknownCheckout, Outcome returns that error at once.
func (s Switchboard) Outcome(ctx context.Context, checkout string) (terminal.Outcome, error) {
	var o terminal.Outcome
	err := s.askAll(func(t terminal.Terminals) (err error) {
		o, err = t.Outcome(ctx, checkout)
		return err
	})
	return o, err
}

// Terminate asks Others first, and then the terminals in Dir until one knows the checkout. If Others returns any error
// except ErrUnknownCheckout, Terminate returns that error at once.
func (s Switchboard) Terminate(ctx context.Context, checkout string) error {
	return s.askAll(func(t terminal.Terminals) error { return t.Terminate(ctx, checkout) })
}

// askAll asks Others first, and then the terminals in Dir until one knows the checkout. If Others returns any error
// except ErrUnknownCheckout, askAll returns that error at once. If no terminal knows the checkout, askAll returns the
// error of a terminal that did not answer, because that terminal may know the checkout. If each terminal returned
// ErrUnknownCheckout, askAll returns it too.
func (s Switchboard) askAll(ask func(terminal.Terminals) error) error {
	all, err := readEntries(s.Dir)
	if err != nil {
		return err
	}
	unanswered := ask(s.Others)
	if !errors.Is(unanswered, terminal.ErrUnknownCheckout) {
		return unanswered
	}
	for _, e := range all {
		switch err := ask(e.terminal()); {
		case err == nil:
			return nil
		case !errors.Is(err, terminal.ErrUnknownCheckout):
			unanswered = err
		}
	}
	return unanswered
}

// Settings asks the pairing's terminal.
func (s Switchboard) Settings(ctx context.Context, pairing string) (terminal.Settings, error) {
	t, _, err := s.findPaired(pairing)
	if err != nil {
		return terminal.Settings{}, err
	}
	return t.Settings(ctx, pairing)
}

// Configure changes the settings of the pairing's terminal.
func (s Switchboard) Configure(ctx context.Context, pairing string, c terminal.SettingsChange) error {
	t, _, err := s.findPaired(pairing)
	if err != nil {
		return err
	}
	return t.Configure(ctx, pairing, c)
}

// Unpair asks the pairing's terminal. If that terminal is gone, Unpair removes the pairing from its file.
func (s Switchboard) Unpair(ctx context.Context, pairing string) error {
	t, has, err := s.findPaired(pairing)
	if err != nil {
		return err
	}
	err = t.Unpair(ctx, pairing)
	if has && errors.Is(err, terminal.ErrOffline) {
		return s.forget(pairing)
	}
	return err
}

func (s Switchboard) forget(pairing string) error {
	all, err := readEntries(s.Dir)
	for _, e := range all {
		if e.Pairing == pairing {
			e.Pairing = ""
			return e.write(s.Dir)
		}
	}
	return err
}
