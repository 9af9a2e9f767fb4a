package runner

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/app"
)

var errFailed = errors.New("failed")

// reader is a stream's function that notes the keys it sees; fails says whether this sight of a key fails.
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
	return []functions.Function{{Name: "relay", Stream: handle, Timeout: time.Minute}}
}

func never(string, int) bool { return false }

func TestAStreamsRecordsComeInOrderAndAFailureIsRetriedFromThere(t *testing.T) {
	t.Parallel()
	var seen []string
	c := newConfig(t)
	c.Functions = reader(&seen, func(key string, before int) bool { return key == "2" && before < 2 })
	r := startRunner(t, c)
	put(t, r, "1", "2", "3")
	if n := drain(t, r.DrainStream); n != 3 {
		t.Errorf("%d records, want 3", n)
	}
	if want := []string{"1", "2", "2", "2", "3"}; !slices.Equal(seen, want) {
		t.Errorf("seen %v, want %v", seen, want)
	}
	if n := drain(t, r.DrainStream); n != 0 {
		t.Errorf("%d records again", n)
	}
	put(t, r, "4")
	if n := drain(t, r.DrainStream); n != 1 || seen[len(seen)-1] != "4" {
		t.Errorf("%d records, seen %v; want 4 after a pause", n, seen)
	}
}

func TestARecordThatAlwaysFailsIsPassedOver(t *testing.T) {
	t.Parallel()
	var seen []string
	c := newConfig(t)
	c.Functions = reader(&seen, func(key string, _ int) bool { return key == "poison" })
	r := startRunner(t, c)
	put(t, r, "1", "poison", "2")
	drain(t, r.DrainStream)
	// Once behind a record that was handled, then streamAttempts times by itself.
	want := append([]string{"1"}, slices.Repeat([]string{"poison"}, 1+streamAttempts)...)
	if want = append(want, "2"); !slices.Equal(seen, want) {
		t.Errorf("seen %v, want %v", seen, want)
	}
}

func TestARestartReadsTheStreamAgainUnlessItsBacklogIsSkipped(t *testing.T) {
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
			t.Errorf("%s: seen %v, want %v", name, got[0], got[1])
		}
	}
}

// TestAnEmptyMapIsOne, also as DynamoDB Local's stream tells it.
func TestAnEmptyMapIsOne(t *testing.T) {
	t.Parallel()
	for _, v := range []types.AttributeValue{nil, &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{}}} {
		if got := attribute(v); got.DataType() != events.DataTypeMap || len(got.Map()) != 0 {
			t.Errorf("%v became %v", v, got)
		}
	}
}

func TestTheStreamIsPolled(t *testing.T) {
	t.Parallel()
	records := make(chan events.DynamoDBEventRecord, 1)
	c := newConfig(t)
	c.Manual = false
	c.Functions = []functions.Function{{Name: "relay", Timeout: time.Minute,
		Stream: func(*app.App) func(context.Context, events.DynamoDBEventRecord) error {
			return func(_ context.Context, record events.DynamoDBEventRecord) error {
				records <- record
				return nil
			}
		}}}
	r := startRunner(t, c)
	put(t, r, "1")
	record := <-records
	image := record.Change.NewImage
	if record.EventName != "INSERT" || record.EventSource != "aws:dynamodb" || record.AWSRegion != Region {
		t.Errorf("record %+v", record)
	}
	if image["count"].Number() != "7" || !image["inner"].Map()["yes"].Boolean() ||
		image["tags"].List()[0].String() != "a" {
		t.Errorf("image %+v", image)
	}
	r.Stop()
}
