package platform

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/aws/wal"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runner"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// checkoutCount returns the number of checkouts for BenchmarkStart. A million take some minutes.
func checkoutCount(b *testing.B) int {
	given := os.Getenv("CASHWRAP_BENCH_CHECKOUTS")
	if given == "" {
		return 20_000
	}
	n, err := strconv.Atoi(given)
	if err != nil {
		b.Fatalf("CASHWRAP_BENCH_CHECKOUTS: %v", err)
	}
	return n
}

// BenchmarkStart starts the in-memory engines over many checkouts, as after a kill.
func BenchmarkStart(b *testing.B) {
	place := Folder(b.TempDir())
	w, err := startMemory(b.Context(), place, wal.Options{})
	if err != nil {
		b.Fatal(err)
	}
	empty := heap()
	began, n := time.Now(), checkoutCount(b)
	fill(b, w, n)
	creates, filled := float64(n)/time.Since(began).Seconds(), heap()-empty
	if err = w.stop(); err != nil {
		b.Fatal(err)
	}
	var started uint64
	for b.Loop() {
		if w, err = startMemory(b.Context(), place, wal.Options{}); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		started = heap() - empty
		if err := w.stop(); err != nil {
			b.Fatal(err)
		}
		w = nil
		b.StartTimer()
	}
	b.ReportMetric(creates, "creates/s")
	b.ReportMetric(float64(filled)/float64(n), "heap-B/checkout")
	b.ReportMetric(float64(started)/float64(n), "heap-B/checkout-after-start")
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// fill creates n checkouts like a merchant with 16 concurrent clients.
func fill(b *testing.B, w *backend, n int) {
	s := store.Open(store.Config{Table: "kept", Region: runner.Region, Endpoint: w.DynamoDB,
		Credentials: w.Credentials(), HTTP: w.http})
	if err := s.CreateTable(b.Context()); err != nil {
		b.Fatal(err)
	}
	amount, err := money.Parse("10.10", "EUR")
	if err != nil {
		b.Fatal(err)
	}
	owner := identity.Tenant{Mode: identity.Test, Merchant: "MC0A1B2C3D"}
	var clients sync.WaitGroup
	for client := range 16 {
		clients.Go(func() {
			for i := client; i < n; i += 16 {
				_, err := s.CreateCheckout(b.Context(), owner, payments.Checkout{ID: uuid.NewString(),
					Reference: fmt.Sprint("order-", i), Amount: amount,
					Status: payments.CheckoutPending, Description: "Two coffees", ReturnURL: "https://shop.example.com/callbacks",
					CreatedAt: time.Now()})
				if err != nil {
					b.Errorf("create: got error %v, want none", err)
					return
				}
			}
		})
	}
	clients.Wait()
}
