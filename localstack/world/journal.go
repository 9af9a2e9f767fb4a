package world

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
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
		for _, leg := range entry.Legs {
			currency := leg.Amount.Currency()
			sum, ok := sums[tenant+" "+string(currency)]
			if !ok {
				sum = money.Zero(currency)
			}
			sum, err := sum.Add(leg.Amount)
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
func (w *World) Balance(m Merchant, a payments.Account, c money.Currency) money.Amount {
	w.Helper()
	balance := money.Zero(c)
	for tenant, entry := range w.journal() {
		for _, leg := range entry.Legs {
			if tenant != "T#"+m.Code || leg.Account != a || leg.Amount.Currency() != c {
				continue
			}
			var err error
			if balance, err = balance.Add(leg.Amount); err != nil {
				w.Fatal(err)
			}
		}
	}
	return balance
}

// journal walks all entries with their tenants, as stored.
func (w *World) journal() func(yield func(string, payments.Entry) bool) {
	return func(yield func(string, payments.Entry) bool) {
		for item := range w.stored("") {
			pk, _ := item["pk"].(*types.AttributeValueMemberS)
			if pk == nil {
				continue
			}
			tenant, _, ok := strings.Cut(pk.Value, "#JOURNAL#")
			if !ok {
				continue
			}
			var entry payments.Entry
			if err := dynamo.UnmarshalItem(item, &entry); err != nil {
				w.Errorf("journal: %v", err)
			}
			if !yield(tenant, entry) {
				return
			}
		}
	}
}
