package dynamodb_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
)

func queryByStatus(t testing.TB, client *sdk.Client, status string) []string {
	t.Helper()
	out, err := client.Query(context.Background(), &sdk.QueryInput{
		TableName: aws.String("ledger"), IndexName: aws.String("by_status"), KeyConditionExpression: aws.String("#s = :s"),
		ExpressionAttributeNames:  map[string]string{"#s": "status"},
		ExpressionAttributeValues: attributes{":s": str(status)}})
	if err != nil {
		t.Fatalf("Query: %v", err)
	}
	var found []string
	for _, item := range out.Items {
		found = append(found, textOf(item["sk"])+"="+textOf(item["amount"]))
	}
	return found
}

func TestIndex_NumericOrder(t *testing.T) {
	t.Parallel()
	_, client := newLedger(t, dynamodb.Config{})
	for i, amount := range []string{"10", "-3", "9", "-20", "0", "0.5", "-0.25", "100", "-3.1"} {
		put(t, client, entry("m", strconv.Itoa(i), "status", str("open"), "amount", num(amount)))
	}
	put(t, client, entry("m", "sparse", "status", str("open"))) // not in the index, since it has no amount
	if got, want := strings.Join(queryByStatus(t, client, "open"), " "),
		"3=-20 8=-3.1 1=-3 6=-0.25 4=0 5=0.5 2=9 0=10 7=100"; got != want {
		t.Errorf("index order: got %s, want %s", got, want)
	}
}

func TestIndex_Lag(t *testing.T) {
	t.Parallel()
	now := clock.New()
	_, client := newLedger(t, dynamodb.Config{Now: now.Now, IndexLag: 2 * time.Second})
	check := func(status, want string) {
		t.Helper()
		if got := strings.Join(queryByStatus(t, client, status), " "); got != want {
			t.Errorf("index of %s: got %q, want %q", status, got, want)
		}
	}
	put(t, client, entry("m", "a", "status", str("open"), "amount", num("1")))
	check("open", "")
	now.Advance(time.Second)
	put(t, client, entry("m", "a", "status", str("done"), "amount", num("2")))
	now.Advance(time.Second)
	check("open", "a=1")
	check("done", "")
	now.Advance(time.Second)
	check("open", "")
	check("done", "a=2")
}

func readRecords(t testing.TB, e *dynamodb.Engine, iteratorType streamtypes.ShardIteratorType) []streamtypes.Record {
	t.Helper()
	ctx := context.Background()
	client := dynamodbstreams.NewFromConfig(sdkConfig(e), func(o *dynamodbstreams.Options) {
		o.BaseEndpoint = aws.String("http://engine")
	})
	listed, err := client.ListStreams(ctx, &dynamodbstreams.ListStreamsInput{TableName: aws.String("ledger")})
	if err != nil {
		t.Fatalf("ListStreams: %v", err)
	}
	arn := listed.Streams[0].StreamArn
	described, err := client.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: arn})
	if err != nil {
		t.Fatalf("DescribeStream: %v", err)
	}
	iterator, err := client.GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{
		StreamArn: arn, ShardId: described.StreamDescription.Shards[0].ShardId, ShardIteratorType: iteratorType})
	if err != nil {
		t.Fatalf("GetShardIterator: %v", err)
	}
	page, err := client.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: iterator.ShardIterator})
	if err != nil {
		t.Fatalf("GetRecords: %v", err)
	}
	return page.Records
}

func enableTTL(t testing.TB, client *sdk.Client) {
	t.Helper()
	_, err := client.UpdateTimeToLive(context.Background(), &sdk.UpdateTimeToLiveInput{TableName: aws.String("ledger"),
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("expires"),
			Enabled: aws.Bool(true)}})
	if err != nil {
		t.Fatalf("UpdateTimeToLive: %v", err)
	}
}

func TestExpiry_LagAndStreamRecord(t *testing.T) {
	t.Parallel()
	now := clock.New()
	e, client := newLedger(t, dynamodb.Config{Now: now.Now, TTLLag: time.Hour})
	expires := num(strconv.FormatInt(now.Now().Add(time.Minute).Unix(), 10))
	put(t, client, entry("m", "before", "expires", expires))
	enableTTL(t, client)
	put(t, client, entry("m", "kept", "expires", expires))
	put(t, client, entry("m", "kept")) // no longer expires
	now.Advance(time.Hour)
	if fetch(t, client, "m", "before") == nil {
		t.Fatal("before the lag is over: got no item, want it")
	}
	now.Advance(time.Minute)
	if got := fetch(t, client, "m", "before"); got != nil {
		t.Errorf("after the lag: got %v, want no item", got)
	}
	if fetch(t, client, "m", "kept") == nil {
		t.Error("a deadline it no longer has: got no item, want it kept")
	}
	all := readRecords(t, e, streamtypes.ShardIteratorTypeTrimHorizon)
	last := all[len(all)-1]
	if last.EventName != streamtypes.OperationTypeRemove || last.UserIdentity == nil ||
		*last.UserIdentity.PrincipalId != "dynamodb.amazonaws.com" {
		t.Errorf("last record: got %s by %+v, want REMOVE by the service", last.EventName, last.UserIdentity)
	}
}

func TestStream_Retention(t *testing.T) {
	t.Parallel()
	now := clock.New()
	e, client := newLedger(t, dynamodb.Config{Now: now.Now})
	put(t, client, entry("m", "a"))
	now.Advance(time.Hour)
	put(t, client, entry("m", "b"))
	put(t, client, entry("m", "b")) // changes nothing, so adds no record
	if got := len(readRecords(t, e, streamtypes.ShardIteratorTypeTrimHorizon)); got != 2 {
		t.Errorf("got %d records, want 2", got)
	}
	now.Advance(23*time.Hour + time.Second)
	if got := readRecords(t, e, streamtypes.ShardIteratorTypeTrimHorizon); len(got) != 1 {
		t.Errorf("got %d records after a day, want 1", len(got))
	}
	if got := len(readRecords(t, e, streamtypes.ShardIteratorTypeLatest)); got != 0 {
		t.Errorf("LATEST: got %d old records, want none", got)
	}
}

func TestRoundTrip_ContextCancelled(t *testing.T) {
	t.Parallel()
	_, client := newLedger(t, dynamodb.Config{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := client.ListTables(ctx, &sdk.ListTablesInput{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want context.Canceled", err)
	}
}

func TestNewStream_SameInstant(t *testing.T) {
	t.Parallel()
	now := clock.New()
	e, client := newLedger(t, dynamodb.Config{Now: now.Now})
	put(t, client, entry("m", "a"))
	if _, err := client.DeleteTable(context.Background(), &sdk.DeleteTableInput{
		TableName: aws.String("ledger")}); err != nil {
		t.Fatal(err)
	}
	createLedger(t, client)
	streams := dynamodbstreams.NewFromConfig(sdkConfig(e), func(o *dynamodbstreams.Options) {
		o.BaseEndpoint = aws.String("http://engine")
	})
	listed, err := streams.ListStreams(context.Background(), &dynamodbstreams.ListStreamsInput{})
	if err != nil {
		t.Fatal(err)
	}
	if len(listed.Streams) != 2 || *listed.Streams[0].StreamArn == *listed.Streams[1].StreamArn {
		t.Errorf("got streams %v, want two of their own", listed.Streams)
	}
	if got := fetch(t, client, "m", "a"); got != nil {
		t.Errorf("new table: got %v, the old one's item, want none", got)
	}
}

func TestBatchGetItem_TooLarge(t *testing.T) {
	t.Parallel()
	_, client := newLedger(t, dynamodb.Config{})
	var keys []attributes
	for i := range 45 {
		sk := strconv.Itoa(i)
		put(t, client, entry("big", sk, "blob", str(strings.Repeat("x", 390_000))))
		keys = append(keys, ledgerKey("big", sk))
	}
	found := 0
	request := map[string]types.KeysAndAttributes{"ledger": {Keys: keys, ProjectionExpression: aws.String("#s"),
		ExpressionAttributeNames: map[string]string{"#s": "sk"}}}
	rounds := 0
	for ; len(request) > 0; rounds++ {
		out, err := client.BatchGetItem(context.Background(), &sdk.BatchGetItemInput{RequestItems: request})
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range out.Responses["ledger"] {
			if len(item) != 1 {
				t.Fatalf("got %v, want only the projected attribute", item)
			}
			found++
		}
		request = out.UnprocessedKeys
	}
	if found != 45 || rounds != 2 {
		t.Errorf("got %d items in %d rounds, want 45 in 2", found, rounds)
	}
}
