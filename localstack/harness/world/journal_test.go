package world_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
)

// complaints counts the errors of a test and does not fail the test.
type complaints struct {
	testing.TB
	count int
}

func (c *complaints) Errorf(string, ...any) { c.count++ }

// TestCheckJournal_Unbalanced checks that CheckJournal notices invalid entries in the table, which no constructor would
// make.
func TestCheckJournal_Unbalanced(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	_, table := w.App.Store.Raw()
	type item struct {
		PK string `dynamo:"pk"`
		SK string `dynamo:"sk"`
		ledger.Entry
	}
	posting := func(a ledger.Account, amount string) ledger.Posting {
		return ledger.Posting{Account: a, Amount: money.MustParse(amount, "EUR")}
	}
	for _, c := range []struct {
		postings []ledger.Posting
		wrong    bool
	}{
		{[]ledger.Posting{posting(ledger.MerchantPayable, "1"), posting(ledger.AcquirerReceivable, "-1")}, false},
		{[]ledger.Posting{posting(ledger.MerchantPayable, "1"), posting(ledger.AcquirerReceivable, "-1.01")}, true},
		{[]ledger.Posting{posting(ledger.MerchantPayable, "1")}, true},
	} {
		entry := item{PK: "JOURNAL#T#" + w.Merchant.Code + "#T000000000", SK: "payment#x", Entry: ledger.Entry{
			ID: "x", Kind: ledger.Payment, About: ledger.OfTransaction("x"), Postings: c.postings}}
		if err := table.Put(entry).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		reported := &complaints{TB: t}
		w.TB = reported
		w.CheckJournal()
		w.TB = t
		if (reported.count > 0) != c.wrong {
			t.Errorf("%v: got %d complaints, want some: %t", c.postings, reported.count, c.wrong)
		}
		if err := table.Delete("pk", entry.PK).Range("sk", entry.SK).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
