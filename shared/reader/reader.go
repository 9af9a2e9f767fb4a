// Package reader has the rules of card readers (contract §9, §13.7): pure, without I/O. A reader is
// one pairing of a card terminal with a merchant; paired again, the same terminal is another reader.
package reader

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
)

// MaxReaders is how many a merchant can have in one mode, expired ones too (contract §9).
const MaxReaders = 100

// pairingTime is how long a terminal may take to confirm (contract §9).
const pairingTime = 5 * time.Minute

// Status is how far a pairing is (contract §2.7).
type Status string

// The statuses.
const (
	Processing Status = "processing" // the terminal has not confirmed yet
	Paired     Status = "paired"
	Expired    Status = "expired" // for good: the terminal is paired again as another reader
)

// showCodes are the models with a screen that shows the code of a Pix payment (contract §13.9).
var showCodes = []string{"solo", "virtual-solo"}

// Reader is a pairing, as stored.
type Reader struct {
	ID               string          `dynamo:"id"`
	Name             string          `dynamo:"name"`
	Serial           string          `dynamo:"serial"` // of the terminal
	Model            string          `dynamo:"model"`  // one of contract §2.7
	Metadata         member.Metadata `dynamo:"metadata,omitempty"`
	ServiceAccountID string          `dynamo:"service_account_id,omitempty"` // a UUID, once paired
	CreatedAt        time.Time       `dynamo:"created_at"`
	UpdatedAt        time.Time       `dynamo:"updated_at"`
	PairedAt         time.Time       `dynamo:"paired_at,omitempty"` // when it was known that the terminal has confirmed
	EndedAt          time.Time       `dynamo:"ended_at,omitempty"`  // when it was known that there is no pairing any more
	Checkout         string          `dynamo:"checkout,omitempty"`  // id of the latest
	MenuLock         *bool           `dynamo:"menu_lock,omitempty"` // as the terminal last said; nil: it has not
	Version          int             `dynamo:"version"`
}

// ID is the id of the reader that an operation makes: the same each time.
func ID(operation string) string { return identity.DerivedID("rdr_", "reader\x00"+operation) }

// Given is what a merchant says of a reader.
type Given struct {
	Name     string // blank: one that follows from the serial number
	Metadata member.Metadata
}

// New is the reader with a terminal that was asked to confirm.
func New(id, serial, model string, given Given, now time.Time) Reader {
	r := Reader{ID: id, Serial: serial, Model: model, Metadata: given.Metadata, CreatedAt: now, UpdatedAt: now}
	r.Name = r.named(given.Name)
	return r
}

// named is the name, or the one that a reader has without (contract §9).
func (r Reader) named(name string) string {
	if strings.TrimSpace(name) != "" {
		return name
	}
	return "Reader " + r.Serial[max(0, len(r.Serial)-4):]
}

// ConfirmUntil is when the pairing expires, unless the terminal has confirmed it.
func (r Reader) ConfirmUntil() time.Time { return r.CreatedAt.Add(pairingTime) }

// StatusAt is the status that is known at a time.
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

// ShowsCodes reports whether the terminal can show the code of a Pix payment.
func (r Reader) ShowsCodes() bool { return slices.Contains(showCodes, r.Model) }

// Settled reports whether the terminal need not be asked again. Past its time it still may have confirmed, unread.
func (r Reader) Settled() bool { return !r.PairedAt.IsZero() || !r.EndedAt.IsZero() }

// Confirm records that the terminal has confirmed, as it does only in time. An ended pairing stays as it is.
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

// WithMenuLock records whether the terminal's menu is locked. It records nil if the terminal does not say.
func (r Reader) WithMenuLock(said *bool) Reader {
	if said == nil || r.MenuLock == nil || *said != *r.MenuLock {
		r.MenuLock = said
	}
	return r
}

// Change is what an update says; nil leaves a field as it is.
type Change struct {
	Name     *string
	Metadata *member.Metadata // replaced as a whole (contract §13.9)
}

// Apply is the reader after the change. One that changes nothing leaves the time of the update, too.
func (c Change) Apply(r Reader, now time.Time) Reader {
	before := r
	if c.Name != nil {
		r.Name = r.named(*c.Name)
	}
	if c.Metadata != nil {
		r.Metadata = *c.Metadata
	}
	if r != before {
		r.UpdatedAt = now
	}
	return r
}

// ForAudit is the reader as audit entries show it.
func (r Reader) ForAudit() any {
	return struct {
		Name     string          `json:"name"`
		Serial   string          `json:"serial"`
		Model    string          `json:"model"`
		Metadata member.Metadata `json:"metadata,omitzero"`
	}{r.Name, r.Serial, r.Model, r.Metadata}
}
