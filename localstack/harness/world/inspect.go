package world

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/reconcile"
)

// CheckoutRecords counts the records of one checkout: the platform's transactions, and the captures of the acquirer,
// which is a counterparty.
type CheckoutRecords struct {
	Transactions map[string]int // number of transactions, by status
	Captured     int            // number of captures over all attempts
}

// CheckoutRecords reads the platform's and the acquirer's records. It counts the acquirer's capture entries, not the
// status of the charges.
func (w *World) CheckoutRecords(checkoutID string) CheckoutRecords {
	records := CheckoutRecords{Transactions: map[string]int{}}
	charges, captures := map[string]bool{}, map[string]int{}
	for item := range w.readItems() {
		pk, sk := item["pk"].(string), item["sk"].(string)
		ours := item["checkout_id"] == checkoutID
		switch {
		case strings.HasPrefix(sk, "TRANSACTION#") && ours:
			status, _ := item["status"].(string)
			records.Transactions[status]++
		case strings.HasPrefix(pk, "SANDBOX#CHARGE#") && strings.HasPrefix(sk, "CAPTURE#"):
			captures[pk]++
		case strings.HasPrefix(pk, "SANDBOX#CHARGE#") && ours:
			charges[pk] = true
		}
	}
	for pk := range charges {
		records.Captured += captures[pk]
	}
	return records
}

// PassMinute moves the clock by a minute, runs the sweep, and then handles the messages in the queues.
func (w *World) PassMinute() {
	w.Helper()
	w.Clock.Advance(time.Minute + time.Second)
	w.RunUntilIdle()
}

// RunUntilIdle runs the sweep at the present time. Then it empties the stream and the queues until they stay empty.
func (w *World) RunUntilIdle() {
	w.Helper()
	w.Tick("sweep")
	for w.Relay() > 0 {
	}
}

// Tick runs a scheduled function now.
func (w *World) Tick(function string) {
	w.Helper()
	if err := w.main.TickNow(w.Context(), function); err != nil {
		w.Errorf("%s: %v", function, err)
	}
}

// Relay empties the stream and then the queues, once, and returns the number of records and messages.
func (w *World) Relay() int {
	w.Helper()
	records := w.ReadStream()
	return records + w.DrainQueues()
}

// ReadStream lets the function relay read the table's stream, and returns the number of records.
func (w *World) ReadStream() int {
	w.Helper()
	records, err := w.main.DrainStream(w.Context())
	if err != nil {
		w.Errorf("stream: %v", err)
	}
	return records
}

// DrainQueues gives functions all messages of their queues, and returns the number of messages.
func (w *World) DrainQueues() int {
	w.Helper()
	messages, err := w.main.DrainQueues(w.Context())
	if err != nil {
		w.Errorf("queues: %v", err)
	}
	return messages
}

// CountItems counts the items of the table that satisfy a condition, such as "sk = ?".
func (w *World) CountItems(condition string, values ...any) int {
	w.Helper()
	_, table := w.App.Store.Raw()
	n, err := table.Scan().Filter(condition, values...).Count(w.Context())
	w.must(err)
	return n
}

// Reconcile runs the nightly reconciliation now.
func (w *World) Reconcile() reconcile.Report {
	w.Helper()
	var report reconcile.Report
	answer, err := w.main.Invoke(w.Context(), "reconcile", json.RawMessage(`{"whole":true}`))
	if err == nil {
		err = json.Unmarshal(answer, &report)
	}
	w.must(err)
	return report
}

// LagIndexes makes the table's indexes lag from now on, as can happen on AWS. Indexes of DynamoDB Local never lag.
func (w *World) LagIndexes(by time.Duration) {
	if engine, ok := w.table.(*dynamodb.Engine); ok {
		engine.SetIndexLag(by)
	}
}

// busy is the number of new entries in ten seconds after which a throttled shard grows (store.Config).
const busy = 5

// LimitPartitions limits the write units of each partition of the table in a second of the world's clock. With 0 there
// is no limit.
func (w *World) LimitPartitions(units int) *faults.Partitions {
	if limited, ok := w.table.(*faults.Partitions); ok {
		w.table = limited.Next
	}
	limited := &faults.Partitions{Next: w.table, Units: units, Now: w.Clock.Now}
	if units > 0 {
		w.table = limited
	}
	return limited
}
