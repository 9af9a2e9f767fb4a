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

// entry is a terminal that has joined, as it says so in a file of its own, which only the owner of the platform reads.
type entry struct {
	Serial  string `json:"serial"`
	Address string `json:"address"`
	Token   string `json:"token"`
	Code    string `json:"code,omitempty"`    // which it shows
	Pairing string `json:"pairing,omitempty"` // the latest
	Off     bool   `json:"off,omitempty"`     // its line is, on purpose
}

const (
	private       = 0o600
	privateFolder = 0o700
	maxJoined     = 100 // terminals; more are not found
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

// prune removes the files of terminals that have ended without removing them.
func prune(dir string) error {
	all, err := joined(dir)
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

func joined(dir string) ([]entry, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*"+entryEnding))
	if err != nil {
		return nil, err
	}
	var all []entry
	for _, file := range files[:min(len(files), maxJoined)] {
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it has ended
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

// Switchboard are the terminals that have joined, whose files are in Dir, and all others beside them.
type Switchboard struct {
	Dir    string
	Others terminal.Terminals
}

var _ terminal.Terminals = Switchboard{}

// found returns the first terminal that fits, and the others unless one does.
func (s Switchboard) found(fits func(entry) bool) (t terminal.Terminals, has bool, err error) {
	all, err := joined(s.Dir)
	for _, e := range all {
		if fits(e) {
			return e.terminal(), true, nil
		}
	}
	return s.Others, false, err
}

func (s Switchboard) of(pairing string) (terminal.Terminals, bool, error) {
	return s.found(func(e entry) bool { return e.Pairing == pairing })
}

// Pair asks the terminal that shows the code, or has taken it for this pairing before.
func (s Switchboard) Pair(ctx context.Context, p terminal.Pairing) (terminal.Device, error) {
	t, _, err := s.found(func(e entry) bool { return e.Code == p.Code || e.Pairing == p.ID })
	if err != nil {
		return terminal.Device{}, err
	}
	d, err := t.Pair(ctx, p)
	if errors.Is(err, terminal.ErrOffline) {
		err = terminal.ErrNoTerminal
	}
	return d, err
}

// Heartbeat asks the terminal of the pairing.
func (s Switchboard) Heartbeat(ctx context.Context, pairing string) (terminal.Heartbeat, error) {
	t, _, err := s.of(pairing)
	if err != nil {
		return terminal.Heartbeat{}, err
	}
	return t.Heartbeat(ctx, pairing)
}

// Offer goes to the terminal of the pairing.
func (s Switchboard) Offer(ctx context.Context, c terminal.Checkout) error {
	t, _, err := s.of(c.Pairing)
	if err != nil {
		return err
	}
	return t.Offer(ctx, c)
}

// Outcome asks each terminal until one knows the checkout.
func (s Switchboard) Outcome(ctx context.Context, checkout string) (terminal.Outcome, error) {
	var o terminal.Outcome
	err := s.each(func(t terminal.Terminals) (err error) {
		o, err = t.Outcome(ctx, checkout)
		return err
	})
	return o, err
}

// Terminate goes to each terminal until one knows the checkout.
func (s Switchboard) Terminate(ctx context.Context, checkout string) error {
	return s.each(func(t terminal.Terminals) error { return t.Terminate(ctx, checkout) })
}

// each asks the terminals, until one knows the checkout. When none does, one that does not answer may have known it.
func (s Switchboard) each(ask func(terminal.Terminals) error) error {
	all, err := joined(s.Dir)
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

// Settings asks the terminal of the pairing.
func (s Switchboard) Settings(ctx context.Context, pairing string) (terminal.Settings, error) {
	t, _, err := s.of(pairing)
	if err != nil {
		return terminal.Settings{}, err
	}
	return t.Settings(ctx, pairing)
}

// Configure goes to the terminal of the pairing.
func (s Switchboard) Configure(ctx context.Context, pairing string, c terminal.SettingsChange) error {
	t, _, err := s.of(pairing)
	if err != nil {
		return err
	}
	return t.Configure(ctx, pairing, c)
}

// Unpair goes to the terminal of the pairing. One that is gone has no pairing any more.
func (s Switchboard) Unpair(ctx context.Context, pairing string) error {
	t, has, err := s.of(pairing)
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
	all, err := joined(s.Dir)
	for _, e := range all {
		if e.Pairing == pairing {
			e.Pairing = ""
			return e.write(s.Dir)
		}
	}
	return err
}
