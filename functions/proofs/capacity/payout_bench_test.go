package capacity_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/app/banking"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/store"
)

const (
	paidMerchants = 1000
	payablesEach  = 100
)

// BenchmarkPayouts pays out 1,000 merchants with 100 payables each, all due at once. It measures the tick that plans
// the payouts, the messages that run them, and the tick after the bank's answer, with the whole SDK over the table in
// memory.
//
// The cost grows linearly with payables and merchants. A payout of n payables takes one transaction to open, ⌈n/32⌉ to
// take the payables, two for the bank and ⌈n/49⌉ to apply the outcome. For 100 payables that is 0.1 transactions per
// payable, and for many payables 0.05. Besides these transactions a payout of any size makes about a dozen calls. Steps
// of one merchant's payout run one after another, because each step is the payout's next version. Merchants are
// independent, so more runners (Lambda's concurrency) shorten the wall time until the table's throughput is reached.
// TestPayouts_OpenInTime measures when the payouts of very many merchants are open.
//
// A payable takes about 1 ms of CPU, mostly in the SDK and the engine. The table takes some 5 GB of memory.
func BenchmarkPayouts(b *testing.B) {
	w := world.New(b)
	sample := takePaidSample(b, w)
	recreateWithoutStream(b, w.App.Store)
	for round := 0; b.Loop(); round++ {
		b.StopTimer()
		storePayables(b, w, sample, round)
		w.Clock.Advance(24 * time.Hour)
		w.Main().Meter.Reset()
		b.StartTimer()
		for range 2 { // the second tick applies the bank's answer
			w.RunPayouts()
			w.Clock.Advance(16 * time.Minute)
		}
		b.StopTimer()
		checkAndReport(b, w, round+1)
		b.StartTimer()
	}
}

// checkAndReport reports the round's cost, and fails if payables are left or took too many transactions.
func checkAndReport(b *testing.B, w *world.World, rounds int) {
	b.Helper()
	const payables = paidMerchants * payablesEach
	calls, transactions := takeCalls(w)
	_, table := w.App.Store.Raw()
	waiting, err := table.Scan().Filter("begins_with(pk, ?)", "PAYABLE#").Count(b.Context())
	if err != nil || waiting != 0 {
		b.Fatalf("got %d payables that wait, error %v; want none", waiting, err)
	}
	perPayable := float64(transactions) / payables
	if perPayable > 0.1 {
		b.Errorf("got %.3f transactions a payable, want at most 0.1", perPayable)
	}
	b.ReportMetric(perPayable, "transactions/payable")
	b.ReportMetric(float64(calls)/payables, "calls/payable")
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(rounds)/payables, "µs/payable")
}

// takeCalls returns the number of the platform's calls to the table and of the transactions among them. It resets both.
func takeCalls(w *world.World) (calls, transactions int) {
	all := w.Main().Meter.Reset().Calls
	for _, call := range all {
		if call == "TransactWriteItems" {
			transactions++
		}
	}
	return len(all), transactions
}

// takePaidSample makes a payment and removes its transaction and payable from the table. It returns both as a sample.
func takePaidSample(b *testing.B, w *world.World) []map[string]types.AttributeValue {
	b.Helper()
	w.Shop().Sell("10.10")
	_, table := w.App.Store.Raw()
	var items []map[string]types.AttributeValue
	err := table.Scan().Filter("begins_with(sk, ?) OR begins_with(sk, ?)", "TRANSACTION#",
		"CREDIT#").All(b.Context(), &items)
	if err != nil || len(items) != 2 {
		b.Fatalf("got %d items, error %v; want 2", len(items), err)
	}
	for _, item := range items {
		keys := dynamo.Keys{item["pk"].(*types.AttributeValueMemberS).Value, item["sk"].(*types.AttributeValueMemberS).Value}
		if err := table.Delete("pk", keys[0]).Range("sk", keys[1]).Run(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	return items
}

// recreateWithoutStream recreates the table without a stream. With a stream the engine would keep all changes of a day
// in memory.
func recreateWithoutStream(b testing.TB, s *store.Store) {
	b.Helper()
	db, table := s.Raw()
	name := aws.String(table.Name())
	was, err := db.Client().DescribeTable(b.Context(), &dynamodb.DescribeTableInput{TableName: name})
	if err == nil {
		_, err = db.Client().DeleteTable(b.Context(), &dynamodb.DeleteTableInput{TableName: name})
	}
	if err != nil {
		b.Fatal(err)
	}
	as := &dynamodb.CreateTableInput{TableName: name, KeySchema: was.Table.KeySchema,
		AttributeDefinitions: was.Table.AttributeDefinitions,
		BillingMode:          types.BillingModePayPerRequest}
	for _, index := range was.Table.GlobalSecondaryIndexes {
		as.GlobalSecondaryIndexes = append(as.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: index.IndexName, KeySchema: index.KeySchema, Projection: index.Projection})
	}
	if _, err := db.Client().CreateTable(b.Context(), as); err != nil {
		b.Fatal(err)
	}
}

// storePayables stores copies of the sample for each merchant in batches, because taking the payments would last far
// longer than the benchmark.
func storePayables(b *testing.B, w *world.World, sample []map[string]types.AttributeValue, round int) {
	b.Helper()
	code := sample[0]["transaction_code"].(*types.AttributeValueMemberS).Value
	id := sample[0]["transaction_id"].(*types.AttributeValueMemberS).Value
	_, table := w.App.Store.Raw()
	var batch []any
	for m := range paidMerchants {
		merchant := fmt.Sprintf("MC%08d", m)
		for payable := range payablesEach {
			names := strings.NewReplacer(w.Merchant.Code, merchant, code, fmt.Sprintf("T%03d%02d%04d", round, payable, m),
				id, fmt.Sprintf("%08d-0000-4000-8000-%04d%08d", payable, round, m))
			for _, item := range sample {
				batch = append(batch, withNames(item, names))
			}
			if len(batch) > 22 || payable == payablesEach-1 {
				if _, err := table.Batch("pk", "sk").Write().Put(batch...).Run(b.Context()); err != nil {
					b.Fatal(err)
				}
				batch = nil
			}
		}
		if round == 0 {
			schedulePayouts(b, w, merchant)
		}
	}
}

func schedulePayouts(b *testing.B, w *world.World, code string) {
	b.Helper()
	_, err := banking.Open(w.App).ChangeMerchant(b.Context(), world.ByTest, code, func(s merchant.State) (merchant.State,
		error) {
		return s.WithSchedule(identity.Test, merchant.PayoutSchedule{
			To: merchant.BankAccount{Holder: "Shop", IBAN: sandbox.PaidIBAN, Status: merchant.BankAccountVerified}}), nil
	})
	if err != nil {
		b.Fatal(err)
	}
}
