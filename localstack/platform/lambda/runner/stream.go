package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/cashwrap/cashwrap/localstack/platform/lambda/filter"
)

// The stream's event source mapping, as the CDK app configures it.
const (
	streamBatch    = 100                    // maximum number of records per call
	streamAttempts = 5                      // per record; then the record is skipped, and left to the sweep
	streamInterval = 250 * time.Millisecond // between reads of an idle shard, as in Lambda
	firstPause     = 100 * time.Millisecond // before the second attempt; doubles each time
)

// stream reads the table's stream in order, shard by shard, parents first.
type stream struct {
	client   *dynamodbstreams.Client
	arn      string
	region   string
	function *function
	filter   filter.Filter // drops records that the function does not want
	calls    *calls
	manual   bool
	log      *slog.Logger

	mu       sync.Mutex // allows one reader at a time
	shards   map[string]*shard
	order    []string // ids in order of discovery
	caughtUp bool     // the last pass left no work
}

type shard struct {
	parent   string
	iterator *string // nil until requested
	after    string  // sequence number of the last handled record; "" at the start
	closed   bool    // completely read
}

// DrainStream delivers and counts all records. It retries failing records, and later skips and logs them. It returns
// the engine's errors.
func (r *Runner) DrainStream(ctx context.Context) (records int, err error) {
	if r.stream == nil {
		return 0, nil
	}
	for {
		n, err := r.stream.readShards(ctx)
		records += n
		if err != nil || n == 0 && r.stream.caughtUp {
			return records, err
		}
	}
}

// open discovers the shards. If skip is true, the stream starts at the ends of the shards.
func (s *stream) open(ctx context.Context, skip bool) error {
	if err := s.discover(ctx, skip); err != nil || !skip {
		return err
	}
	for _, id := range s.order {
		if err := s.seek(ctx, id, types.ShardIteratorTypeLatest); err != nil {
			return err
		}
	}
	return nil
}

// discover adds new shards. If skip is true, shards that are already complete count as read.
func (s *stream) discover(ctx context.Context, skip bool) error {
	in := &dynamodbstreams.DescribeStreamInput{StreamArn: aws.String(s.arn)}
	for {
		out, err := s.client.DescribeStream(ctx, in)
		if err != nil {
			return err
		}
		for _, found := range out.StreamDescription.Shards {
			id := aws.ToString(found.ShardId)
			if s.shards[id] != nil {
				continue
			}
			complete := found.SequenceNumberRange != nil && found.SequenceNumberRange.EndingSequenceNumber != nil
			s.shards[id] = &shard{parent: aws.ToString(found.ParentShardId), closed: skip && complete}
			s.order = append(s.order, id)
		}
		if in.ExclusiveStartShardId = out.StreamDescription.LastEvaluatedShardId; in.ExclusiveStartShardId == nil {
			return nil
		}
	}
}

func (s *stream) poll(ctx context.Context) {
	for ctx.Err() == nil {
		n, err := s.readShards(ctx)
		if err != nil && ctx.Err() == nil {
			s.log.ErrorContext(ctx, "stream not read", "error", err)
		}
		if n == 0 || err != nil {
			pause(ctx, streamInterval)
		}
	}
}

// readShards reads each open shard once and returns the number of records.
func (s *stream) readShards(ctx context.Context) (records int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.caughtUp = true
	if err := s.discover(ctx, false); err != nil {
		return 0, err
	}
	for _, id := range s.order {
		n, err := s.readShard(ctx, id)
		records += n
		if err != nil {
			return records, err
		}
	}
	return records, nil
}

// readShard reads a shard once. It skips a shard that is completely read, and a shard whose parent is not yet
// completely read.
func (s *stream) readShard(ctx context.Context, id string) (int, error) {
	sh := s.shards[id]
	if parent := s.shards[sh.parent]; sh.closed || parent != nil && !parent.closed {
		return 0, nil
	}
	if sh.iterator == nil {
		if err := s.seek(ctx, id, types.ShardIteratorTypeTrimHorizon); err != nil {
			return 0, err
		}
	}
	if sh.iterator == nil { // the stream trimmed the shard's position
		return 0, nil
	}
	out, err := s.client.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: sh.iterator,
		Limit: aws.Int32(streamBatch)})
	if _, expired := errors.AsType[*types.ExpiredIteratorException](err); expired || sh.resetIfTrimmed(err) {
		sh.iterator, s.caughtUp = nil, false // the next pass requests an iterator again
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if err := s.deliver(ctx, sh, out.Records); err != nil {
		sh.iterator = nil
		return 0, err
	}
	sh.iterator, sh.closed = out.NextShardIterator, out.NextShardIterator == nil
	if sh.closed { // its children can be read now
		s.caughtUp = false
	}
	return len(out.Records), nil
}

// resetIfTrimmed checks for the error of a trimmed position. In that case it resets the position to the oldest record.
func (sh *shard) resetIfTrimmed(err error) bool {
	if _, trimmed := errors.AsType[*types.TrimmedDataAccessException](err); !trimmed {
		return false
	}
	sh.after = ""
	return true
}

// seek requests the shard's iterator: after the last handled record, or at start if there is none.
func (s *stream) seek(ctx context.Context, id string, start types.ShardIteratorType) error {
	sh := s.shards[id]
	if sh.closed {
		return nil
	}
	in := &dynamodbstreams.GetShardIteratorInput{StreamArn: aws.String(s.arn), ShardId: aws.String(id),
		ShardIteratorType: start}
	if sh.after != "" {
		in.ShardIteratorType, in.SequenceNumber = types.ShardIteratorTypeAfterSequenceNumber, aws.String(sh.after)
	}
	out, err := s.client.GetShardIterator(ctx, in)
	if sh.resetIfTrimmed(err) {
		s.caughtUp = false // the next pass requests an iterator again
		return nil
	}
	if err != nil {
		return err
	}
	sh.iterator = out.ShardIterator
	return nil
}

// deliver calls the function until all records are handled, or skipped after streamAttempts. It returns ctx's error.
func (s *stream) deliver(ctx context.Context, sh *shard, batch []types.Record) error {
	var records []events.DynamoDBEventRecord
	for _, record := range batch {
		if r := StreamRecord(record, s.arn, s.region); s.filter.Match(r) {
			records = append(records, r)
		}
	}
	for attempt := 1; len(records) > 0; attempt++ {
		handled := s.send(records)
		if handled == 0 && attempt == streamAttempts {
			s.log.ErrorContext(ctx, "stream record skipped", "sequence", records[0].Change.SequenceNumber)
			handled = 1
		}
		if handled > 0 {
			sh.after = records[handled-1].Change.SequenceNumber
			records, attempt = records[handled:], 0
			continue
		}
		if !s.manual {
			pause(ctx, firstPause<<(attempt-1))
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if n := len(batch); n > 0 {
		sh.after = aws.ToString(batch[n-1].Dynamodb.SequenceNumber)
	}
	return nil
}

// send makes one call and returns how many records it handled, counted from the first.
func (s *stream) send(records []events.DynamoDBEventRecord) (handled int) {
	reply, err := send[events.DynamoDBEventResponse](s.calls.ctx, s.calls, s.function,
		events.DynamoDBEvent{Records: records})
	if err != nil {
		return 0
	}
	handled = len(records)
	for _, failure := range reply.BatchItemFailures {
		at := slices.IndexFunc(records, func(r events.DynamoDBEventRecord) bool {
			return r.Change.SequenceNumber == failure.ItemIdentifier
		})
		handled = min(handled, max(at, 0)) // as in Lambda, an unknown id fails the whole batch
	}
	return handled
}

// pause waits for d or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// StreamRecord converts a record to the form of Lambda's events.
func StreamRecord(r types.Record, arn, region string) events.DynamoDBEventRecord {
	change := r.Dynamodb
	record := events.DynamoDBEventRecord{
		AWSRegion: region, EventID: aws.ToString(r.EventID), EventName: string(r.EventName),
		EventSource: "aws:dynamodb", EventVersion: "1.1", EventSourceArn: arn,
		Change: events.DynamoDBStreamRecord{
			Keys: image(change.Keys), NewImage: image(change.NewImage), OldImage: image(change.OldImage),
			SequenceNumber: aws.ToString(change.SequenceNumber), SizeBytes: aws.ToInt64(change.SizeBytes),
			StreamViewType: string(change.StreamViewType),
		},
	}
	if at := change.ApproximateCreationDateTime; at != nil {
		record.Change.ApproximateCreationDateTime = events.SecondsEpochTime{Time: *at}
	}
	if by := r.UserIdentity; by != nil {
		record.UserIdentity = &events.DynamoDBUserIdentity{Type: aws.ToString(by.Type),
			PrincipalID: aws.ToString(by.PrincipalId)}
	}
	return record
}

func image(item map[string]types.AttributeValue) map[string]events.DynamoDBAttributeValue {
	if item == nil {
		return nil
	}
	values := make(map[string]events.DynamoDBAttributeValue, len(item))
	for name, v := range item {
		values[name] = attribute(v)
	}
	return values
}

// attribute converts a value. It panics on a type that DynamoDB does not have.
func attribute(v types.AttributeValue) events.DynamoDBAttributeValue {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return events.NewStringAttribute(v.Value)
	case *types.AttributeValueMemberN:
		return events.NewNumberAttribute(v.Value)
	case *types.AttributeValueMemberB:
		return events.NewBinaryAttribute(v.Value)
	case *types.AttributeValueMemberBOOL:
		return events.NewBooleanAttribute(v.Value)
	case *types.AttributeValueMemberNULL:
		return events.NewNullAttribute()
	case *types.AttributeValueMemberSS:
		return events.NewStringSetAttribute(v.Value)
	case *types.AttributeValueMemberNS:
		return events.NewNumberSetAttribute(v.Value)
	case *types.AttributeValueMemberBS:
		return events.NewBinarySetAttribute(v.Value)
	case *types.AttributeValueMemberL:
		list := make([]events.DynamoDBAttributeValue, len(v.Value))
		for i, element := range v.Value {
			list[i] = attribute(element)
		}
		return events.NewListAttribute(list)
	case *types.AttributeValueMemberM:
		return events.NewMapAttribute(image(v.Value))
	case nil: // DynamoDB Local's stream sends this for an empty map
		return events.NewMapAttribute(map[string]events.DynamoDBAttributeValue{})
	default:
		panic(fmt.Sprintf("runner: attribute of type %T", v))
	}
}
