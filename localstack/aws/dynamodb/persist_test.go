package dynamodb_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/aws/smithy-go"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
	"github.com/cashwrap/cashwrap/localstack/aws/wal"
	"github.com/cashwrap/cashwrap/localstack/aws/wal/waltest"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
)

func open(t testing.TB, dir string, c dynamodb.Config, o wal.Options) *dynamodb.Engine {
	t.Helper()
	e, err := dynamodb.Open(c, dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// reopen opens the folder of e as the next process would.
func reopen(t testing.TB, e *dynamodb.Engine, dir string, c dynamodb.Config) *dynamodb.Engine {
	t.Helper()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	return open(t, dir, c, wal.Options{})
}

func TestOpen_RestoresEverything(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]wal.Options{"in segments": {}, "in snapshots": {SnapshotAfter: 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now, dir := clock.New(), t.TempDir()
			c := dynamodb.Config{Now: now.Now}
			e := open(t, dir, c, o)
			client := newClient(e)
			createLedger(t, client)
			enableTTL(t, client)
			put(t, client, entry("m", "a", "status", str("open <&>"), "amount", num("1.50"),
				"expires", num(strconv.FormatInt(now.Now().Add(time.Minute).Unix(), 10))))
			put(t, client, entry("m", "gone", "status", str("open <&>"), "amount", num("2")))
			if _, err := client.DeleteItem(t.Context(), &sdk.DeleteItemInput{TableName: aws.String("ledger"),
				Key: ledgerKey("m", "gone")}); err != nil {
				t.Fatal(err)
			}
			if _, err := transact(client, "token", addPart("m", "sum", "1")); err != nil {
				t.Fatal(err)
			}
			before := readRecords(t, e, streamtypes.ShardIteratorTypeTrimHorizon)
			again := reopen(t, e, dir, c)
			client = newClient(again)
			if got := strings.Join(queryByStatus(t, client, "open <&>"), " "); got != "a=1.5" {
				t.Errorf("got index %q, want a=1.5", got)
			}
			if _, err := transact(client, "token", addPart("m", "sum", "1")); err != nil {
				t.Fatal(err)
			}
			if got := textOf(fetch(t, client, "m", "sum")["amount"]); got != "1" {
				t.Errorf("got sum %s, want 1: the token was used before", got)
			}
			put(t, client, entry("m", "later"))
			after := readRecords(t, again, streamtypes.ShardIteratorTypeTrimHorizon)
			if last := *before[len(before)-1].Dynamodb.SequenceNumber; len(after) != 1 ||
				*after[0].Dynamodb.SequenceNumber <= last {
				t.Errorf("got %d records in the stream, the first numbered %s; want 1, after %s", len(after),
					*after[0].Dynamodb.SequenceNumber, last)
			}
			now.Advance(time.Minute)
			if got := fetch(t, client, "m", "a"); got != nil {
				t.Errorf("after its time to live: got %v, want no item", got)
			}
			third := newClient(reopen(t, again, dir, c))
			if a, later := fetch(t, third, "m", "a"), fetch(t, third, "m", "later"); a != nil || later == nil {
				t.Errorf("next process: got a %v and later %v, want only later", a, later)
			}
		})
	}
}

// TestLog_SameAnswersAsWithout sends the same random requests to an engine with a log and to an engine without a log.
// The first engine writes snapshots and is reopened often.
func TestLog_SameAnswersAsWithout(t *testing.T) {
	t.Parallel()
	const requests, between = 3000, 150
	dir, now := t.TempDir(), clock.New()
	c := dynamodb.Config{Now: now.Now}
	logged := open(t, dir, c, wal.Options{SnapshotAfter: 10_000})
	plain, kept := engineSide(dynamodb.New(c)), engineSide(logged)
	plain.call(t, "CreateTable", tableDefinition())
	kept.call(t, "CreateTable", tableDefinition())
	g := &generator{Rand: rand.New(rand.NewPCG(diffSeed(t), 1))}
	for i := range requests {
		now.Advance(time.Second)
		r := g.request()
		if got, want := r.send(t, kept), r.send(t, plain); !reflect.DeepEqual(got, want) {
			t.Fatalf("request %d: %s\n%s\ngot %s\nwant %s", i, r.op, compact(r.body), compact(got), compact(want))
		}
		if i%between == between-1 {
			if err := logged.Close(); err != nil {
				t.Fatal(err)
			}
			logged = open(t, dir, c, wal.Options{SnapshotAfter: 10_000})
			kept = engineSide(logged)
			if got, want := scanItems(t, kept), scanItems(t, plain); !reflect.DeepEqual(got, want) {
				t.Fatalf("after request %d: got %s back from the log, want %s", i, compact(got), compact(want))
			}
		}
	}
}

// TestLog_FullDisk checks that all writes fail without effect, that reads work, and that writes work again
// later.
func TestLog_FullDisk(t *testing.T) {
	t.Parallel()
	ctx, dir, disk, table := t.Context(), t.TempDir(), waltest.NewDisk(waltest.Unlimited), aws.String("ledger")
	now := clock.New()
	c := dynamodb.Config{Now: now.Now}
	e := open(t, dir, c, disk.Options())
	client := newClient(e)
	createLedger(t, client)
	enableTTL(t, client)
	put(t, client, entry("m", "kept", "expires", num(strconv.FormatInt(now.Now().Add(time.Minute).Unix(), 10))))
	writes := []struct {
		name string
		make func() error
	}{
		{"put", func() error {
			_, err := client.PutItem(ctx, &sdk.PutItemInput{TableName: table, Item: entry("m", "new")})
			return err
		}},
		{"delete", func() error {
			_, err := client.DeleteItem(ctx, &sdk.DeleteItemInput{TableName: table, Key: ledgerKey("m", "kept")})
			return err
		}},
		{"a write whose condition fails", func() error {
			_, err := client.PutItem(ctx, &sdk.PutItemInput{TableName: table, Item: entry("m", "kept"),
				ConditionExpression: aws.String("attribute_not_exists(pk)")})
			return err
		}},
		{"transaction", func() error {
			_, err := transact(client, "token", putPart(entry("m", "one"), ""), addPart("m", "sum", "1"))
			return err
		}},
		{"table", func() error {
			_, err := client.DeleteTable(ctx, &sdk.DeleteTableInput{TableName: table})
			return err
		}},
	}
	disk.SetRoom(10)               // less than any record
	for _, write := range writes { // the first write finds the disk full
		var api smithy.APIError
		if err := write.make(); !errors.As(err, &api) || api.ErrorCode() != "InternalServerError" {
			t.Errorf("%s on a full disk: got error %v, want InternalServerError", write.name, err)
		}
	}
	if e.Refused() == nil {
		t.Error("got no error from Refused, want one")
	}
	now.Advance(time.Minute) // "kept" expires, but its removal waits for room, too
	unchanged := func(client *sdk.Client) {
		t.Helper()
		for _, name := range []string{"new", "one", "sum"} {
			if got := fetch(t, client, "m", name); got != nil {
				t.Errorf("%s was refused: got %v, want no item", name, got)
			}
		}
		if fetch(t, client, "m", "kept") == nil {
			t.Error("kept was acknowledged: got no item, want it")
		}
	}
	unchanged(client)
	before := clock.New() // the next process's time, before the expiry
	unchanged(newClient(open(t, dir, dynamodb.Config{Now: before.Now}, wal.Options{})))
	disk.SetRoom(waltest.Unlimited)
	if _, err := transact(client, "token", putPart(entry("m", "one"), ""), addPart("m", "sum", "1")); err != nil ||
		e.Refused() != nil {
		t.Errorf("with room again: got errors %v and %v, want none", err, e.Refused())
	}
	if got := fetch(t, client, "m", "kept"); got != nil {
		t.Errorf("with room again: got %v, want it expired", got)
	}
}

func TestLog_NoRoomForSnapshot(t *testing.T) {
	t.Parallel()
	dir, disk := t.TempDir(), waltest.NewDisk(waltest.Unlimited)
	noticed := make(chan error, 10)
	o := disk.Options()
	o.SnapshotAfter = 20_000
	e := open(t, dir, dynamodb.Config{Notice: func(err error) { noticed <- err }}, o)
	client := newClient(e)
	createLedger(t, client)
	disk.SetFull(".snapshot")
	for i := range 100 {
		put(t, client, entry("m", fmt.Sprint(i), "amount", num("1"), "status", str(strings.Repeat("s", 500))))
	}
	if err := <-noticed; !strings.Contains(err.Error(), "keeps growing") {
		t.Errorf("got notice %v, want that the log keeps growing", err)
	}
	disk.SetFull("")
	put(t, client, entry("m", "last"))
	again := newClient(reopen(t, e, dir, dynamodb.Config{}))
	if before, last := fetch(t, again, "m", "99"), fetch(t, again, "m", "last"); before == nil || last == nil {
		t.Errorf("after a restart: got %v and %v, want both items", before, last)
	}
}

// TestDeleteTable_ConcurrentWrites deletes a table during writes that have already looked it up. Such a write must not
// follow the deletion in the log, because a log with a write to a missing table cannot be read.
func TestDeleteTable_ConcurrentWrites(t *testing.T) {
	t.Parallel()
	table := &sdk.DeleteTableInput{TableName: aws.String("ledger")}
	for range 30 {
		dir := t.TempDir()
		e := open(t, dir, dynamodb.Config{}, wal.Options{})
		client := newClient(e)
		createLedger(t, client)
		var writers sync.WaitGroup
		written := make(chan bool, 100)
		for writer := range 4 {
			writers.Go(func() {
				for i := 0; ; i++ {
					_, err := client.PutItem(t.Context(), &sdk.PutItemInput{TableName: table.TableName,
						Item: entry("m", fmt.Sprint(writer, i))})
					if err != nil {
						return
					}
					select {
					case written <- true:
					default:
					}
				}
			})
		}
		<-written // the writers have started
		for range 2 {
			writers.Go(func() { _, _ = client.DeleteTable(t.Context(), table) })
		}
		writers.Wait()
		if left, err := newClient(reopen(t, e, dir, dynamodb.Config{})).ListTables(
			t.Context(), &sdk.ListTablesInput{}); err != nil || len(left.TableNames) != 0 {
			t.Fatalf("after a restart: got tables %v and error %v, want none", left, err)
		}
	}
}

func TestUpdateTimeToLive_DisabledBeforeRestart(t *testing.T) {
	t.Parallel()
	now, dir := clock.New(), t.TempDir()
	c := dynamodb.Config{Now: now.Now}
	e := open(t, dir, c, wal.Options{SnapshotAfter: 1})
	client := newClient(e)
	createLedger(t, client)
	enableTTL(t, client)
	put(t, client, entry("m", "a", "expires", num(strconv.FormatInt(now.Now().Add(time.Minute).Unix(), 10))))
	_, err := client.UpdateTimeToLive(t.Context(), &sdk.UpdateTimeToLiveInput{TableName: aws.String("ledger"),
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("expires"),
			Enabled: aws.Bool(false)}})
	if err != nil {
		t.Fatal(err)
	}
	put(t, client, entry("m", "b")) // this write also makes the log snapshot the earlier state
	client = newClient(reopen(t, e, dir, c))
	now.Advance(time.Hour)
	if fetch(t, client, "m", "a") == nil {
		t.Error("time to live is off: got no item, want it")
	}
}

func TestOneReader_TrimsStream(t *testing.T) {
	t.Parallel()
	e, client := newLedger(t, dynamodb.Config{OneReader: true})
	streams := dynamodbstreams.NewFromConfig(sdkConfig(e), func(o *dynamodbstreams.Options) {
		o.BaseEndpoint = aws.String("http://engine")
	})
	for i := range 3 {
		put(t, client, entry("m", fmt.Sprint(i)))
	}
	ctx, arn, shard := context.Background(), "", ""
	listed, err := streams.ListStreams(ctx, &dynamodbstreams.ListStreamsInput{})
	if err != nil {
		t.Fatal(err)
	}
	arn = *listed.Streams[0].StreamArn
	described, err := streams.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: &arn})
	if err != nil {
		t.Fatal(err)
	}
	shard = *described.StreamDescription.Shards[0].ShardId
	at := func(kind streamtypes.ShardIteratorType, after *string) (*string, error) {
		out, failed := streams.GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{
			StreamArn: &arn, ShardId: &shard, ShardIteratorType: kind, SequenceNumber: after})
		if failed != nil {
			return nil, failed
		}
		return out.ShardIterator, nil
	}
	get := func(iterator *string) *dynamodbstreams.GetRecordsOutput {
		t.Helper()
		out, failed := streams.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: iterator, Limit: aws.Int32(2)})
		if failed != nil {
			t.Fatal(failed)
		}
		return out
	}
	oldest, err := at(streamtypes.ShardIteratorTypeTrimHorizon, nil)
	if err != nil {
		t.Fatal(err)
	}
	first := get(oldest)
	if again := get(oldest); len(first.Records) != 2 || len(again.Records) != 2 {
		t.Fatalf("got %d and %d records before the reader asks for more, want 2 both times",
			len(first.Records), len(again.Records))
	}
	last := get(first.NextShardIterator)
	if len(last.Records) != 1 {
		t.Fatalf("got %d records after them, want 1", len(last.Records))
	}
	get(last.NextShardIterator)
	if kept := readRecords(t, e, streamtypes.ShardIteratorTypeTrimHorizon); len(kept) != 0 {
		t.Errorf("got %d records that were read, want none", len(kept))
	}
	if _, err = at(streamtypes.ShardIteratorTypeAtSequenceNumber, first.Records[0].Dynamodb.SequenceNumber); err == nil {
		t.Error("the position of a trimmed record: got no error, want one")
	}
	put(t, client, entry("m", "next"))
	after, err := at(streamtypes.ShardIteratorTypeAfterSequenceNumber, last.Records[0].Dynamodb.SequenceNumber)
	if err != nil {
		t.Fatalf("the position after the last record read: got error %v, want none", err)
	}
	if got := get(after); len(got.Records) != 1 {
		t.Errorf("got %d records after the last one read, want 1", len(got.Records))
	}
}
