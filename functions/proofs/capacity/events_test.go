package capacity_test

import (
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

// paidOut is how many payments the payout is of that is measured: as many as
// it takes at once.
const paidOut = 32

// measured is a scenario whose calls and items are measured.
type measured struct{ *examples.Scenario }

// measureEvents adds what no request does, and what stays.
func (c *capacity) measureEvents(t *testing.T) {
	one := measured{examples.New(t)}
	one.SetPayout(map[string]any{"holder": "Kaffeehaus", "iban": sandbox.PaidIBAN})
	one.RunUntilIdle() // the owner gets a mail about the account
	one.MustPay(one.Create("10.10", nil), one.Card(world.Frictionless))
	c.use("a callback is delivered", one.deliver())
	for range paidOut - 1 {
		one.MustPay(one.Create("10.10", map[string]any{"return_url": nil}), one.Card(world.Frictionless))
	}
	before := one.left()
	c.use(fmt.Sprintf("%d payments are paid out", paidOut), one.payOut(paidOut))
	c.stays("a checkout is paid by card", paidOnce(t))
	c.stays(fmt.Sprintf("%d payments are paid out, in addition", paidOut), one.left().less(before))
	c.stays("a file is uploaded", uploadedOnce(t))
	c.items = typicalItems(t)
}

// typicalItems are the items of one payment in the states in which they are written: with a description and texts as
// long as usual, at a time that is no whole second, as times are.
func typicalItems(t *testing.T) (items []itemSize) {
	one := measured{examples.New(t)}
	one.SetPayout(map[string]any{"holder": "Kaffeehaus", "iban": sandbox.PaidIBAN})
	one.Clock.Advance(123456789 * time.Nanosecond)
	add := func(state string, kinds ...store.Kind) {
		for _, kind := range kinds {
			n := one.sizeOfOnly(kind)
			items = append(items, itemSize{string(kind) + ", " + state, n})
			if n > unitBytes {
				t.Errorf("%s, %s: got %d bytes, want %d at most: each write of it costs twice as much", kind, state, n, unitBytes)
			}
		}
	}
	one.Open(map[string]any{"checkout_reference": "0f8fad5b-d9cb-469f-a165-70867728950e",
		"description": strings.Repeat("espresso! ", 10), "return_url": "https://example.com/callbacks",
		"redirect_url": "https://shop.example/thank-you"})
	add("created", store.KindCheckout, store.KindReference)
	one.claim()
	add("claimed", store.KindCheckout)
	one.Clock.Advance(2 * time.Minute) // after which the sweep finds that the acquirer knows of no charge
	one.RunUntilIdle()
	one.Must(200, one.Do(one.ByCard(world.Frictionless)))
	add("paid", store.KindCheckout, store.KindTransaction, store.KindJournal, store.KindPayable, store.KindCallback)
	one.payOut(1)
	add("paid out", store.KindTransaction, store.KindPayout, store.KindPayoutRecords)
	return items
}

// claim claims the checkout for an attempt by card, as a process that dies before it charges the card.
func (t measured) claim() {
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

// unitBytes are what one write unit covers.
const unitBytes = 1024

// sizeOfOnly is the size of the only item of the kind, or of the largest.
func (t measured) sizeOfOnly(kind store.Kind) (n int) {
	t.eachItem(func(item map[string]types.AttributeValue) {
		p, _ := store.ParsePartition(item[store.PartitionKey].(*types.AttributeValueMemberS).Value)
		if p.Kind == kind {
			n = max(n, sizeOf(item))
		}
	})
	return n
}

// deliver brings the callback that is owed to its receiver.
func (t measured) deliver() world.Use {
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

// payOut pays the merchant so many payments on the next day: the payout is planned
// and ordered, and a while later the bank is asked.
func (t measured) payOut(n int) world.Use {
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

// paidOnce is what a payment by card leaves; its addresses have the same
// length in each run.
func paidOnce(t *testing.T) size {
	one := measured{examples.New(t)}
	one.MustPay(one.Create("10.10", nil), one.Card(world.Frictionless)) // once an hour it is noted that the key is used
	before := one.left()
	order := one.Create("10.10", map[string]any{"return_url": "https://example.com/hooks"})
	one.MustPay(order, one.Card(world.Frictionless))
	return one.left().less(before)
}

// uploadedOnce is what stays of a file.
func uploadedOnce(t *testing.T) size {
	one := measured{examples.New(t)}
	one.UploadedFile(world.PDF, nil) // the first of a merchant also has its count made
	before := one.left()
	one.UploadedFile(world.PDF, nil)
	return one.left().less(before)
}

// size is that of items.
type size struct{ items, bytes, inIndexes int }

func (s size) less(o size) size {
	return size{s.items - o.items, s.bytes - o.bytes, s.inIndexes - o.inIndexes}
}

// perItem is what DynamoDB adds to each item, for the bill.
const perItem = 100

// left is the size of all that the platform has stored by now.
func (t measured) left() size {
	var s size
	t.eachItem(s.add)
	return s
}

// eachItem does something with each item that the platform has stored by now.
func (t measured) eachItem(do func(map[string]types.AttributeValue)) {
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

// sizeOfValue is by DynamoDB's published rules.
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
	default: // a Boolean or null
		return 1
	}
}
