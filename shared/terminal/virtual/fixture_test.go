package virtual_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/counterpartytest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/localstack/platform/counterparty"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/terminal"
	"github.com/cashwrap/cashwrap/shared/terminal/virtual"
)

const tenant = "T#MC0A1B2C3D"

// fixture has virtual terminals and their acquirer behind a network. Each has its own table.
type fixture struct {
	testing.TB
	*virtual.Terminals
	*clock.Clock
	wire     *faults.Wire  // to the terminals' table
	line     *faults.Steps // to the acquirer
	acquirer acquirer.Acquirer
}

func newFixture(tb testing.TB) *fixture {
	tb.Helper()
	own, others := counterpartytest.New(tb), counterpartytest.New(tb)
	a := sandbox.New(sandbox.Config{DB: others.DB, Table: others.Table, Now: own.Now,
		Secret: func() []byte { return nil }})
	line := &faults.Steps{}
	v := virtual.New(virtual.Config{DB: own.DB, Table: own.Table, Acquirer: counterparty.Acquirer(line, a), Now: own.Now})
	return &fixture{tb, v, own.Clock, own.Wire, line, a}
}

func (w *fixture) pairing(id, code string) terminal.Pairing {
	return terminal.Pairing{ID: id, Code: code, Tenant: tenant, Until: w.Now().Add(5 * time.Minute)}
}

// pairAndConfirm pairs a terminal and waits until the pairing is confirmed.
func (w *fixture) pairAndConfirm(id, code string) *fixture {
	w.Helper()
	if _, err := w.Pair(w.Context(), w.pairing(id, code)); err != nil {
		w.Fatal(err)
	}
	w.Advance(2 * time.Second)
	return w
}

func (w *fixture) checkout(id, pairing, amount string) terminal.Checkout {
	return terminal.Checkout{ID: id, Pairing: pairing, Charge: "charge of " + id, Method: payments.AtReader,
		Tenant: tenant, Amount: money.MustParse(amount, "EUR"), Merchant: "Corner Shop", Installments: 1,
		Until: w.Now().Add(2 * time.Minute)}
}

// mustOffer offers a checkout at the pairing p.
func (w *fixture) mustOffer(id, amount string) {
	w.Helper()
	if err := w.Offer(w.Context(), w.checkout(id, "p", amount)); err != nil {
		w.Fatal(err)
	}
}

func (w *fixture) wantOutcome(checkout string, want terminal.Outcome) {
	w.Helper()
	if got, err := w.Outcome(w.Context(), checkout); err != nil || got != want {
		w.Errorf("outcome of %s: got %+v, %v, want %+v", checkout, got, err, want)
	}
}

// wantDecision checks the acquirer's decision about a checkout's charge; "" means no charge.
func (w *fixture) wantDecision(checkout string, want payments.Decision) payments.Outcome {
	w.Helper()
	o, err := w.acquirer.LookUp(w.Context(), "charge of "+checkout)
	if errors.Is(err, acquirer.ErrUnknownCharge) && want == "" {
		return o
	}
	if err != nil || o.Decision != want {
		w.Errorf("charge of %s: got %s, %v, want %q", checkout, o.Decision, err, want)
	}
	return o
}

// countCaptures returns the number of captures in the statement.
func (w *fixture) countCaptures() (n int) {
	w.Helper()
	for _, err := range w.acquirer.Statement(w.Context(), time.Time{}) {
		if err != nil {
			w.Fatal(err)
		}
		n++
	}
	return n
}

// failing is a message in a table of messages, with its error.
type failing struct {
	name string
	send func(context.Context) error
	want error
}

func (w *fixture) wantErrors(messages ...failing) {
	w.Helper()
	for _, m := range messages {
		if err := m.send(w.Context()); !errors.Is(err, m.want) {
			w.Errorf("%s: got error %v, want %v", m.name, err, m.want)
		}
	}
}

func (w *fixture) offering(c terminal.Checkout) func(context.Context) error {
	return func(ctx context.Context) error { return w.Offer(ctx, c) }
}

func (w *fixture) heartbeatOf(pairing string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := w.Heartbeat(ctx, pairing)
		return err
	}
}

var (
	waiting = terminal.Outcome{Progress: terminal.Waiting}
	charged = terminal.Outcome{Progress: terminal.Charged}
)

func stopped(reason string) terminal.Outcome {
	return terminal.Outcome{Progress: terminal.Stopped, Reason: reason}
}
