package store_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
	"github.com/cashwrap/cashwrap/shared/store"
)

// openEmpty opens an empty table.
func openEmpty(t *testing.T) *store.Store {
	t.Helper()
	now := clock.New()
	s := store.Open(store.Config{Table: "cashwrap", Region: "eu-central-1", Endpoint: "http://dynamodb.test", Now: now.Now,
		Credentials: credentials.NewStaticCredentialsProvider("any", "none", ""),
		HTTP:        &http.Client{Transport: dynamodb.New(dynamodb.Config{Now: now.Now})}})
	if err := s.CreateTable(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// openChanges opens an empty table whose index of changes is born at the start.
func openChanges(t *testing.T) *store.Store {
	t.Helper()
	s := openEmpty(t)
	if recorded, err := s.RecordChangesBirth(t.Context(), start); err != nil || !recorded {
		t.Fatalf("got %t, %v, want the birth recorded", recorded, err)
	}
	return s
}

// openOlder opens an empty table that an older version created, without the index of changes.
func openOlder(t *testing.T) *store.Store {
	t.Helper()
	s := openEmpty(t)
	db, table := s.Raw()
	name := aws.String(table.Name())
	was, err := db.Client().DescribeTable(t.Context(), &sdk.DescribeTableInput{TableName: name})
	if err == nil {
		_, err = db.Client().DeleteTable(t.Context(), &sdk.DeleteTableInput{TableName: name})
	}
	older := &sdk.CreateTableInput{TableName: name, BillingMode: types.BillingModePayPerRequest}
	for _, index := range was.Table.GlobalSecondaryIndexes {
		if *index.IndexName != "changes" {
			older.GlobalSecondaryIndexes = append(older.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
				IndexName: index.IndexName, KeySchema: index.KeySchema, Projection: index.Projection})
		}
	}
	older.KeySchema = was.Table.KeySchema
	older.AttributeDefinitions = slices.DeleteFunc(was.Table.AttributeDefinitions, func(a types.AttributeDefinition) bool {
		return strings.HasPrefix(*a.AttributeName, "changes_")
	})
	if err == nil {
		_, err = db.Client().CreateTable(t.Context(), older)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// change changes the transaction, as a refund does.
func (w shopFixture) change(tx *payments.Transaction, at time.Time) {
	w.Helper()
	tx.UpdatedAt, tx.ChangedAt = at, at
	w.write(tx)
}

// changedSince returns the ids of a walk. It fails unless the index can tell the changes.
func (w shopFixture) changedSince(t testing.TB, r store.Range, since time.Time) []string {
	t.Helper()
	changes, err := w.ChangesSince(w.Context(), tenant, w.shards, r, since, 1000)
	if err != nil || !changes.Found {
		t.Fatalf("since %s: got %t, %v, want the index to tell", since, changes.Found, err)
	}
	return ids(t, changes.History(w.Context(), r, 5, 1000))
}

// TestChangesSince compares the walk with all items: times, ranges and orders are drawn. Many items were created
// or changed in the same millisecond.
func TestChangesSince(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 4} {
		t.Run(fmt.Sprintf("%d shards", shards), func(t *testing.T) {
			t.Parallel()
			w := shopFixture{t, openChanges(t), shards}
			var items []store.Bound
			changed := map[string]time.Time{}
			for i := range 40 {
				tx := w.sale(start.Add(time.Duration(i%5)*time.Millisecond), "Tea")
				for n := range i % 3 {
					w.change(&tx, start.Add(time.Duration(i%7+n)*time.Millisecond))
				}
				items = append(items, store.Bound{At: tx.CreatedAt, ID: tx.ID})
				changed[tx.ID] = tx.UpdatedAt
			}
			slices.SortFunc(items, oldestFirst)
			rapid.Check(t, func(t *rapid.T) {
				r := store.Range{Oldest: drawBound(t, "oldest", items), Newest: drawBound(t, "newest", items),
					NewestFirst: rapid.Bool().Draw(t, "newest first")}
				since := start.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "since")) * 500 * time.Microsecond)
				want := []string{}
				for _, item := range items {
					if inRange(r, item) && (!item.At.Before(since) || !changed[item.ID].Before(since)) {
						want = append(want, item.ID)
					}
				}
				if r.NewestFirst {
					slices.Reverse(want)
				}
				if got := w.changedSince(w, r, since); !slices.Equal(got, want) {
					t.Fatalf("since %s, %+v: got %v, want %v", since, r, got, want)
				}
			})
		})
	}
}

// TestChangesSince_Payout checks that a payout's payments are listed from the time when the payout changed the
// first of them. The deduction that the payout also settles is no item of the history.
func TestChangesSince_Payout(t *testing.T) {
	t.Parallel()
	w := shopFixture{t, openChanges(t), 1}
	paid, other := w.sale(start, "Tea"), w.sale(start.Add(time.Second), "Tea")
	w.change(&other, start.Add(time.Hour)) // before the payout
	p := w.collect(paid.CreatedAt, paid, other)
	settledAt := start.Add(2 * time.Hour)
	for since, want := range map[time.Time][]string{start.Add(time.Hour): {other.ID}, settledAt: {}} {
		if got := w.changedSince(t, store.Range{}, since); !slices.Equal(got, want) {
			t.Errorf("collected, since %s: got %v, want %v", since, got, want)
		}
	}
	w.settle(p, settledAt)
	for since, want := range map[time.Time][]string{settledAt: {paid.ID, other.ID},
		settledAt.Add(time.Millisecond): {}, start.Add(time.Millisecond): {paid.ID, other.ID}} {
		if got := w.changedSince(t, store.Range{}, since); !slices.Equal(got, want) {
			t.Errorf("settled, since %s: got %v, want %v", since, got, want)
		}
	}
}

// collect writes a payout with a record of each transaction, and a record of a deduction. The records say that the
// transactions were created at the time.
func (w shopFixture) collect(created time.Time, all ...payments.Transaction) payout.Payout {
	w.Helper()
	p := payout.New(payout.ID(tenant.String(), "EUR", "2026-11-21", payout.Regular), "EUR", "2026-11-21", start, start)
	if err := w.CreatePayout(w.Context(), tenant, p); err != nil {
		w.Fatal(err)
	}
	c := payout.Collection{Payout: p}
	for i, tx := range all {
		record := payout.Record{PayoutID: p.ID, Day: p.Day, Status: payout.RecordOpen, Payable: payments.Payable{
			ID: fmt.Sprint(tx.ID, "#1"), Kind: payments.PayablePart, TransactionID: tx.ID, Code: tx.Code, Shard: tx.Shard,
			Amount: tx.Amount, Fee: tx.Fee}}
		if !created.IsZero() {
			record.TransactionAt = created.Add(time.Duration(i) * time.Second)
		}
		c.Records = append(c.Records, record)
	}
	deduction := c.Records[0]
	deduction.ID, deduction.Kind, deduction.TransactionAt = "deduction", payments.PayableRefundDeduction, time.Time{}
	c.Records = append(c.Records, deduction)
	p, err := w.CollectPayout(w.Context(), tenant, c)
	if err != nil {
		w.Fatal(err)
	}
	return p
}

// settle records that the payout is paid, and ends it.
func (w shopFixture) settle(p payout.Payout, at time.Time) {
	w.Helper()
	records, err := w.RecordsWithoutOutcome(w.Context(), tenant, p, 100)
	if err != nil {
		w.Fatal(err)
	}
	for i := range records {
		records[i].Status = payout.RecordSuccessful
	}
	p.Status, p.ChangedAt = payout.Paying, at
	p, err = w.ApplyPayoutOutcome(w.Context(), tenant, payout.OutcomeStep{Payout: p, Records: records})
	if err != nil {
		w.Fatal(err)
	}
	p.Status = payout.Paid
	if _, err = w.StepPayout(w.Context(), tenant, payout.Step{Payout: p}); err != nil {
		w.Fatal(err)
	}
}

// TestChangesSince_Unknown lists the cases in which the index cannot tell the changes.
func TestChangesSince_Unknown(t *testing.T) {
	t.Parallel()
	later := start.Add(time.Minute)
	for name, c := range map[string]struct {
		open func(*testing.T) *store.Store
		// dated is true if payout records say when their payments were created.
		dated         bool
		changed, paid int
		since         time.Time
		want          bool
	}{
		"no birth":             {openEmpty, true, 1, 0, later, false},
		"no index":             {openOlder, true, 1, 0, later, false},
		"before the birth":     {nil, true, 1, 1, start.Add(-time.Millisecond), false},
		"at the maximum":       {nil, true, 2, 2, later, true},
		"more changes":         {nil, true, 5, 0, later, false},
		"more records":         {nil, true, 0, 4, later, false}, // and a deduction
		"more of both":         {nil, true, 3, 2, later, false},
		"undated record":       {nil, false, 1, 1, later, false},
		"undated, not changed": {nil, false, 1, 1, later.Add(2 * time.Hour), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.open == nil {
				c.open = openChanges
			}
			w := shopFixture{t, c.open(t), 1}
			var paid []payments.Transaction
			for i := range c.changed + c.paid {
				tx := w.sale(start.Add(time.Duration(i)*time.Second), "Tea")
				if i < c.changed {
					w.change(&tx, later)
				} else {
					paid = append(paid, tx)
				}
			}
			if created := start; len(paid) > 0 {
				if !c.dated {
					created = time.Time{}
				}
				w.settle(w.collect(created, paid...), later.Add(time.Hour))
			}
			changes, err := w.ChangesSince(t.Context(), tenant, 1, store.Range{}, c.since, 4)
			if err != nil || changes.Found != c.want {
				t.Errorf("got %t, %v, want %t", changes.Found, err, c.want)
			}
		})
	}
}

// TestRecordChangesBirth checks that the first time stays, and that a table without the index has none.
func TestRecordChangesBirth(t *testing.T) {
	t.Parallel()
	if recorded, err := openOlder(t).RecordChangesBirth(t.Context(), start); err != nil || recorded {
		t.Errorf("without the index: got %t, %v, want no birth", recorded, err)
	}
	w := shopFixture{t, openChanges(t), 1}
	if recorded, err := w.RecordChangesBirth(t.Context(), start.Add(time.Hour)); err != nil || !recorded {
		t.Errorf("again: got %t, %v, want it recorded", recorded, err)
	}
	w.changedSince(t, store.Range{}, start)
}
