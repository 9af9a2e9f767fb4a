package world

import (
	"iter"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/ledger"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/store"
)

// CheckJournal checks that each entry sums to zero in every currency. A world calls it when the world ends. A test can
// call it at any time.
func (w *World) CheckJournal() {
	w.Helper()
	booked := map[string]sums{} // by tenant
	for tenant, entry := range w.readJournal() {
		if err := entry.Check(); err != nil {
			w.Errorf("journal of %s: %v", tenant, err)
		}
		if booked[tenant] == nil {
			booked[tenant] = sums{}
		}
		for _, posting := range entry.Postings {
			booked[tenant].add(w, posting.Amount)
		}
	}
	for tenant, all := range booked {
		for currency, sum := range all {
			if !sum.IsZero() {
				w.Errorf("the journal of %s is off by %s %s", tenant, sum, currency)
			}
		}
	}
}

// Balance returns the sum of an account over the merchant's journal in test mode. Debits are positive.
func (w *World) Balance(m Merchant, a ledger.Account, c money.Currency) money.Amount {
	w.Helper()
	return w.sumAccount("T#"+m.Code, a).of(c)
}

// sumAccount returns the sums of an account in a tenant's journal, by currency. Credits are negative.
func (w *World) sumAccount(tenant string, a ledger.Account) sums {
	booked := sums{}
	for of, entry := range w.readJournal() {
		for _, posting := range entry.Postings {
			if of == tenant && posting.Account == a {
				booked.add(w, posting.Amount)
			}
		}
	}
	return booked
}

func (w *World) readJournal() iter.Seq2[string, ledger.Entry] {
	return func(yield func(string, ledger.Entry) bool) {
		for of, item := range w.readPartitions() {
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

func (w *World) readPartitions() iter.Seq2[store.Partition, dynamo.Item] {
	return func(yield func(store.Partition, dynamo.Item) bool) {
		for _, item := range w.scanItems() {
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

// LoseEntries deletes the journal of a payout in test mode, or of a transaction by its code.
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
