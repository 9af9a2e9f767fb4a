package sandbox_test

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/localstack/engines/enginetest"
	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/store"
)

// world is a bank on a table of its own, with a clock moved by hand and a
// network that can be cut.
type world struct {
	*sandbox.Bank
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
	w.Bank = w.restarted()
	return w
}

// restarted is the bank in a new process.
func (w *world) restarted() *sandbox.Bank {
	return sandbox.New(sandbox.Config{DB: w.db, Table: w.table, Now: w.clock})
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

// order is a transfer of 10 EUR.
func order(id, iban string) bank.Transfer {
	return bank.Transfer{ID: id, Tenant: "T#MC1", Amount: money.MustParse("10", "EUR"), Reference: "PAYOUT 2026-11-20 " + id,
		To: account.BankAccount{ID: "a", Holder: "Corner Shop", IBAN: iban, Status: account.BankAccountVerified}}
}

// mustBe orders, or asks again, and expects the outcome.
func (w *world) mustBe(t *testing.T, order bank.Transfer, want bank.Outcome) {
	t.Helper()
	o, err := w.Transfer(t.Context(), order)
	if err != nil || o != want {
		t.Fatalf("%s: %+v, %v, want %+v", order.ID, o, err, want)
	}
}

// mustHaveLeft expects that money left so often for the transfer.
func (w *world) mustHaveLeft(t *testing.T, id string, times int) {
	t.Helper()
	n, sum, err := w.Executed(t.Context(), id)
	if err != nil || n != times || sum.Minor() != int64(1000*times) {
		t.Fatalf("%s: executed %d times, %s, %v, want %d", id, n, sum, err, times)
	}
}

var (
	accepted = bank.Outcome{State: bank.Accepted}
	paid     = bank.Outcome{State: bank.Paid}
)

func rejected(reason string) bank.Outcome { return bank.Outcome{State: bank.Rejected, Reason: reason} }

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
