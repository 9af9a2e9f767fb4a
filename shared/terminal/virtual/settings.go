package virtual

import (
	"context"
	"errors"

	"github.com/cashwrap/cashwrap/shared/terminal"
)

// MenuLock is the menu lock of a simulated terminal. The terminal keeps no passcode, only that it has one.
type MenuLock struct {
	Enabled     bool `dynamo:"enabled,omitempty"`
	HasPasscode bool `dynamo:"has_passcode,omitempty"`
}

// After returns the menu lock after a change. Error: terminal.ErrNoPasscode.
func (m MenuLock) After(c terminal.SettingsChange) (MenuLock, error) {
	if c.MenuLock != nil {
		m.Enabled = *c.MenuLock
	}
	m.HasPasscode = m.HasPasscode || !c.Passcode.IsZero()
	if m.Enabled && !m.HasPasscode {
		return m, terminal.ErrNoPasscode
	}
	return m, nil
}

// Settings reports the settings of a terminal. Errors: terminal.ErrOffline, terminal.ErrUnpaired.
func (v *Terminals) Settings(ctx context.Context, id string) (terminal.Settings, error) {
	d, err := v.online(ctx, id)
	if err != nil {
		return terminal.Settings{}, err
	}
	return terminal.Settings{MenuLock: &d.Record.MenuLock.Enabled}, nil
}

// Configure changes the settings of a terminal, until the pairing ends. Errors: terminal.ErrOffline,
// terminal.ErrUnpaired, terminal.ErrNoPasscode.
func (v *Terminals) Configure(ctx context.Context, id string, c terminal.SettingsChange) error {
	for {
		d, err := v.online(ctx, id)
		if err != nil {
			return err
		}
		if !v.records.Time().Before(c.Until) {
			return errLate
		}
		after := d.Record
		if after.MenuLock, err = after.MenuLock.After(c); err != nil || after == d.Record {
			return err
		}
		next := d.next(after)
		if err = write(ctx, v.records, next, put(v.records, next).Run); !errors.Is(err, errChanged) {
			return err
		}
	}
}
