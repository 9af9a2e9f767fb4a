package world

import (
	"iter"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/store"
)

// CheckJournal fails the test unless each entry of each tenant's journal sums
// to zero in every currency, and with it each tenant's whole journal. A world
// checks it at its end; a test may at any step.
func (w *World) CheckJournal() {
	w.Helper()
	sums := map[string]money.Amount{} // by tenant and currency
	for tenant, entry := range w.journal() {
		if err := entry.Check(); err != nil {
			w.Errorf("journal of %s: %v", tenant, err)
		}
		for _, posting := range entry.Postings {
			currency := posting.Amount.Currency()
			sum, ok := sums[tenant+" "+string(currency)]
			if !ok {
				sum = money.Zero(currency)
			}
			sum, err := sum.Add(posting.Amount)
			if err != nil {
				w.Fatalf("journal of %s: %v", tenant, err)
			}
			sums[tenant+" "+string(currency)] = sum
		}
	}
	for of, sum := range sums {
		if !sum.IsZero() {
			w.Errorf("the journal of %s is off by %s", of, sum)
		}
	}
}

// Balance is the sum of an account over the merchant's journal in test mode;
// debits are positive. An account without entries has no money at all.
func (w *World) Balance(m Merchant, a ledger.Account, c money.Currency) money.Amount {
	w.Helper()
	balance := money.Zero(c)
	for tenant, entry := range w.journal() {
		for _, posting := range entry.Postings {
			if tenant != "T#"+m.Code || posting.Account != a || posting.Amount.Currency() != c {
				continue
			}
			var err error
			balance, err = balance.Add(posting.Amount)
			w.must(err)
		}
	}
	return balance
}

// journal walks all entries with their tenants, as stored.
func (w *World) journal() func(yield func(string, ledger.Entry) bool) {
	return func(yield func(string, ledger.Entry) bool) {
		for of, item := range w.partitions() {
			if of.Kind != store.KindJournal {
				continue
			}
			var entry ledger.Entry
			if err := dynamo.UnmarshalItem(item, &entry); err != nil {
				w.Errorf("journal: %v", err)
			}
			if !yield(of.Tenant.String(), entry) {
				return
			}
		}
	}
}

// partitions walks all items in partitions of the platform's own, as stored.
func (w *World) partitions() iter.Seq2[store.Partition, map[string]types.AttributeValue] {
	return func(yield func(store.Partition, map[string]types.AttributeValue) bool) {
		for item := range w.stored("") {
			pk, _ := item["pk"].(*types.AttributeValueMemberS)
			if pk == nil {
				continue
			}
			if of, ok := store.ParsePartition(pk.Value); ok && !yield(of, item) {
				return
			}
		}
	}
}

// LoseEntries deletes what the journal has about a payout in test mode, or about a
// transaction, by its code: for tests of what notices.
func (s Shop) LoseEntries(name string) {
	s.Helper()
	_, table := s.App.Store.Raw()
	var lost []struct {
		PK string `dynamo:"pk"`
		SK string `dynamo:"sk"`
	}
	partition := string(store.KindJournal) + "#" + s.Tenant().String() + "#" + name
	err := table.Get(store.PartitionKey, partition).All(s.Context(), &lost)
	if err != nil || len(lost) == 0 {
		s.Fatalf("%s: got entries %v, error %v; want some", name, lost, err)
	}
	for _, k := range lost {
		s.must(table.Delete(store.PartitionKey, k.PK).Range(store.SortKey, k.SK).Run(s.Context()))
	}
}
