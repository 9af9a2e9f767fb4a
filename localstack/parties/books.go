// Package parties is for tests of those who keep books of their own in the table,
// an acquirer or a bank: it gives them empty books, a clock, and a network that
// can be cut.
package parties

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/faults"
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
		Table: "cashwrap", Region: "eu-central-1", Endpoint: enginetest.Table(tb),
		Credentials: credentials.NewStaticCredentialsProvider(enginetest.AccessKey(tb), "none", ""),
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
	fault func(operation string) faults.Fault
}

// Cut decides by their operations what happens to the requests from now on, one by one: None, FailBefore or LoseReply.
func (w *Wire) Cut(f func(operation string) faults.Fault) {
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
	w.Cut(func(op string) faults.Fault {
		if op != operation {
			return faults.None
		}
		if n--; n == 0 {
			w.Free(do)
		}
		return faults.None
	})
}

// Do carries a request.
func (w *Wire) Do(r *http.Request) (*http.Response, error) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	happens := faults.None
	w.mu.Lock()
	if w.fault != nil {
		happens = w.fault(operation)
	}
	w.mu.Unlock()
	if happens == faults.FailBefore {
		return nil, faults.ErrNetwork
	}
	res, err := enginetest.Do(r)
	if err == nil && happens == faults.LoseReply {
		res.Body.Close()
		return nil, faults.ErrNetwork
	}
	return res, err
}

// Once is a fault that hits the first request of an operation.
func Once(operation string, f faults.Fault) func(string) faults.Fault {
	done := false
	return func(op string) faults.Fault {
		if done || op != operation {
			return faults.None
		}
		done = true
		return f
	}
}
