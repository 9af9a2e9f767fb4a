package sandbox_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/localstack/engines/enginetest"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/acquirer/sandbox"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

const (
	baseURL      = "https://pay.example"
	plainCard    = "4111111111111111" // in no table
	askingCard   = "4200000000000042"
	silentCard   = "4200000000000091"
	securityCode = "7319"
)

// world is a sandbox on a table of its own, with a clock moved by hand and a
// network that can be cut.
type world struct {
	*sandbox.Acquirer
	table dynamo.Table
	db    *dynamo.DB
	wire  *wire

	mu  sync.Mutex
	now time.Time
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{wire: &wire{}, now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
	s := store.Open(store.Config{
		Table: "cashwrap", Region: "eu-central-1", Endpoint: enginetest.Table(t),
		Credentials: credentials.NewStaticCredentialsProvider(enginetest.AccessKey(t), "none", ""),
		HTTP:        w.wire, MaxAttempts: 1, Now: w.clock,
	})
	if err := s.CreateTable(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.db, w.table = s.Raw()
	w.Acquirer = w.restarted()
	return w
}

// restarted is the sandbox in a new process.
func (w *world) restarted() *sandbox.Acquirer {
	return sandbox.New(sandbox.Config{DB: w.db, Table: w.table, Secret: []byte(strings.Repeat("s", 32)), BaseURL: baseURL, Now: w.clock})
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// captures is how often money moved for the charge.
func (w *world) captures(t *testing.T, id string) int {
	t.Helper()
	n, err := w.Captures(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (w *world) mustCharge(t *testing.T, c acquirer.Charge) payments.Outcome {
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

// wire is the network under the SDK.
type wire struct {
	mu    sync.Mutex
	fault func(operation string) fault
}

// fault is what happens to one request.
type fault int

const (
	none fault = iota
	beforeCommit
	afterCommit
)

var errCut = errors.New("connection reset by peer")

func (w *wire) cut(f func(operation string) fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fault = f
}

// free does something inside a fault, while faults are asked for one by one.
func (w *wire) free(f func()) {
	w.mu.Unlock()
	defer w.mu.Lock()
	f()
}

func (w *wire) Do(r *http.Request) (*http.Response, error) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	happens := none
	w.mu.Lock()
	if w.fault != nil {
		happens = w.fault(operation)
	}
	w.mu.Unlock()
	if happens == beforeCommit {
		return nil, errCut
	}
	res, err := enginetest.Do(r)
	if err == nil && happens == afterCommit {
		res.Body.Close()
		return nil, errCut
	}
	return res, err
}

// once is a fault that hits the first request of an operation.
func once(operation string, f fault) func(string) fault {
	done := false
	return func(op string) fault {
		if done || op != operation {
			return none
		}
		done = true
		return f
	}
}

func card(number string) *payments.Card {
	return &payments.Card{Name: "Ada Payer", Number: payments.NewSecret(number), ExpiryMonth: "12", ExpiryYear: "2030", CVV: payments.NewSecret(securityCode)}
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

// scan is every item of the table.
func (w *world) scan(t *testing.T) []map[string]any {
	t.Helper()
	var items []map[string]any
	if err := w.table.Scan().All(context.WithoutCancel(t.Context()), &items); err != nil {
		t.Fatal(err)
	}
	return items
}
