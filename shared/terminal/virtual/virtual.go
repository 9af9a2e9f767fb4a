// Package virtual simulates the card terminals of test mode (contract §9, §12 and §13.7). It is independent of the
// platform: it keeps its own records under its own keys, is called through the port only, and charges at the acquirer
// as any terminal does.
//
// What a terminal does by itself after a while it does when it is next asked, as though it had done it in time: it is
// paired after two seconds and charges three seconds after it was offered a checkout.
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

const (
	model       = "virtual-solo"
	firmware    = "3.3.24.1"
	battery     = 87
	temperature = 31.5
	connection  = "Wi-Fi"
	confirmsIn  = 2 * time.Second // after it was paired
	paysIn      = 3 * time.Second // after it was offered a checkout
	tipSelected = time.Second     // after that, too
	serialBytes = 5
)

// Config is the configuration of the terminals.
type Config struct {
	DB       *dynamo.DB
	Table    dynamo.Table
	Acquirer acquirer.Acquirer // at which they charge
	Now      func() time.Time  // nil: the system's clock
}

// Terminals are all virtual terminals. They are safe for concurrent use.
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
	Serial string `dynamo:"serial,omitempty"` // "" for one that was ended before it came
}

// device is a terminal.
type device struct {
	Serial       string    `dynamo:"serial"`
	Pairing      string    `dynamo:"pairing,omitempty"` // the latest, if it has not been ended
	Tenant       string    `dynamo:"tenant"`
	ConfirmsAt   time.Time `dynamo:"confirms_at,omitempty"`   // never, if zero
	OfflineSince time.Time `dynamo:"offline_since,omitempty"` // online, if zero
	Checkout     string    `dynamo:"checkout,omitempty"`      // the latest
}

func (d device) confirmed(now time.Time) bool {
	return !d.ConfirmsAt.IsZero() && !now.Before(d.ConfirmsAt)
}
func (d device) offline() bool { return !d.OfflineSince.IsZero() }

// Pair pairs a terminal. Any code is a terminal's, and one merchant's code always the same one's, whose pairing before
// it ends. One that begins with FAIL is no terminal's, BUSY one's that does not wait, and WAIT one's that nobody
// confirms.
func (v *Terminals) Pair(ctx context.Context, p terminal.Pairing) (terminal.Device, error) {
	for {
		known, err := read[pairing](ctx, v.records, pairingKey(p.ID))
		switch {
		case err == nil && known.Record.Serial == "":
			return terminal.Device{}, terminal.ErrNotPending
		case err == nil:
			return terminal.Device{Serial: known.Record.Serial, Model: model}, nil
		case !errors.Is(err, errNone):
			return terminal.Device{}, err
		}
		if err := v.refusal(p); err != nil {
			return terminal.Device{}, err
		}
		if err := v.pair(ctx, p, known); !errors.Is(err, errChanged) {
			return terminal.Device{Serial: serial(p), Model: model}, err
		}
	}
}

// refusal is why no terminal is paired by a new request. One that comes late is not what its sender still wants.
func (v *Terminals) refusal(p terminal.Pairing) error {
	switch {
	case strings.HasPrefix(p.Code, "FAIL"):
		return terminal.ErrNoTerminal
	case strings.HasPrefix(p.Code, "BUSY"), !v.records.Time().Before(p.Until):
		return terminal.ErrNotPending
	default:
		return nil
	}
}

func (v *Terminals) pair(ctx context.Context, p terminal.Pairing, none item[pairing]) error {
	d, err := read[device](ctx, v.records, deviceKey(serial(p)))
	if err != nil && !errors.Is(err, errNone) {
		return err
	}
	fresh := device{Serial: serial(p), Pairing: p.ID, Tenant: p.Tenant}
	if !strings.HasPrefix(p.Code, "WAIT") {
		fresh.ConfirmsAt = v.records.Time().Add(confirmsIn)
	}
	return begin(ctx, v.records, none.next(pairing{Serial: serial(p)}), d.next(fresh))
}

// serial is the serial number of the terminal that shows a merchant's code.
func serial(p terminal.Pairing) string {
	sum := sha256.Sum256([]byte(p.Tenant + "\x00" + p.Code))
	return "VS" + strings.ToUpper(hex.EncodeToString(sum[:serialBytes]))
}

// Heartbeat is what the terminal reports. Error: terminal.ErrUnpaired.
func (v *Terminals) Heartbeat(ctx context.Context, id string) (terminal.Heartbeat, error) {
	stored, err := paired(ctx, v.records, id)
	if err != nil {
		return terminal.Heartbeat{}, err
	}
	d, now := stored.Record, v.records.Time()
	h := terminal.Heartbeat{Confirmed: d.confirmed(now), Online: !d.offline(), State: terminal.Idle, Battery: battery,
		Temperature: temperature, Connection: connection, Firmware: firmware, LastActivity: now}
	if d.offline() {
		h.LastActivity = d.OfflineSince
	}
	if d.Checkout == "" {
		return h, nil
	}
	s, err := v.progress(ctx, d.Checkout)
	if err == nil && !s.final() {
		h.State = s.state(now)
	}
	return h, err
}

// Unpair ends a pairing. One that has not come yet is refused when it comes.
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
		err = write(ctx, v.records, tombstone, put(v.records, tombstone).Run)
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

// SetOffline takes the terminal of a tenant's pairing off the line, or puts it back. Error: terminal.ErrUnpaired.
func (v *Terminals) SetOffline(ctx context.Context, tenant, id string, offline bool) error {
	stored, err := paired(ctx, v.records, id)
	if err != nil {
		return err
	}
	d, err := change(ctx, v.records, stored.Key, func(d device) (device, bool) {
		if d.Pairing != id || d.Tenant != tenant || d.offline() == offline {
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
