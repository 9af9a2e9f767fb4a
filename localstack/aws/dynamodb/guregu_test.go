package dynamodb_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
)

type posting struct {
	Merchant string   `dynamo:"pk,hash"`
	ID       string   `dynamo:"sk,range"`
	Status   string   `dynamo:"status" index:"by_status,hash"`
	Amount   int      `dynamo:"amount" index:"by_status,range"`
	Labels   []string `dynamo:"labels,set"`
}

// TestEngine_GureguClient checks that guregu/dynamo, the library that package store uses, works with the engine.
func TestEngine_GureguClient(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := dynamo.NewFromIface(newClient(dynamodb.New(dynamodb.Config{})))
	if err := db.CreateTable("postings", posting{}).OnDemand(true).Run(ctx); err != nil {
		t.Fatalf("CreateTable: %v", err)
	}
	table := db.Table("postings")
	all := []posting{
		{"m", "2026-01", "open", 30, []string{"a", "b"}}, {"m", "2026-02", "open", 10, []string{"c"}},
		{"m", "2027-01", "done", 20, []string{"d"}}}
	for _, p := range all {
		if err := table.Put(p).If("attribute_not_exists(pk)").Run(ctx); err != nil {
			t.Fatalf("Put: %v", err)
		}
	}
	if err := table.Put(all[0]).If("attribute_not_exists(pk)").Run(ctx); !dynamo.IsCondCheckFailed(err) {
		t.Errorf("second Put: got error %v, want a failed condition", err)
	}
	check := func(what string, err error, got, want any) {
		t.Helper()
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: got error %v, and (-want +got):\n%s", what, err, diff)
		}
	}
	var one posting
	err := table.Get("pk", "m").Range("sk", dynamo.Equal, "2026-01").Consistent(true).One(ctx, &one)
	check("one", err, one, all[0])
	var found []posting
	err = table.Get("pk", "m").Range("sk", dynamo.BeginsWith, "2026").Order(dynamo.Descending).All(ctx, &found)
	check("by prefix", err, found, []posting{all[1], all[0]})
	found = nil
	query := table.Get("status", "open").Index("by_status").Range("amount", dynamo.Between, 10,
		40).Filter("contains('labels', ?)", "a")
	err = query.All(ctx, &found)
	check("by index", err, found, all[:1])
	tx := db.WriteTx().Idempotent(true)
	tx.Update(table.Update("pk", "m").Range("sk", "2026-01").Add("amount", -5).If("'amount' >= ?", 5))
	tx.Delete(table.Delete("pk", "m").Range("sk", "2027-01"))
	tx.Check(table.Check("pk", "m").Range("sk", "2026-02").IfExists())
	if err = tx.Run(ctx); err != nil {
		t.Fatalf("WriteTx: %v", err)
	}
	found = nil
	all[0].Amount = 25
	err = table.Scan().All(ctx, &found)
	check("after the transaction", err, found, all[:2])
}
