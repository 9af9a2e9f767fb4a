package enginetest

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/store"
)

// Books is a table of its own for a party that keeps books in it (an acquirer, a bank), with a clock moved by hand and a
// network that can be cut.
type Books struct {
	DB    *dynamo.DB
	Table dynamo.Table
	Wire  *Wire

	mu  sync.Mutex
	now time.Time
}

// NewBooks are empty, at noon of 2026-11-20 UTC.
func NewBooks(tb testing.TB) *Books {
	tb.Helper()
	b := &Books{Wire: &Wire{}, now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
	s := store.Open(store.Config{
		Table: "cashwrap", Region: "eu-central-1", Endpoint: Table(tb),
		Credentials: credentials.NewStaticCredentialsProvider(AccessKey(tb), "none", ""),
		HTTP:        b.Wire, MaxAttempts: 1, Now: b.Now,
	})
	if err := s.CreateTable(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	b.DB, b.Table = s.Raw()
	return b
}

// Now is the time on the clock.
func (b *Books) Now() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

// Pass moves the clock.
func (b *Books) Pass(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = b.now.Add(d)
}

// Wire is the network under the SDK.
type Wire struct {
	mu    sync.Mutex
	fault func(operation string) Fault
}

// Fault is what happens to one request.
type Fault int

// The faults.
const (
	None         Fault = iota
	BeforeCommit       // it is lost on its way
	AfterCommit        // its reply is
)

// ErrCut is what the SDK sees of a fault.
var ErrCut = errors.New("connection reset by peer")

// Cut decides by their operations what happens to the requests from now on, one by one.
func (w *Wire) Cut(f func(operation string) Fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fault = f
}

// Free does something inside a fault that needs the network itself.
func (w *Wire) Free(f func()) {
	w.mu.Unlock()
	defer w.mu.Lock()
	f()
}

// Meanwhile does something when the n-th request of an operation is under way, before it arrives.
func (w *Wire) Meanwhile(operation string, n int, do func()) {
	w.Cut(func(op string) Fault {
		if op != operation {
			return None
		}
		if n--; n == 0 {
			w.Free(do)
		}
		return None
	})
}

// Do carries a request.
func (w *Wire) Do(r *http.Request) (*http.Response, error) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	happens := None
	w.mu.Lock()
	if w.fault != nil {
		happens = w.fault(operation)
	}
	w.mu.Unlock()
	if happens == BeforeCommit {
		return nil, ErrCut
	}
	res, err := Do(r)
	if err == nil && happens == AfterCommit {
		res.Body.Close()
		return nil, ErrCut
	}
	return res, err
}

// Once is a fault that hits the first request of an operation.
func Once(operation string, f Fault) func(string) Fault {
	done := false
	return func(op string) Fault {
		if done || op != operation {
			return None
		}
		done = true
		return f
	}
}
