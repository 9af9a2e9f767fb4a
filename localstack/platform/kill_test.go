package platform

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/cashwrap/cashwrap/localstack/aws/wal"
)

// writerVariable makes this test binary write until it is killed.
const writerVariable = "CASHWRAP_TEST_WRITER"

func TestMain(m *testing.M) {
	if place := os.Getenv(writerVariable); place != "" {
		if err := writeForEver(Folder(place)); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// writeForEver writes items in transactions and messages from several goroutines. It prints each acknowledged number.
func writeForEver(place Folder) error {
	// Small snapshots, so that some kills happen during one.
	w, err := startMemory(context.Background(), place, wal.Options{SnapshotAfter: 100_000})
	if err != nil {
		return err
	}
	ctx := context.Background()
	if err = createTable(ctx, w); err != nil {
		return err
	}
	queue, err := queuesOf(w).CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: aws.String("kept")})
	if err != nil {
		return err
	}
	failed := make(chan error)
	for range 8 {
		go func() {
			for {
				n := strconv.FormatUint(rand.Uint64(), 10)
				_, err := tablesOf(w, true).TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
					TransactItems: []types.TransactWriteItem{putOf(n, "a"), putOf(n, "b")}})
				if err == nil {
					_, err = queuesOf(w).SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: queue.QueueUrl, MessageBody: &n})
				}
				if err != nil {
					failed <- err
					return
				}
				fmt.Println(n) // a single write to the pipe
			}
		}()
	}
	return <-failed
}

func putOf(n, part string) types.TransactWriteItem {
	text := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
	return types.TransactWriteItem{Put: &types.Put{TableName: aws.String("kept"), Item: map[string]types.AttributeValue{
		"pk": text(n), "sk": text(part), "list_pk": text("all"), "list_sk": text(n + part),
		"filler": text(strings.Repeat("f", 500))}}}
}

// TestMemory_AfterKill kills a process under load 50 times, because few kills happen during a snapshot.
func TestMemory_AfterKill(t *testing.T) {
	t.Parallel()
	place, acknowledged := newFolder(t), map[string]bool{}
	for range 50 {
		for _, n := range killWriter(t, place, rand.IntN(150)) {
			acknowledged[n] = true
		}
	}
	w := startMemoryAt(t, place)
	parts := map[string]int{}
	pages := dynamodb.NewQueryPaginator(tablesOf(w, true), &dynamodb.QueryInput{TableName: aws.String("kept"),
		IndexName:                 aws.String("list"),
		KeyConditionExpression:    aws.String("list_pk = :all"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":all": &types.AttributeValueMemberS{Value: "all"}}})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range page.Items {
			parts[item["pk"].(*types.AttributeValueMemberS).Value]++
		}
	}
	messages := receiveMessages(t, w)
	for n := range acknowledged {
		if parts[n] != 2 || !messages[n] {
			t.Errorf("%s was acknowledged: got %d items and a message: %t, want 2 and true", n, parts[n], messages[n])
		}
	}
	for n, count := range parts {
		if count != 2 {
			t.Errorf("transaction %s: got %d items, want 2", n, count)
		}
	}
	if len(acknowledged) < 500 {
		t.Errorf("got %d acknowledged writes, want at least 500", len(acknowledged))
	}
}

func receiveMessages(t *testing.T, w *backend) map[string]bool {
	t.Helper()
	url, err := queuesOf(w).GetQueueUrl(t.Context(), &sqs.GetQueueUrlInput{QueueName: aws.String("kept")})
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string]bool{}
	for {
		out, err := queuesOf(w).ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: url.QueueUrl,
			MaxNumberOfMessages: 10, VisibilityTimeout: 3600})
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Messages) == 0 {
			return bodies
		}
		for _, m := range out.Messages {
			bodies[*m.Body] = true
		}
	}
}

// killWriter runs a writer until it has acknowledged a number of writes, kills it, and returns all acknowledged writes.
func killWriter(t *testing.T, place Folder, writes int) (acknowledged []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	writer := exec.CommandContext(ctx, os.Args[0])
	writer.Env = append(os.Environ(), writerVariable+"="+string(place))
	var complaints bytes.Buffer
	writer.Stderr = &complaints
	out, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil { // the pipe is empty and the writer dead
			break
		}
		acknowledged = append(acknowledged, strings.TrimSpace(line))
		if len(acknowledged) == writes+1 {
			if err := writer.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = writer.Wait() // killed
	if len(acknowledged) <= writes {
		t.Fatalf("got %d writes and the writer's end, want more than %d: %s", len(acknowledged), writes, &complaints)
	}
	return acknowledged
}
