// Package run drives card readers: it pairs terminals, asks for their reports, gives checkouts to them, and asks the
// acquirer for the outcome of each checkout. A Driver's methods may be repeated at any time, because each message to a
// terminal is idempotent, and a payment at a reader has one attempt (ARCHITECTURE.md, "Card readers").
package run

import (
	"context"
	"log/slog"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/reader"
	"github.com/cashwrap/cashwrap/shared/store"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// Config holds the ports of a Driver.
type Config struct {
	Store     *store.Store
	Terminals map[identity.Mode]terminal.Terminals
	Acquirer  func(identity.Tenant) acquirer.Acquirer
	Payments  Payments
	Log       *slog.Logger
}

// Payments records the outcomes of payments. Package processing implements it.
type Payments interface {
	// ResolveAttempt asks for the outcome of the open attempt, and records the outcome. For an attempt that waits at a
	// reader, it calls Driver.ResolveWaiting.
	ResolveAttempt(ctx context.Context, t identity.Tenant, c payments.Checkout) (payments.Checkout, error)
	// Settle records an outcome of the checkout's open attempt. It changes nothing once the attempt is closed.
	Settle(ctx context.Context, t identity.Tenant, c payments.Checkout, o payments.Outcome) (payments.Checkout, error)
	// PollLater schedules the next poll of the open attempt.
	PollLater(ctx context.Context, t identity.Tenant, c payments.Checkout) (payments.Checkout, error)
	// CloseNotTaken closes the open attempt of a checkout that no terminal has taken.
	CloseNotTaken(ctx context.Context, t identity.Tenant, c payments.Checkout) (payments.Checkout, error)
}

// Driver drives the card readers of all merchants. It is safe for concurrent use.
type Driver struct{ Config }

// New returns a Driver.
func New(c Config) *Driver { return &Driver{c} }

const (
	// workTime bounds a message that brings a terminal something new.
	workTime = 8 * time.Second
	// answerTime bounds a question to a terminal. The terminal's answer only saves time.
	answerTime = 3 * time.Second
)

// terminals returns the port of the tenant's mode. Each message is limited, to leave time for the acquirer.
func (d *Driver) terminals(t identity.Tenant) terminal.Terminals {
	if reached := d.Terminals[t.Mode]; reached != nil {
		return terminal.Limited{Terminals: reached, Work: workTime, Answer: answerTime}
	}
	return terminal.None{}
}

// errBusy is the failure of a reader with an open checkout (contract §13.7).
var errBusy = failure.Unprocessable("The reader has an open checkout.").WithCode("READER_BUSY")

const offlineCode = "READER_OFFLINE"

// unreachable returns the failure of a reader whose terminal cannot take a message now (contract §13.7).
func unreachable(why string) error {
	return failure.Unprocessable(why).WithCode(offlineCode).WithSlug("reader-offline")
}

func (d *Driver) logSilence(ctx context.Context, r reader.Reader, err error) {
	d.Log.WarnContext(ctx, "terminal did not answer", "reader", r.ID, "error", err)
}
