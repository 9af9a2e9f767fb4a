package capacity_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/harness/examples"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
	"github.com/cashwrap/cashwrap/shared/store"
)

// paidOutCount is the number of payments in the measured payout. It is the most payments that a payout takes at once.
const paidOutCount = 32

// measuredScenario is a scenario whose calls and items are measured.
type measuredScenario struct{ *examples.Scenario }

// measureEvents measures events without a request, and the items that remain.
func (c *capacity) measureEvents(t *testing.T) {
	one := measuredScenario{examples.New(t)}
	one.SetPayout(map[string]any{"holder": "Kaffeehaus", "iban": sandbox.PaidIBAN})
	one.RunUntilIdle() // sends the owner a mail about the account
	for range 2 {
		one.reconcile() // proves the whole table, and then all of the merchant
	}
	unchanged, nightly := one.reconcile()
	one.MustPay(one.Create("10.10", nil), one.Card(world.Frictionless))
	c.addUse("a callback is delivered", one.deliver())
	for range paidOutCount - 1 {
		one.MustPay(one.Create("10.10", map[string]any{"return_url": nil}), one.Card(world.Frictionless))
	}
	created, lines := one.reconcile()
	before := one.totalSize()
	c.addUse(fmt.Sprintf("%d payments are paid out", paidOutCount), one.payOut(paidOutCount))
	proven := fmt.Sprintf("%d payments are proven in the night after ", paidOutCount)
	c.addUse(proven+"their creation", created.Minus(unchanged))
	c.addRemains("a checkout is paid by card", payOnce(measuredScenario{examples.New(t)}))
	c.addRemains("a checkout is paid by card at Stripe", payOnce(measuredScenario{newLiveFixture(t).Scenario}))
	c.addRemains(fmt.Sprintf("%d payments are paid out, in addition", paidOutCount), one.totalSize().minus(before))
	c.addRemains(fmt.Sprintf("%d payments are proven, in addition", paidOutCount), lines.minus(nightly))
	paid, _ := one.reconcile()
	c.addUse(proven+"their payout", paid.Minus(unchanged))
	c.addRemains("a file is uploaded", uploadOnce(t))
	c.addTypicalItems(t)
}

// addTypicalItems makes one payment, and adds the sizes of the payment's items in each state that is written. The
// payment has a description and texts of usual length. Its times have fractions of a second, like most times.
func (c *capacity) addTypicalItems(t *testing.T) {
	one := measuredScenario{examples.New(t)}
	one.SetPayout(map[string]any{"holder": "Kaffeehaus", "iban": sandbox.PaidIBAN})
	one.Clock.Advance(123456789 * time.Nanosecond)
	add := func(state string, kinds ...store.Kind) {
		for _, kind := range kinds {
			c.addItem(t, string(kind)+", "+state, one.sizeOfLargest(kind))
		}
	}
	one.Open(map[string]any{"checkout_reference": "0f8fad5b-d9cb-469f-a165-70867728950e",
		"description": strings.Repeat("espresso! ", 10), "return_url": "https://example.com/callbacks",
		"redirect_url": "https://shop.example/thank-you"})
	add("created", store.KindCheckout, store.KindReference)
	one.claim()
	add("claimed", store.KindCheckout)
	one.Clock.Advance(2 * time.Minute) // then the sweep learns that the acquirer knows no charge
	one.RunUntilIdle()
	one.Must(200, one.Do(one.ByCard(world.Frictionless)))
	add("paid", store.KindCheckout, store.KindTransaction, store.KindJournal, store.KindPayable, store.KindCallback)
	one.payOut(1)
	add("paid out", store.KindTransaction, store.KindPayout, store.KindPayoutRecords)
}

// claim claims the checkout for an attempt by card, like a process that dies before it charges the card.
func (t measuredScenario) claim() {
	t.Helper()
	c, err := t.App.Store.Checkout(t.Context(), t.Tenant(), t.CheckoutID)
	if err != nil {
		t.Fatal(err)
	}
	c, err = c.Begin(payments.Attempt{ID: uuid.NewString(), Operation: uuid.NewString(), Method: payments.CardMethod,
		PaymentType: payments.CardMethod.PaymentType(), Card: &payments.CardSummary{Brand: "VISA", LastFour: "0091",
			ExpiryMonth: 12, ExpiryYear: 2030}}, t.App.Processing.Source(c.ID, true, "session", "address"), t.Clock.Now())
	if err == nil {
		_, err = t.App.Store.SaveCheckout(t.Context(), t.Tenant(), c)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// unitBytes is the number of bytes that one write unit covers.
const unitBytes = 1024

// sizeOfLargest returns the size of the largest item of the kind.
func (t measuredScenario) sizeOfLargest(kind store.Kind) (n int) {
	t.eachItem(func(item map[string]types.AttributeValue) {
		p, _ := store.ParsePartition(item[store.PartitionKey].(*types.AttributeValueMemberS).Value)
		if p.Kind == kind {
			n = max(n, sizeOf(item))
		}
	})
	return n
}

// deliver delivers the waiting callback to its receiver.
func (t measuredScenario) deliver() world.Use {
	t.ReadStream()
	relayed := t.Relayed()
	t.Main().Meter.Reset()
	t.DrainQueues()
	if n := len(t.Receiver.Deliveries()); n != 1 {
		t.Errorf("got %d callbacks delivered, want 1", n)
	}
	use := t.Main().Meter.Reset()
	use.Relayed = t.Relayed() - relayed
	return use
}

// payOut pays the merchant n payments on the next day. The payout is planned and ordered, and the bank is polled later.
func (t measuredScenario) payOut(n int) world.Use {
	t.Main().Meter.Reset()
	for _, wait := range []time.Duration{24 * time.Hour, 16 * time.Minute} {
		t.Clock.Advance(wait)
		t.RunPayouts()
	}
	for id, p := range t.PayoutState(t.Merchant).Payouts {
		if p.Status != payout.Paid || p.Records != n {
			t.Errorf("payout %s: got %s of %d payments, want %s of %d", id, p.Status, p.Records, payout.Paid, n)
		}
	}
	return t.Main().Meter.Reset()
}

// reconcile lets the run of a night prove what has changed. It also returns the size of what the night leaves.
func (t measuredScenario) reconcile() (world.Use, size) {
	before := t.totalSize()
	t.Clock.Advance(time.Hour)
	t.Main().Meter.Reset()
	if _, err := t.Main().Invoke(t.Context(), "reconcile", json.RawMessage("{}")); err != nil {
		t.Fatal(err)
	}
	t.DrainQueues()
	return t.Main().Meter.Reset(), t.totalSize().minus(before)
}

// payOnce returns the size of the items that a payment by card leaves. The payment's return_url has the same length in
// each run.
func payOnce(one measuredScenario) size {
	one.MustPay(one.Create("10.10", nil), one.Card(world.Frictionless)) // records the key's use, once an hour
	before := one.totalSize()
	order := one.Create("10.10", map[string]any{"return_url": "https://example.com/hooks"})
	one.MustPay(order, one.Card(world.Frictionless))
	return one.totalSize().minus(before)
}

// uploadOnce returns the size of the items that a file leaves.
func uploadOnce(t *testing.T) size {
	one := measuredScenario{examples.New(t)}
	one.UploadedFile(world.PDF, nil) // a merchant's first file also creates its count
	before := one.totalSize()
	one.UploadedFile(world.PDF, nil)
	return one.totalSize().minus(before)
}

// size is the size of some items, in the table and in indexes.
type size struct{ items, bytes, inIndexes int }

func (s size) minus(o size) size {
	return size{s.items - o.items, s.bytes - o.bytes, s.inIndexes - o.inIndexes}
}

// perItem is the number of bytes that DynamoDB adds to each item for the bill.
const perItem = 100

// totalSize returns the size of all items that the platform has stored so far.
func (t measuredScenario) totalSize() size {
	var s size
	t.eachItem(s.add)
	return s
}

// eachItem calls do with each item that the platform has stored so far.
func (t measuredScenario) eachItem(do func(map[string]types.AttributeValue)) {
	db, table := t.App.Store.Raw()
	pages := dynamodb.NewScanPaginator(db.Client(), &dynamodb.ScanInput{TableName: aws.String(table.Name())})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range page.Items {
			pk := item[store.PartitionKey].(*types.AttributeValueMemberS).Value
			if !strings.HasPrefix(pk, "SANDBOX#") && !strings.HasPrefix(pk, "TERMINAL#") {
				do(item)
			}
		}
	}
}

func (s *size) add(item map[string]types.AttributeValue) {
	s.items++
	s.bytes += perItem + sizeOf(item)
	for _, index := range store.Indexes {
		if item[index.Partition] == nil {
			continue
		}
		s.inIndexes += perItem
		for _, name := range append([]string{store.PartitionKey, store.SortKey, index.Partition, index.Sort},
			index.Include...) {
			if v, ok := item[name]; ok {
				s.inIndexes += len(name) + sizeOfValue(v)
			}
		}
	}
}

func sizeOf(item map[string]types.AttributeValue) (n int) {
	for name, v := range item {
		n += len(name) + sizeOfValue(v)
	}
	return n
}

// sizeOfValue returns the size of a value by DynamoDB's published rules.
func sizeOfValue(v types.AttributeValue) int {
	const structure, element = 3, 1
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return len(v.Value)
	case *types.AttributeValueMemberN:
		return (len(strings.Trim(v.Value, "-.0"))+1)/2 + 1
	case *types.AttributeValueMemberB:
		return len(v.Value)
	case *types.AttributeValueMemberL:
		n := structure
		for _, each := range v.Value {
			n += element + sizeOfValue(each)
		}
		return n
	case *types.AttributeValueMemberM:
		return structure + element*len(v.Value) + sizeOf(v.Value)
	default: // Boolean or null
		return 1
	}
}
