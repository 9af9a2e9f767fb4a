package file_test

import (
	"bytes"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/localstack/engines/enginetest"
	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/bank/file"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/store"
)

// world is a bank on a table of its own, with a clock moved by hand and a
// network that can be cut.
type world struct {
	*file.Bank
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
func (w *world) restarted() *file.Bank {
	return file.New(file.Config{DB: w.db, Table: w.table, Now: w.clock})
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

// Valid accounts of merchants and of the operator.
const (
	germanIBAN    = "DE17100100100000005678"
	frenchIBAN    = "FR1420041010050500013M02606"
	brazilianIBAN = "BR1800360305000010009795493C1"
	operatorsIBAN = "DE41100100100000009999"
)

// transfer is one of 10 EUR.
func transfer(id string) bank.Transfer {
	return bank.Transfer{ID: id, Tenant: "L#MC1", Amount: money.MustParse("10", "EUR"), Reference: "PAYOUT 2026-11-20 " + id,
		To: account.BankAccount{ID: "a", Holder: "Corner Shop", IBAN: germanIBAN, Status: account.BankAccountVerified}}
}

// transferTo is one of 10 in the currency to an account without an IBAN.
func transferTo(id string, c money.Currency) bank.Transfer {
	t := transfer(id)
	t.Amount = money.MustParse("10", c)
	t.To.IBAN, t.To.AccountNumber, t.To.BankCode = "", "00012345-6", "001"
	return t
}

// request asks for a file of the orders in euros.
func request(id string, orders ...string) file.Request {
	return file.Request{ID: id, Currency: "EUR", Day: "2026-11-23", Orders: orders,
		Debtor: account.BankAccount{Holder: "Cashwrap Operator GmbH", IBAN: operatorsIBAN, BIC: "BANKDEFFXXX"}}
}

// ordered takes the orders.
func (w *world) ordered(t *testing.T, ids ...string) {
	t.Helper()
	for _, id := range ids {
		w.mustBe(t, transfer(id), accepted)
	}
}

// export writes the file, of exactly the orders.
func (w *world) export(t *testing.T, r file.Request, orders ...string) string {
	t.Helper()
	var text bytes.Buffer
	ids, err := w.Export(t.Context(), &text, r)
	if err != nil || !slices.Equal(ids, orders) {
		t.Fatalf("export %s: %v, %v, want %v", r.ID, ids, err, orders)
	}
	return text.String()
}

// mustSettle records the bank's word.
func (w *world) mustSettle(t *testing.T, id string, word bank.Outcome) {
	t.Helper()
	if err := w.Settle(t.Context(), id, word); err != nil {
		t.Fatalf("settle %s: %v", id, err)
	}
}

// waiting are the ids of the orders in no file.
func (w *world) waiting(t *testing.T, c money.Currency) []string {
	t.Helper()
	found, err := w.Orders(t.Context(), c, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, transfer := range found {
		ids = append(ids, transfer.ID)
	}
	return ids
}

// mustBe orders, or asks again, and expects the outcome.
func (w *world) mustBe(t *testing.T, order bank.Transfer, want bank.Outcome) {
	t.Helper()
	o, err := w.Transfer(t.Context(), order)
	if err != nil || o != want {
		t.Fatalf("%s: %+v, %v, want %+v", order.ID, o, err, want)
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

// meanwhile does something when the n-th request of an operation is under way,
// before it arrives.
func (w *wire) meanwhile(operation string, n int, do func()) {
	w.cut(func(op string) fault {
		if op != operation {
			return none
		}
		if n--; n == 0 {
			w.mu.Unlock()
			defer w.mu.Lock()
			do()
		}
		return none
	})
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
