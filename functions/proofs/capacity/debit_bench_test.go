package capacity_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
)

// lateRefunds is the number of refunds that are due at once, without any credit.
const lateRefunds = 2000

// BenchmarkLateRefunds pays out a merchant with 2,000 late refunds and nothing else due. All refunds are in one payout.
// A payout of n refunds takes ⌈n/32⌉ transactions to collect the refunds, and ⌈n/49⌉ to apply its outcome to them.
func BenchmarkLateRefunds(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		w := world.New(b)
		addDebits(b, w)
		w.Main().Meter.Reset()
		nights := 0
		b.StartTimer()
		for left := lateRefunds; left > 0; nights++ {
			w.Clock.Advance(24 * time.Hour)
			w.RunPayouts()
			left = 0
			for _, row := range w.PayoutState(w.Merchant).Payables {
				if row.Kind == "REFUND_DEDUCTION" {
					left++
				}
			}
		}
		b.StopTimer()
		calls, transactions := takeCalls(w)
		b.ReportMetric(float64(nights), "payouts")
		b.ReportMetric(float64(calls), "calls")
		b.ReportMetric(float64(transactions), "transactions")
		b.StartTimer()
	}
}

// addDebits makes one late refund, and stores copies of its debit and its event until the merchant has lateRefunds.
func addDebits(b *testing.B, w *world.World) {
	b.Helper()
	shop := w.Shop()
	shop.SetPayout(map[string]any{"holder": "Shop", "iban": sandbox.PaidIBAN})
	paid := shop.Sell("10.10")
	w.Clock.Advance(24 * time.Hour)
	w.RunPayouts()
	shop.Refund(paid, "0.01")
	_, table := w.App.Store.Raw()
	var sample []map[string]types.AttributeValue
	err := table.Scan().Filter("begins_with(sk, ?) OR 'type' = ?", "DEBIT#", "PAYOUT_DEDUCTION").All(b.Context(), &sample)
	if err != nil || len(sample) != 2 {
		b.Fatalf("got %d items, error %v; want 2", len(sample), err)
	}
	id := sample[0]["id"].(*types.AttributeValueMemberS).Value
	var batch []any
	for n := range lateRefunds - 1 {
		names := strings.NewReplacer(id, fmt.Sprintf("%s%04d", id[:len(id)-4], n))
		for _, item := range sample {
			batch = append(batch, withNames(item, names))
		}
		if len(batch) > 22 || n == lateRefunds-2 {
			if _, err := table.Batch("pk", "sk").Write().Put(batch...).Run(b.Context()); err != nil {
				b.Fatal(err)
			}
			batch = nil
		}
	}
}
