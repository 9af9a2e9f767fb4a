package relay_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/filter"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/outbox"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// kinds lists six kinds of records that can be due, and two kinds that are never due.
var kinds = []store.Kind{store.KindCallback, store.KindMail, store.KindCheckout, store.KindTransaction,
	store.KindPayout, store.KindPayoutSchedule, store.KindJournal, store.KindPayable}

// TestFilter_PassesDueRecords checks that the filter passes due records. It tries random callbacks, mails, checkouts
// and events under keys of several kinds. Each world also checks at its end that the filter passes no other record.
func TestFilter_PassesDueRecords(t *testing.T) {
	t.Parallel()
	passes, err := filter.New(store.FastPathFilter)
	if err != nil {
		t.Fatal(err)
	}
	met := map[bool]int{}
	rapid.Check(t, func(r *rapid.T) {
		item, err := dynamo.MarshalItem(anyValue(t, r))
		if err != nil {
			r.Fatal(err)
		}
		kind := rapid.SampledFrom(kinds).Draw(r, "kind")
		item[store.PartitionKey] = &types.AttributeValueMemberS{Value: string(kind) + "#T#MC1#1"}
		item[store.SortKey] = &types.AttributeValueMemberS{Value: "EVENT#1"}
		text, err := attributevalue.MarshalMapJSON(item)
		if err != nil {
			r.Fatal(err)
		}
		var record events.DynamoDBEventRecord
		if err = json.Unmarshal(text, &record.Change.NewImage); err != nil {
			r.Fatal(err)
		}
		_, at, err := store.FastPath(item)
		if err != nil {
			r.Fatal(err)
		}
		got := passes.Match(record)
		if want := !at.IsZero(); want && !got {
			r.Errorf("got a record kept out that a message at %v is wanted for, want it passed", at)
		}
		met[got]++
	})
	if met[true] == 0 || met[false] == 0 {
		t.Errorf("got %v records that pass or not, want both", met)
	}
}

// anyValue returns a random callback, mail, checkout or event. The fields that decide whether it is due are random.
func anyValue(t *testing.T, r *rapid.T) any {
	when := func(name string) time.Time {
		return rapid.SampledFrom([]time.Time{{}, time.Unix(1_800_000_000, 0).UTC(),
			time.Unix(1_900_000_000, 1).UTC()}).Draw(r, name)
	}
	switch rapid.IntRange(0, 3).Draw(r, "value") {
	case 0:
		c := storedtest.Fill[payments.Callback](t, &storedtest.Filler{})
		c.State = rapid.SampledFrom([]string{outbox.Pending, outbox.Delivered, outbox.Dead,
			""}).Draw(r, "state")
		c.Sweeps, c.NextAt, c.SweptAt = rapid.IntRange(0, 2).Draw(r, "sweeps"), when("next"), when("swept")
		return c
	case 1:
		c := storedtest.Fill[payments.Checkout](t, &storedtest.Filler{})
		c.Attempt.State = rapid.SampledFrom([]payments.AttemptState{payments.AttemptPending, payments.AttemptRequiresAction,
			payments.AttemptClosed}).Draw(r, "attempt")
		c.Attempt.UnknownSince, c.Attempt.NextPoll = when("unknown"), when("poll")
		c.Creator = payments.Creator{} // payments.Event has this field as a string
		if rapid.Bool().Draw(r, "none") {
			c.Attempt = nil
		}
		return c
	case 2:
		m := storedtest.Fill[mail.Mail](t, &storedtest.Filler{})
		m.State = rapid.SampledFrom([]string{outbox.Pending, outbox.Sending, outbox.Delivered, outbox.Dropped, outbox.Dead,
			""}).Draw(r, "state")
		m.Sweeps, m.NextAt, m.SweptAt = rapid.IntRange(0, 2).Draw(r, "sweeps"), when("next"), when("swept")
		return m
	default:
		e := storedtest.Fill[payments.Event](t, &storedtest.Filler{})
		e.Status = rapid.SampledFrom([]payments.EventStatus{payments.EventBegun, payments.EventPending,
			payments.EventWithdrawn, payments.EventFailed, payments.EventRefunded, payments.EventScheduled,
			""}).Draw(r, "status")
		e.UnknownSince, e.NextPoll = when("unknown"), when("poll")
		return e
	}
}
