package runner

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/app"
)

var errFailed = errors.New("failed")

// onlyItems matches the records of the tests' items. The runner also records the birth of an index in the table.
var onlyItems = []map[string]any{{"dynamodb": map[string]any{"NewImage": map[string]any{"sk": map[string]any{
	"S": []any{"ITEM"}}}}}}

// reader returns a function that follows the stream and appends the key of each record to seen. The call fails if the
// function fails returns true. The parameter before counts how often the key was seen earlier.
func reader(seen *[]string, fails func(key string, before int) bool) []functions.Function {
	handle := func(*app.App) func(context.Context, events.DynamoDBEventRecord) error {
		return func(_ context.Context, record events.DynamoDBEventRecord) error {
			key := partition(record)
			before := 0
			for _, k := range *seen {
				if k == key {
					before++
				}
			}
			*seen = append(*seen, key)
			if fails(key, before) {
				return errFailed
			}
			return nil
		}
	}
	return []functions.Function{{Name: "relay", Stream: &functions.Follower{Handle: handle, Filter: onlyItems},
		Timeout: time.Minute}}
}

func never(string, int) bool { return false }

func TestDrainStream_OrderAndRetry(t *testing.T) {
	t.Parallel()
	var seen []string
	c := newConfig(t)
	c.Functions = reader(&seen, func(key string, before int) bool { return key == "2" && before < 2 })
	r := startRunner(t, c)
	drain(t, r.DrainStream) // the birth of an index
	put(t, r, "1", "2", "3")
	if n := drain(t, r.DrainStream); n != 3 {
		t.Errorf("got %d records, want 3", n)
	}
	if want := []string{"1", "2", "2", "2", "3"}; !slices.Equal(seen, want) {
		t.Errorf("got seen %v, want %v", seen, want)
	}
	if n := drain(t, r.DrainStream); n != 0 {
		t.Errorf("got %d records again, want none", n)
	}
	put(t, r, "4")
	if n := drain(t, r.DrainStream); n != 1 || seen[len(seen)-1] != "4" {
		t.Errorf("got %d records, seen %v; want 1, and 4 seen after a pause", n, seen)
	}
}

func TestDrainStream_PoisonRecord(t *testing.T) {
	t.Parallel()
	var seen []string
	c := newConfig(t)
	c.Functions = reader(&seen, func(key string, _ int) bool { return key == "poison" })
	r := startRunner(t, c)
	put(t, r, "1", "poison", "2")
	drain(t, r.DrainStream)
	// One call handles record 1 and then fails on the poison record. Then streamAttempts calls begin with the poison
	// record.
	want := append([]string{"1"}, slices.Repeat([]string{"poison"}, 1+streamAttempts)...)
	if want = append(want, "2"); !slices.Equal(seen, want) {
		t.Errorf("got seen %v, want %v", seen, want)
	}
}

func TestStart_SkipBacklog(t *testing.T) {
	t.Parallel()
	c := newConfig(t)
	var first, again, rest []string
	c.Functions = reader(&first, never)
	r := startRunner(t, c)
	put(t, r, "1")
	drain(t, r.DrainStream)
	r.Stop()

	c.Functions = reader(&again, never)
	drain(t, startRunner(t, c).DrainStream)
	c.SkipBacklog, c.Functions = true, reader(&rest, never)
	r = startRunner(t, c)
	put(t, r, "2")
	drain(t, r.DrainStream)
	for name, got := range map[string][2][]string{
		"first": {first, {"1"}}, "again": {again, {"1"}}, "skipping": {rest, {"2"}},
	} {
		if !slices.Equal(got[0], got[1]) {
			t.Errorf("%s: got seen %v, want %v", name, got[0], got[1])
		}
	}
}

// TestDrainStream_Filter also checks that dropped records are not read again if later ones fail.
func TestDrainStream_Filter(t *testing.T) {
	t.Parallel()
	var seen []string
	c := newConfig(t)
	c.Functions = reader(&seen, func(key string, before int) bool { return key == "2" && before < 2 })
	only := func(keys ...any) []map[string]any {
		return []map[string]any{{"dynamodb": map[string]any{"NewImage": map[string]any{"pk": map[string]any{"S": keys}}}}}
	}
	c.Functions[0].Stream.Filter = only("2", "4")
	r := startRunner(t, c)
	drain(t, r.DrainStream) // the birth of an index
	put(t, r, "1", "2", "3", "4", "5")
	if n := drain(t, r.DrainStream); n != 5 {
		t.Errorf("got %d records read, want 5", n)
	}
	if want := []string{"2", "2", "2", "4"}; !slices.Equal(seen, want) {
		t.Errorf("got seen %v, want %v", seen, want)
	}
	c.Functions[0].Stream.Filter = only(map[string]any{"prefix": "2"})
	if _, err := Start(t.Context(), c); err == nil || !strings.Contains(err.Error(), "prefix") {
		t.Errorf("got error %v, want one of the pattern's prefix", err)
	}
}

// TestStreamRecord_EmptyMap also checks the form in DynamoDB Local's stream.
func TestStreamRecord_EmptyMap(t *testing.T) {
	t.Parallel()
	for _, v := range []types.AttributeValue{nil, &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{}}} {
		if got := attribute(v); got.DataType() != events.DataTypeMap || len(got.Map()) != 0 {
			t.Errorf("%v: got %v, want an empty map", v, got)
		}
	}
}

func TestStream_Poll(t *testing.T) {
	t.Parallel()
	records := make(chan events.DynamoDBEventRecord, 1)
	c := newConfig(t)
	c.Manual = false
	handle := func(*app.App) func(context.Context, events.DynamoDBEventRecord) error {
		return func(_ context.Context, record events.DynamoDBEventRecord) error {
			records <- record
			return nil
		}
	}
	c.Functions = []functions.Function{{Name: "relay", Timeout: time.Minute,
		Stream: &functions.Follower{Handle: handle, Filter: onlyItems}}}
	r := startRunner(t, c)
	put(t, r, "1")
	got := <-records
	if got.EventID == "" || got.Change.SequenceNumber == "" || got.Change.ApproximateCreationDateTime.IsZero() {
		t.Errorf("got %+v, want an id, a number and a time in it", got)
	}
	got.EventID, got.Change.SequenceNumber, got.Change.SizeBytes = "", "", 0
	got.Change.ApproximateCreationDateTime = events.SecondsEpochTime{}
	key := map[string]events.DynamoDBAttributeValue{"pk": events.NewStringAttribute("1"),
		"sk": events.NewStringAttribute("ITEM")}
	image := map[string]events.DynamoDBAttributeValue{
		"tags":    events.NewListAttribute([]events.DynamoDBAttributeValue{events.NewStringAttribute("a")}),
		"count":   events.NewNumberAttribute("7"),
		"inner":   events.NewMapAttribute(map[string]events.DynamoDBAttributeValue{"yes": events.NewBooleanAttribute(true)}),
		"nothing": events.NewMapAttribute(map[string]events.DynamoDBAttributeValue{})}
	maps.Copy(image, key)
	want := events.DynamoDBEventRecord{AWSRegion: Region, EventName: "INSERT", EventSource: "aws:dynamodb",
		EventSourceArn: got.EventSourceArn, EventVersion: "1.1", Change: events.DynamoDBStreamRecord{Keys: key,
			NewImage: image, StreamViewType: "NEW_IMAGE"}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(events.DynamoDBAttributeValue{})); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	r.Stop()
}
