// Package reader has the rules of card readers (contract §9, §13.7). The rules are pure, without I/O. A reader is one
// pairing of a card terminal with a merchant. If the same terminal is paired again, it is another reader. Package run
// drives readers.
package reader

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
)

// MaxReaders limits the readers of a merchant in one mode, including expired ones (contract §9).
const MaxReaders = 100

// pairingTime limits the time until a terminal has confirmed (contract §9).
const pairingTime = 5 * time.Minute

// Status is the status of a pairing (contract §2.7).
type Status string

// The statuses.
const (
	Processing Status = "processing" // the terminal has not confirmed yet
	Paired     Status = "paired"
	Expired    Status = "expired" // for good: the terminal is paired again as another reader
)

// pixModels are the models with a screen that shows the code of a Pix payment (contract §13.9).
var pixModels = []string{"solo", "virtual-solo"}

// Reader is a pairing as stored.
type Reader struct {
	ID               string          `dynamo:"id"`
	Name             string          `dynamo:"name"`
	Serial           string          `dynamo:"serial"` // of the terminal
	Model            string          `dynamo:"model"`  // one of contract §2.7
	Metadata         member.Metadata `dynamo:"metadata,omitempty"`
	ServiceAccountID string          `dynamo:"service_account_id,omitempty"` // a UUID, once paired
	CreatedAt        time.Time       `dynamo:"created_at"`
	UpdatedAt        time.Time       `dynamo:"updated_at"`
	PairedAt         time.Time       `dynamo:"paired_at,omitempty"` // when we learned that the terminal has confirmed
	EndedAt          time.Time       `dynamo:"ended_at,omitempty"`  // when we learned that the pairing is gone
	Checkout         string          `dynamo:"checkout,omitempty"`  // id of the latest checkout
	MenuLock         *bool           `dynamo:"menu_lock,omitempty"` // as last reported by the terminal; nil: never
	Version          int             `dynamo:"version"`
}

// ID returns the id of the reader that an operation makes. The same operation always gets the same id.
func ID(operation string) string { return identity.DerivedID("rdr_", "reader\x00"+operation) }

// Given has the fields of a reader that the merchant chooses.
type Given struct {
	Name     string // blank: New makes one from the serial number
	Metadata member.Metadata
}

// New returns the reader of a terminal that was asked to confirm.
func New(id, serial, model string, given Given, now time.Time) Reader {
	r := Reader{ID: id, Serial: serial, Model: model, Metadata: given.Metadata, CreatedAt: now, UpdatedAt: now}
	r.Name = r.nameOrDefault(given.Name)
	return r
}

// nameOrDefault returns the name, or the default name if it is blank (contract §9).
func (r Reader) nameOrDefault(name string) string {
	if strings.TrimSpace(name) != "" {
		return name
	}
	return "Reader " + r.Serial[max(0, len(r.Serial)-4):]
}

// ConfirmUntil returns the time when the pairing expires, unless the terminal has confirmed it.
func (r Reader) ConfirmUntil() time.Time { return r.CreatedAt.Add(pairingTime) }

// StatusAt returns the status at a time, as far as it is known.
func (r Reader) StatusAt(now time.Time) Status {
	switch {
	case !r.EndedAt.IsZero():
		return Expired
	case !r.PairedAt.IsZero():
		return Paired
	case now.After(r.ConfirmUntil()):
		return Expired
	default:
		return Processing
	}
}

// ShowsCodes returns true if the terminal can show the code of a Pix payment.
func (r Reader) ShowsCodes() bool { return slices.Contains(pixModels, r.Model) }

// Settled returns true if the terminal need not be asked again. A pairing that has expired without an answer is not
// settled, because the terminal may have confirmed in time, although we do not know yet.
func (r Reader) Settled() bool { return !r.PairedAt.IsZero() || !r.EndedAt.IsZero() }

// Confirm records that the terminal has confirmed. A terminal confirms only in time, so Confirm does not compare times.
// A pairing that has ended stays ended.
func (r Reader) Confirm(now time.Time) Reader {
	if r.Settled() {
		return r
	}
	r.PairedAt, r.UpdatedAt = now, now
	r.ServiceAccountID = uuid.NewSHA1(uuid.NameSpaceOID, []byte("reader service account\x00"+r.ID)).String()
	return r
}

// End records that the terminal no longer has the pairing, or never confirmed it.
func (r Reader) End(now time.Time) Reader {
	if r.EndedAt.IsZero() {
		r.EndedAt, r.UpdatedAt, r.MenuLock = now, now, nil // the terminal forgets its settings
	}
	return r
}

// WithMenuLock records the terminal's report about its menu lock. It records nil if the terminal does not report the
// menu lock.
func (r Reader) WithMenuLock(said *bool) Reader {
	if said == nil || r.MenuLock == nil || *said != *r.MenuLock {
		r.MenuLock = said
	}
	return r
}

// Change is an update of a reader; nil leaves a field unchanged.
type Change struct {
	Name     *string
	Metadata *member.Metadata // replaces all entries (contract §13.9)
}

// Apply returns the reader after the change. If nothing changes, the time of the update stays, too.
func (c Change) Apply(r Reader, now time.Time) Reader {
	before := r
	if c.Name != nil {
		r.Name = r.nameOrDefault(*c.Name)
	}
	if c.Metadata != nil {
		r.Metadata = *c.Metadata
	}
	if r != before {
		r.UpdatedAt = now
	}
	return r
}

// ForAudit returns the reader as audit entries show it.
func (r Reader) ForAudit() any {
	return struct {
		Name     string          `json:"name"`
		Serial   string          `json:"serial"`
		Model    string          `json:"model"`
		Metadata member.Metadata `json:"metadata,omitzero"`
	}{r.Name, r.Serial, r.Model, r.Metadata}
}
