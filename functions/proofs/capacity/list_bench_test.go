package capacity_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// BenchmarkListCheckouts lists the newest 1,000 of 2,000 checkouts, of a merchant with one shard and of a merchant with
// 32 shards. In one shard the list takes 12 calls: one for the caller, one for the keys and ten for the items. In 32
// shards 35 calls read the keys, of which 16 run at a time. The list reads 522 or 536 units, and has 0.8 MB.
func BenchmarkListCheckouts(b *testing.B) {
	for _, shards := range []int{1, merchant.MaxShards} {
		b.Run(fmt.Sprintf("%d shards", shards), func(b *testing.B) {
			w := world.New(b)
			shop := w.Shop()
			w.Operate(map[string]any{"command": "update_merchant", "merchant_code": shop.Merchant.Code, "shards": shards},
				&struct{}{})
			for i := range 2000 {
				c := payments.Checkout{ID: uuid.NewString(), Reference: fmt.Sprint("order-", i), Status: payments.CheckoutPaid,
					Amount: money.MustParse("10.10", "EUR"), Purpose: payments.PurposeCheckout, Description: "Two coffees",
					CreatedAt: world.Start.Add(time.Duration(i) * time.Millisecond)}
				c.Shard = merchant.Merchant{Shards: shards}.ShardOf(c.ID)
				c.Transactions = []payments.CheckoutTransaction{{ID: uuid.NewString(), Amount: c.Amount,
					Status: payments.TransactionSuccessful, PaymentType: "ECOM", EntryMode: "CUSTOMER_ENTRY", Installments: 1,
					CreatedAt: c.CreatedAt}}
				if _, err := w.App.Store.CreateCheckout(b.Context(), shop.Tenant(), c); err != nil {
					b.Fatal(err)
				}
			}
			w.Main().Meter.Reset()
			lists, bytes := 0, 0
			for b.Loop() {
				r := w.Main().DoUnchecked(world.Request{Method: "GET", Path: "/v0.1/checkouts"})
				if r.Status != 200 {
					b.Fatalf("got %d %s, want 200", r.Status, r.Body)
				}
				lists, bytes = lists+1, bytes+len(r.Body)
			}
			use := w.Main().Meter.Reset()
			b.ReportMetric(float64(len(use.Calls))/float64(lists), "calls/list")
			b.ReportMetric(use.Read/float64(lists), "units/list")
			b.ReportMetric(float64(bytes)/float64(lists), "bytes/list")
		})
	}
}
