// Package virtual simulates the card terminals of test mode (contract §9, §12 and §13.7). Call it only through the
// port: it is independent of the platform, keeps its own records, and charges at the acquirer as any terminal does.
//
// A terminal confirms its pairing after two seconds, and charges a card three seconds after it was offered a checkout.
// It shows a Pix code at once, or when the tip is selected. No process waits during these times. When a terminal is
// asked the next time, it does everything that is due by then.
package virtual

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/table"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// Model is the model of all simulated terminals (contract §2.7).
const Model = "virtual-solo"

const (
	firmware    = "3.3.24.1"
	battery     = 87   // percent
	temperature = 31.5 // degrees Celsius
	connection  = "Wi-Fi"
	confirmsIn  = 2 * time.Second // after the pairing
	paysIn      = 3 * time.Second // by card, after the checkout was offered
	tipSelected = time.Second     // after the checkout was offered
	serialBytes = 5
)

// Config configures the terminals.
type Config struct {
	DB       *dynamo.DB
	Table    dynamo.Table
	Acquirer acquirer.Acquirer // charges the payments
	Now      func() time.Time  // nil: the system's clock
}

// Terminals has all virtual terminals. It is safe for concurrent use.
type Terminals struct {
	records  table.Client
	acquirer acquirer.Acquirer
}

var _ terminal.Terminals = (*Terminals)(nil)

// New returns the terminals.
func New(c Config) *Terminals {
	return &Terminals{records: table.Client{DB: c.DB, Table: c.Table, Now: c.Now}, acquirer: c.Acquirer}
}

// pairing is a request to pair a terminal.
type pairing struct {
	Serial string `dynamo:"serial,omitempty"` // "" if Unpair came before Pair
}

type device struct {
	Serial       string    `dynamo:"serial"`
	Pairing      string    `dynamo:"pairing,omitempty"` // the latest, until it ends
	Tenant       string    `dynamo:"tenant"`
	ConfirmsAt   time.Time `dynamo:"confirms_at,omitempty"`   // zero: never
	OfflineSince time.Time `dynamo:"offline_since,omitempty"` // zero: online
	Checkout     string    `dynamo:"checkout,omitempty"`      // the latest
	MenuLock     MenuLock  `dynamo:"menu_lock,omitempty"`
}

func (d device) isConfirmed(now time.Time) bool {
	return !d.ConfirmsAt.IsZero() && !now.Before(d.ConfirmsAt)
}
func (d device) isOffline() bool { return !d.OfflineSince.IsZero() }

// Pair pairs a terminal. For each code there is a terminal that shows it. A merchant's code always belongs to the same
// terminal, and a new pairing ends the terminal's earlier pairing. A code that begins with FAIL is unknown. With BUSY
// the terminal does not wait to be paired, and with WAIT it never confirms (contract §9).
func (v *Terminals) Pair(ctx context.Context, p terminal.Pairing) (terminal.Device, error) {
	for {
		known, err := read[pairing](ctx, v.records, pairingKey(p.ID))
		switch {
		case err == nil && known.Record.Serial == "":
			return terminal.Device{}, terminal.ErrNotPending
		case err == nil:
			return terminal.Device{Serial: known.Record.Serial, Model: Model}, nil
		case !errors.Is(err, errNone):
			return terminal.Device{}, err
		}
		if err := v.checkRequest(p); err != nil {
			return terminal.Device{}, err
		}
		if err := v.storePairing(ctx, p, known); !errors.Is(err, errChanged) {
			return terminal.Device{Serial: serial(p), Model: Model}, err
		}
	}
}

// checkRequest refuses requests that cannot pair a terminal. It also refuses a late request, because its sender has
// given up.
func (v *Terminals) checkRequest(p terminal.Pairing) error {
	switch {
	case strings.HasPrefix(p.Code, "FAIL"):
		return terminal.ErrNoTerminal
	case strings.HasPrefix(p.Code, "BUSY"), !v.records.Time().Before(p.Until):
		return terminal.ErrNotPending
	default:
		return nil
	}
}

func (v *Terminals) storePairing(ctx context.Context, p terminal.Pairing, none item[pairing]) error {
	d, err := read[device](ctx, v.records, deviceKey(serial(p)))
	if err != nil && !errors.Is(err, errNone) {
		return err
	}
	fresh := device{Serial: serial(p), Pairing: p.ID, Tenant: p.Tenant}
	if !strings.HasPrefix(p.Code, "WAIT") {
		fresh.ConfirmsAt = v.records.Time().Add(confirmsIn)
	}
	return storeWithDevice(ctx, v.records, none.next(pairing{Serial: serial(p)}), d.next(fresh))
}

// serial returns the serial number of the terminal that shows a merchant's code.
func serial(p terminal.Pairing) string {
	sum := sha256.Sum256([]byte(p.Tenant + "\x00" + p.Code))
	return "VS" + strings.ToUpper(hex.EncodeToString(sum[:serialBytes]))
}

// Heartbeat returns the terminal's report about itself. Error: terminal.ErrUnpaired.
func (v *Terminals) Heartbeat(ctx context.Context, id string) (terminal.Heartbeat, error) {
	stored, err := readPaired(ctx, v.records, id)
	if err != nil {
		return terminal.Heartbeat{}, err
	}
	d, now := stored.Record, v.records.Time()
	h := Idle(d.isConfirmed(now), now)
	if d.isOffline() {
		h.Online, h.LastActivity = false, d.OfflineSince
	}
	if d.Checkout == "" {
		return h, nil
	}
	s, err := v.advance(ctx, d.Checkout)
	if err == nil && !s.isFinal() {
		h.State = s.state(now)
	}
	return h, err
}

// Idle returns the report of a simulated terminal that is online and has no checkout.
func Idle(confirmed bool, now time.Time) terminal.Heartbeat {
	return terminal.Heartbeat{Confirmed: confirmed, Online: true, State: terminal.Idle, Battery: battery,
		Temperature: temperature, Connection: connection, Firmware: firmware, LastActivity: now}
}

// Unpair ends a pairing. A Pair that arrives later is refused.
func (v *Terminals) Unpair(ctx context.Context, id string) error {
	for {
		p, err := read[pairing](ctx, v.records, pairingKey(id))
		if err == nil && p.Record.Serial != "" {
			return v.release(ctx, p.Record.Serial, id)
		}
		if !errors.Is(err, errNone) {
			return err
		}
		tombstone := p.next(pairing{})
		err = write(ctx, v.records, tombstone, newPut(v.records, tombstone).Run)
		if !errors.Is(err, errChanged) {
			return err
		}
	}
}

func (v *Terminals) release(ctx context.Context, serial, id string) error {
	_, err := change(ctx, v.records, deviceKey(serial), func(d device) (device, bool) {
		return device{Serial: d.Serial, Tenant: d.Tenant}, d.Pairing == id
	})
	return err
}

// SetOffline takes the terminal of a tenant's pairing offline, or puts it online again. Error: terminal.ErrUnpaired.
func (v *Terminals) SetOffline(ctx context.Context, tenant, id string, offline bool) error {
	stored, err := readPaired(ctx, v.records, id)
	if err != nil {
		return err
	}
	d, err := change(ctx, v.records, stored.Key, func(d device) (device, bool) {
		if d.Pairing != id || d.Tenant != tenant || d.isOffline() == offline {
			return d, false
		}
		d.OfflineSince = time.Time{}
		if offline {
			d.OfflineSince = v.records.Time()
		}
		return d, true
	})
	if err == nil && (d.Pairing != id || d.Tenant != tenant) {
		return terminal.ErrUnpaired
	}
	return err
}

// MenuLock is the menu lock of a simulated terminal. It does not store the passcode, only whether a passcode is set.
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

// Settings returns the settings of a terminal. Errors: terminal.ErrOffline, terminal.ErrUnpaired.
func (v *Terminals) Settings(ctx context.Context, id string) (terminal.Settings, error) {
	d, err := v.readOnline(ctx, id)
	return terminal.Settings{MenuLock: &d.Record.MenuLock.Enabled}, err
}

// Configure changes the settings of a terminal, until the pairing ends. Errors: terminal.ErrOffline,
// terminal.ErrUnpaired, terminal.ErrNoPasscode.
func (v *Terminals) Configure(ctx context.Context, id string, c terminal.SettingsChange) error {
	for {
		d, err := v.readOnline(ctx, id)
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
		if err = write(ctx, v.records, next, newPut(v.records, next).Run); !errors.Is(err, errChanged) {
			return err
		}
	}
}
