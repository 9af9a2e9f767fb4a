package sandbox_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/counterpartytest"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/secret"
)

const (
	baseURL      = "https://pay.example"
	plainCard    = "4111111111111111" // a number that contract §12 does not list
	askingCard   = "4200000000000042"
	silentCard   = "4200000000000091"
	securityCode = "7319"
)

// fixture is a sandbox with its own records.
type fixture struct {
	*sandbox.Acquirer
	*counterpartytest.Fixture
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	w := &fixture{Fixture: counterpartytest.New(t)}
	w.Acquirer = w.restart()
	return w
}

// restart returns the sandbox as a restarted process would have it.
func (w *fixture) restart() *sandbox.Acquirer {
	return sandbox.New(sandbox.Config{DB: w.DB, Table: w.Table,
		Secret:  func() []byte { return []byte(strings.Repeat("s", 32)) },
		BaseURL: baseURL, Now: w.Now})
}

// countCaptures returns the number of captures in the statement for the charge.
func (w *fixture) countCaptures(t *testing.T, id string) int {
	t.Helper()
	n := 0
	for m, err := range w.Statement(t.Context(), time.Time{}) {
		if err != nil {
			t.Fatal(err)
		}
		if m.ChargeID == id && m.Kind == acquirer.CaptureMovement {
			n++
		}
	}
	return n
}

func (w *fixture) mustCharge(t *testing.T, c acquirer.Charge) payments.Outcome {
	t.Helper()
	return must(t)(w.Charge(t.Context(), c))
}

func must(t *testing.T) func(payments.Outcome, error) payments.Outcome {
	return func(o payments.Outcome, err error) payments.Outcome {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
}

// wantUnknown checks that the outcome of a call is unknown: the call returned neither an outcome, nor an error that
// rules out an outcome.
func wantUnknown(t *testing.T) func(payments.Outcome, error) {
	return func(o payments.Outcome, err error) {
		t.Helper()
		if err == nil || errors.Is(err, acquirer.ErrNotTaken) || errors.Is(err, acquirer.ErrUnknownCharge) ||
			o != (payments.Outcome{}) {
			t.Fatalf("got %+v, %v, want an unknown outcome", o, err)
		}
	}
}

func card(number string) *payments.Card {
	return &payments.Card{Name: "Ada Payer", Number: secret.New(number), ExpiryMonth: "12", ExpiryYear: "2030",
		CVV: secret.New(securityCode)}
}

func cardCharge(id, number, amount string) acquirer.Charge {
	return acquirer.Charge{
		ID: id, Reference: acquirer.Reference{Tenant: "T#MC1", CheckoutID: "checkout of " + id},
		Amount: money.MustParse(amount, "EUR"), Method: payments.CardMethod, Installments: 1,
		Card: card(number), Descriptor: "Corner Shop", ReturnURL: "https://shop.example/done",
	}
}

func methodCharge(id string, m payments.Method, amount string, c money.Currency) acquirer.Charge {
	charge := cardCharge(id, plainCard, "10")
	charge.Method, charge.Card, charge.Amount = m, nil, money.MustParse(amount, c)
	return charge
}

// scan returns every item of the table.
func (w *fixture) scan(t *testing.T) []map[string]any {
	t.Helper()
	var items []map[string]any
	if err := w.Table.Scan().All(context.WithoutCancel(t.Context()), &items); err != nil {
		t.Fatal(err)
	}
	return items
}
