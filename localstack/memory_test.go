package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/cashwrap/cashwrap/localstack/runner"
	"github.com/cashwrap/cashwrap/shared/store"
)

func startMemoryAt(t *testing.T, place folder) world {
	t.Helper()
	w, err := startMemory(place)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.stop)
	return w
}

func tablesOf(t *testing.T, w world, inProcess bool) *dynamodb.Client {
	t.Helper()
	options := dynamodb.Options{Region: runner.Region, Credentials: w.Credentials(), BaseEndpoint: aws.String(w.DynamoDB)}
	if inProcess {
		options.HTTPClient = w.http
	}
	return dynamodb.New(options)
}

func TestMemoryKeepsTableAndQueuesOverARestart(t *testing.T) {
	t.Parallel()
	place := newFolder(t)
	if err := os.MkdirAll(string(place), privateFolder); err != nil {
		t.Fatal(err)
	}
	first := startMemoryAt(t, place)
	s := store.Open(store.Config{Table: "kept", Region: runner.Region, Endpoint: first.DynamoDB, Credentials: first.Credentials(), HTTP: first.http})
	if err := s.CreateTable(t.Context()); err != nil {
		t.Fatal(err)
	}
	queues := sqs.New(sqs.Options{Region: runner.Region, Credentials: first.Credentials(), BaseEndpoint: aws.String(first.SQS)})
	if _, err := queues.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: aws.String("kept")}); err != nil {
		t.Fatal(err)
	}
	first.stop()
	wantPrivate(t, place, tableFile)
	wantPrivate(t, place, queuesFile)

	again := startMemoryAt(t, place)
	for _, inProcess := range []bool{false, true} {
		listed, err := tablesOf(t, again, inProcess).ListTables(t.Context(), &dynamodb.ListTablesInput{})
		if err != nil || len(listed.TableNames) != 1 || listed.TableNames[0] != "kept" {
			t.Errorf("in process %t: tables %v, %v", inProcess, listed, err)
		}
	}
	queues = sqs.New(sqs.Options{Region: runner.Region, Credentials: again.Credentials(), BaseEndpoint: aws.String(again.SQS)})
	if _, err := queues.GetQueueUrl(t.Context(), &sqs.GetQueueUrlInput{QueueName: aws.String("kept")}); err != nil {
		t.Errorf("queue: %v", err)
	}
}

func TestABrokenSnapshotIsNotOverwritten(t *testing.T) {
	t.Parallel()
	place := newFolder(t)
	if err := os.MkdirAll(string(place), privateFolder); err != nil {
		t.Fatal(err)
	}
	broken := []byte("not a snapshot")
	if err := place.write(tableFile, broken); err != nil {
		t.Fatal(err)
	}
	if _, err := startMemory(place); err == nil || !strings.Contains(err.Error(), tableFile) {
		t.Errorf("error %v", err)
	}
	if kept, err := os.ReadFile(place.path(tableFile)); err != nil || !bytes.Equal(kept, broken) {
		t.Errorf("the file holds %q, %v", kept, err)
	}
}
