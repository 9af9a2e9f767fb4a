package reader

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/cashwrap/cashwrap/shared/terminal"
	"github.com/cashwrap/cashwrap/shared/terminal/virtual"
)

const (
	codeLength = 8
	remembered = 100 // checkouts, and ended pairings
)

// device is a card terminal: its knowledge, its screen and its answers. It is safe for concurrent use.
type device struct {
	acquirer Charger
	now      func() time.Time  // returns the platform's time
	keep     func(entry) error // writes the terminal's entry

	mu        sync.Mutex
	at        entry
	pairing   terminal.Pairing // has ID "" if unpaired
	confirmed bool
	menuLock  virtual.MenuLock
	ended     []string // ended pairings
	sales     []*sale  // the latest last
	notice    string   // about the last event
	changed   chan struct{}
}

var _ terminal.Terminals = (*device)(nil)

var (
	// errLate reports a checkout, or a change of settings, that arrived after its deadline.
	errLate = errors.New("reader: the deadline has passed")
	// errNotKept reports that the terminal's entry could not be updated.
	errNotKept = errors.New("reader: what the terminal shows could not be written")
)

func newDevice(a Charger, now func() time.Time, keep func(entry) error) *device {
	return &device{acquirer: a, now: now, keep: keep, changed: make(chan struct{}, 1),
		at: entry{Serial: "VT" + rand.Text()[:10], Token: rand.Text(), Code: newCode()}}
}

// newCode returns a pairing code. It begins with R, so that it has no special meaning to virtual terminals.
func newCode() string { return "R" + rand.Text()[:codeLength-1] }

func (d *device) change(do func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := do()
	select {
	case d.changed <- struct{}{}:
	default: // the last change has not been seen yet
	}
	return err
}

// save updates the terminal's entry.
func (d *device) save() error {
	if err := d.keep(d.at); err != nil {
		return errors.Join(errNotKept, err)
	}
	return nil
}

// publishAddress publishes the terminal's address. The address "" switches the terminal's line off.
func (d *device) publishAddress(address string) error {
	return d.change(func() error {
		d.at.Off = address == ""
		if address != "" {
			d.at.Address = address
		}
		return d.save()
	})
}

// Pair asks the person at the terminal to confirm, if the terminal shows the code.
func (d *device) Pair(_ context.Context, p terminal.Pairing) (terminal.Device, error) {
	paired := terminal.Device{Serial: d.at.Serial, Model: virtual.Model} // serial and model never change
	err := d.change(func() error {
		switch {
		case p.ID == d.pairing.ID:
			return nil
		case slices.Contains(d.ended, p.ID), d.pairing.ID != "", !d.now().Before(p.Until):
			return terminal.ErrNotPending
		case p.Code != d.at.Code:
			return terminal.ErrNoTerminal
		}
		d.pairing, d.confirmed, d.notice = p, false, ""
		d.at.Code, d.at.Pairing = "", p.ID
		return d.save()
	})
	if err != nil {
		return terminal.Device{}, err
	}
	return paired, nil
}

func (d *device) unpair(notice string) error {
	d.remember(d.pairing.ID)
	if s := d.openSale(); s != nil {
		s.stop(unpaired)
	}
	d.pairing, d.confirmed, d.menuLock, d.notice = terminal.Pairing{}, false, virtual.MenuLock{}, notice
	d.at.Code, d.at.Pairing = newCode(), ""
	return d.save()
}

func (d *device) remember(pairing string) {
	d.ended = append(d.ended, pairing)
	d.ended = d.ended[max(0, len(d.ended)-remembered):]
}

// Unpair ends a pairing. A later Pair of that pairing is refused.
func (d *device) Unpair(_ context.Context, pairing string) error {
	return d.change(func() error {
		if pairing == d.pairing.ID {
			return d.unpair("The merchant has deleted this reader.")
		}
		if !slices.Contains(d.ended, pairing) {
			d.remember(pairing)
		}
		return nil
	})
}

func (d *device) Heartbeat(_ context.Context, pairing string) (terminal.Heartbeat, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if pairing != d.pairing.ID {
		return terminal.Heartbeat{}, terminal.ErrUnpaired
	}
	h := virtual.Idle(d.confirmed, d.now())
	if s := d.openSale(); s != nil {
		h.State = steps[s.step].state
	}
	return h, nil
}

// openSale returns the checkout that the cardholder is asked to pay, or nil.
func (d *device) openSale() *sale {
	if len(d.sales) == 0 || d.sales[len(d.sales)-1].isOver() {
		return nil
	}
	return d.sales[len(d.sales)-1]
}

// sale returns the checkout with an id, or nil if the terminal does not remember it.
func (d *device) sale(checkout string) *sale {
	at := slices.IndexFunc(d.sales, func(s *sale) bool { return s.ID == checkout })
	if at < 0 {
		return nil
	}
	return d.sales[at]
}

func (d *device) Offer(_ context.Context, c terminal.Checkout) error {
	return d.change(func() error {
		switch {
		case d.sale(c.ID) != nil:
			return nil
		case c.Pairing != d.pairing.ID || !d.confirmed:
			return terminal.ErrUnpaired
		case d.openSale() != nil:
			return terminal.ErrBusy
		case !d.now().Before(c.Until):
			return errLate
		}
		d.sales = append(d.sales, newSale(c, d.now()))
		d.sales = d.sales[max(0, len(d.sales)-remembered):]
		d.notice = ""
		return nil
	})
}

// Outcome returns the terminal's knowledge of a checkout. The platform may ask late, after the line was down.
func (d *device) Outcome(_ context.Context, checkout string) (terminal.Outcome, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.sale(checkout)
	if s == nil {
		return terminal.Outcome{}, terminal.ErrUnknownCheckout
	}
	return s.outcome, nil
}

func (d *device) Terminate(_ context.Context, checkout string) error {
	return d.change(func() error {
		s := d.sale(checkout)
		if s == nil {
			return terminal.ErrUnknownCheckout
		}
		if s.stop(terminated) {
			d.notice = "The merchant has stopped the payment."
		}
		return nil
	})
}

func (d *device) Settings(_ context.Context, pairing string) (terminal.Settings, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if pairing != d.pairing.ID || !d.confirmed {
		return terminal.Settings{}, terminal.ErrUnpaired
	}
	locked := d.menuLock.Enabled
	return terminal.Settings{MenuLock: &locked}, nil
}

func (d *device) Configure(_ context.Context, pairing string, c terminal.SettingsChange) error {
	return d.change(func() error {
		switch {
		case pairing != d.pairing.ID || !d.confirmed:
			return terminal.ErrUnpaired
		case !d.now().Before(c.Until):
			return errLate
		}
		after, err := d.menuLock.After(c)
		if err == nil {
			d.menuLock = after
		}
		return err
	})
}

// checkDeadlines ends an unconfirmed pairing, the choice of a tip or an unpaid checkout when its time is over.
func (d *device) checkDeadlines() error {
	return d.change(func() error {
		now, s := d.now(), d.openSale()
		switch {
		case d.pairing.ID != "" && !d.confirmed && !now.Before(d.pairing.Until):
			return d.unpair("The pairing was not confirmed in time.")
		case s == nil:
			return nil
		case !now.Before(s.Until):
			if s.stop(timedOut) {
				d.notice = "Nobody has paid in time."
			}
		case s.step == choosingTip && !now.Before(s.tipUntil):
			return s.chooseTip("0")
		}
		return nil
	})
}

// removeFile removes the terminal's file for good.
func (d *device) removeFile(dir string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.keep = func(entry) error { return nil }
	return d.at.remove(dir)
}
