package world

import (
	"context"
	"iter"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/filter"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/runner"
	"github.com/cashwrap/cashwrap/shared/store"
)

// checkFilter checks that relay gets exactly the writes that it needs. If a needed write is missing, its message is a
// minute late. Each write that relay does not need costs a call.
func (w *World) checkFilter() {
	if enginetest.OnDynamoDBLocal() { // DynamoDB Local is slow, and the filter is not part of it
		return
	}
	passes, err := filter.New(store.FastPathFilter)
	w.must(err)
	for record, change := range w.readChanges(nil) {
		image, err := attributevalue.FromDynamoDBStreamsMap(change.Dynamodb.NewImage)
		w.must(err)
		due, at, err := store.FastPath(image)
		if got, want := passes.Match(record), !at.IsZero(); err == nil && got != want {
			w.Errorf("filter: got %t for a record of %v, for which relay sends %+v at %v; want %t", got,
				image[store.PartitionKey], due, at, want)
		}
	}
}

// Relayed returns the number of records in the table's stream that relay gets, since the world began.
func (w *World) Relayed() int {
	w.Helper()
	passes, err := filter.New(store.FastPathFilter)
	w.must(err)
	for record, change := range w.readChanges(w.relayedTo) {
		w.relayedTo = change.Dynamodb.SequenceNumber
		if passes.Match(record) {
			w.relayed++
		}
	}
	return w.relayed
}

// readChanges yields the records of the stream's only shard after a sequence number, or all records if the number is
// nil. It yields each record in Lambda's form and in the service's form.
func (w *World) readChanges(after *string) iter.Seq2[events.DynamoDBEventRecord, types.Record] {
	return func(yield func(events.DynamoDBEventRecord, types.Record) bool) {
		ctx := context.WithoutCancel(w.Context()) // the test's context has ended when cleanups run
		client := dynamodbstreams.NewFromConfig(w.App.AWS(w.App.DynamoDBEndpoint))
		list, err := client.ListStreams(ctx, &dynamodbstreams.ListStreamsInput{TableName: &w.App.Table})
		w.must(err)
		arn := list.Streams[0].StreamArn
		stream, err := client.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: arn})
		w.must(err)
		from := &dynamodbstreams.GetShardIteratorInput{StreamArn: arn, SequenceNumber: after,
			ShardId:           stream.StreamDescription.Shards[0].ShardId,
			ShardIteratorType: types.ShardIteratorTypeAfterSequenceNumber}
		if after == nil {
			from.ShardIteratorType = types.ShardIteratorTypeTrimHorizon
		}
		start, err := client.GetShardIterator(ctx, from)
		w.must(err)
		for at := start.ShardIterator; ; {
			page, err := client.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: at})
			w.must(err)
			for _, record := range page.Records {
				if !yield(runner.StreamRecord(record, aws.ToString(arn), w.App.Region), record) {
					return
				}
			}
			if at = page.NextShardIterator; len(page.Records) == 0 {
				return
			}
		}
	}
}
