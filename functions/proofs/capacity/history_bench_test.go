package capacity_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"
	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

const longHistory = 100_000

// BenchmarkHistory reads from a history of 100,000 transactions. It reads pages of 100 from the middle of the history,
// and one transaction's detail.
func BenchmarkHistory(b *testing.B) {
	w := world.New(b)
	middle := storeCopies(b, w, storeSale(b, w), longHistory)[longHistory/2]
	merchant := "/v2.1/merchants/" + w.Merchant.Code + "/transactions"
	for name, path := range map[string]string{
		"page of 100":        merchant + "/history?limit=100&oldest_ref=" + middle.ID,
		"page of 100, empty": merchant + "/history?limit=100&types[]=REFUND&oldest_ref=" + middle.ID, // reads 25,000 entries
		"detail by code":     merchant + "?transaction_code=" + middle.Code,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				request := httptest.NewRequestWithContext(b.Context(), http.MethodGet, path, nil)
				request.Header.Set("Authorization", "Bearer "+w.Merchant.Key.Plaintext)
				response := httptest.NewRecorder()
				if w.Main().Handler().ServeHTTP(response, request); response.Code != http.StatusOK {
					b.Fatalf("%s: got %d %s, want 200", path, response.Code, response.Body)
				}
			}
		})
	}
}

// storeSale stores a transaction as the platform does.
func storeSale(b *testing.B, w *world.World) payments.Transaction {
	b.Helper()
	tenant := identity.Tenant{Mode: identity.Test, Merchant: w.Merchant.Code}
	amount, none := money.MustParse("10.10", "EUR"), money.Zero("EUR")
	checkout, err := w.App.Store.CreateCheckout(b.Context(), tenant,
		payments.Checkout{ID: uuid.NewString(), Reference: "order",
			Amount: amount, Status: payments.CheckoutPending, CreatedAt: world.Start})
	if err != nil {
		b.Fatal(err)
	}
	id := uuid.NewString()
	t := payments.Transaction{CheckoutTransaction: payments.CheckoutTransaction{ID: id,
		Code: payments.CodeOfID(id), Amount: amount,
		Status: payments.TransactionSuccessful, PaymentType: "ECOM", EntryMode: "CUSTOMER_ENTRY", Installments: 1,
		MerchantCode: w.Merchant.Code,
		CreatedAt:    world.Start}, CheckoutID: checkout.ID,
		Username: "till@shop.example", ProductSummary: "Two coffees",
		Card: &payments.CardSummary{Brand: "VISA", LastFour: "0091"}, Captured: amount, Refundable: amount, Refunded: none,
		ChargedBack: none, Fee: none, PayoutPlan: merchant.SinglePayment, UpdatedAt: world.Start, Version: 1,
		Payouts: []payments.PayoutPart{{Seq: 1, Number: 1, Amount: amount, Fee: none, Deducted: none,
			Status: payments.EventScheduled, EligibleAt: world.Start}}}
	if _, err := w.App.Store.Apply(b.Context(), tenant,
		payments.CheckoutChange{Checkout: checkout, Transaction: &t}); err != nil {
		b.Fatal(err)
	}
	return t
}

// storeCopies stores copies of a transaction, a millisecond apart.
func storeCopies(b *testing.B, w *world.World, t payments.Transaction, many int) []payments.Transaction {
	b.Helper()
	sample := takeItem(b, w, t)
	return storeCopiesOf(b, w, t, many, func(int) dynamo.Item { return sample })
}

// takeItem returns a transaction's item as stored.
func takeItem(b *testing.B, w *world.World, t payments.Transaction) dynamo.Item {
	b.Helper()
	_, table := w.App.Store.Raw()
	var stored []dynamo.Item
	err := table.Scan().Filter("sk = ?", "TRANSACTION#"+t.ID).All(b.Context(), &stored)
	if err != nil || len(stored) != 1 {
		b.Fatalf("got %d items, error %v; want 1", len(stored), err)
	}
	return stored[0]
}

// storeCopiesOf stores copies of a transaction, a millisecond apart. The i-th is a copy of the item that item returns.
// It writes the items in batches, because writing each transaction like the platform would take far longer than the
// benchmark.
func storeCopiesOf(b *testing.B, w *world.World, t payments.Transaction, many int,
	item func(i int) dynamo.Item) []payments.Transaction {
	b.Helper()
	_, table := w.App.Store.Raw()
	made := make([]payments.Transaction, many)
	const writers = 4
	errs := make([]error, writers)
	var group sync.WaitGroup
	for n := range writers {
		group.Go(func() {
			for i := n; i < many && errs[n] == nil; {
				var items []any
				for ; i < many && len(items) < 1000; i += writers {
					c := t
					c.ID = uuid.NewString()
					c.Code, c.CreatedAt = payments.CodeOfID(c.ID), t.CreatedAt.Add(time.Duration(i+1)*time.Millisecond)
					made[i], items = c, append(items, withNames(item(i), strings.NewReplacer(t.ID, c.ID, t.Code, c.Code,
						t.CreatedAt.Format(time.RFC3339Nano), c.CreatedAt.Format(time.RFC3339Nano),
						fmt.Sprint(t.CreatedAt.UnixMicro()), fmt.Sprint(c.CreatedAt.UnixMicro())))) // the form in keys
				}
				_, errs[n] = table.Batch().Write().Put(items...).Run(b.Context())
			}
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		b.Fatal(err)
	}
	return made
}

// withNames returns a copy of an item with names replaced in all its texts.
func withNames(item map[string]types.AttributeValue, names *strings.Replacer) dynamo.Item {
	clone := dynamo.Item{}
	for name, value := range item {
		if text, ok := value.(*types.AttributeValueMemberS); ok {
			value = &types.AttributeValueMemberS{Value: names.Replace(text.Value)}
		}
		clone[name] = value
	}
	return clone
}
