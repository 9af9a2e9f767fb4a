package dynamodb_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
)

func putPart(item attributes, condition string) types.TransactWriteItem {
	p := &types.Put{TableName: aws.String("ledger"), Item: item}
	if condition != "" {
		p.ConditionExpression = &condition
		p.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
	}
	return types.TransactWriteItem{Put: p}
}

func addPart(pk, sk, amount string) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: aws.String("ledger"), Key: ledgerKey(pk, sk), UpdateExpression: aws.String("ADD amount :x"),
		ExpressionAttributeValues: attributes{":x": num(amount)}}}
}

func transact(client *sdk.Client, token string, parts ...types.TransactWriteItem) (*sdk.TransactWriteItemsOutput,
	error) {
	return client.TransactWriteItems(context.Background(), &sdk.TransactWriteItemsInput{
		TransactItems: parts, ClientRequestToken: &token, ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal})
}

func TestTransactWriteItems_AllOrNothing(t *testing.T) {
	t.Parallel()
	_, client := newLedger(t, dynamodb.Config{})
	put(t, client, entry("m", "taken", "amount", num("5")))

	_, err := transact(client, "a", addPart("m", "sum", "1"), putPart(entry("m", "taken"), "attribute_not_exists(pk)"),
		addPart("m", "other", "1"))

	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		t.Fatalf("got error %v, want TransactionCanceledException", err)
	}
	var codes []string
	for _, reason := range cancelled.CancellationReasons {
		codes = append(codes, *reason.Code)
	}
	if want := []string{"None", "ConditionalCheckFailed", "None"}; !slices.Equal(codes, want) {
		t.Errorf("got codes %v, want %v", codes, want)
	}
	if got := textOf(cancelled.CancellationReasons[1].Item["amount"]); got != "5" {
		t.Errorf("got ALL_OLD amount %q, want 5", got)
	}
	if sum, other := fetch(t, client, "m", "sum"), fetch(t, client, "m", "other"); sum != nil || other != nil {
		t.Errorf("cancelled transaction: got items %v and %v, want none", sum, other)
	}
}

func TestTransactWriteItems_RepeatedToken(t *testing.T) {
	t.Parallel()
	now := clock.New()
	_, client := newLedger(t, dynamodb.Config{Now: now.Now})
	both := []types.TransactWriteItem{addPart("m", "sum", "1"),
		putPart(entry("m", "blob", "text", str(strings.Repeat("x", 2500))), "")}
	steps := []struct {
		name     string
		advance  time.Duration
		parts    []types.TransactWriteItem
		sum      string
		units    float64
		mismatch bool
	}{
		{name: "first", parts: both, sum: "1", units: 8},
		{name: "replay reads", parts: both, sum: "1", units: 4},
		{name: "other parameters", parts: []types.TransactWriteItem{addPart("m", "sum", "2")}, sum: "1", mismatch: true},
		{name: "just in time", advance: 10*time.Minute - time.Second, parts: both, sum: "1", units: 4},
		{name: "too late", advance: time.Second, parts: both, sum: "2", units: 8},
	}
	for _, step := range steps {
		now.Advance(step.advance)
		out, err := transact(client, "token", step.parts...)
		var mismatch *types.IdempotentParameterMismatchException
		if errors.As(err, &mismatch) != step.mismatch || err != nil && !step.mismatch {
			t.Fatalf("%s: got error %v, want a mismatch: %t", step.name, err, step.mismatch)
		}
		if got := textOf(fetch(t, client, "m", "sum")["amount"]); got != step.sum {
			t.Errorf("%s: got sum %s, want %s", step.name, got, step.sum)
		}
		if err == nil && *out.ConsumedCapacity[0].CapacityUnits != step.units {
			t.Errorf("%s: got %v units consumed, want %v", step.name, *out.ConsumedCapacity[0].CapacityUnits, step.units)
		}
	}
}

func TestTransactWriteItems_TokenAfterCancellation(t *testing.T) {
	t.Parallel()
	_, client := newLedger(t, dynamodb.Config{})
	condition := "attribute_exists(pk)"
	if _, err := transact(client, "token", putPart(entry("m", "x"), condition)); err == nil {
		t.Fatal("got no error, want a failed condition")
	}
	put(t, client, entry("m", "x"))
	if _, err := transact(client, "token", putPart(entry("m", "x"), condition)); err != nil {
		t.Fatalf("retry: got error %v, want none", err)
	}
}

func TestConflict(t *testing.T) {
	t.Parallel()
	var asked []string
	conflicting := true
	_, client := newLedger(t, dynamodb.Config{Conflict: func(op string, keys []string) bool {
		asked = append(asked, op)
		asked = append(asked, keys...)
		return conflicting
	}})
	var cancelled *types.TransactionCanceledException
	if _, err := transact(client, "t", addPart("m", "a", "1"), addPart("m", "b", "1")); !errors.As(err, &cancelled) {
		t.Fatalf("got error %v, want TransactionCanceledException", err)
	}
	if got := *cancelled.CancellationReasons[0].Code; got != "TransactionConflict" {
		t.Errorf("got reason %s, want TransactionConflict", got)
	}
	_, err := client.PutItem(context.Background(), &sdk.PutItemInput{TableName: aws.String("ledger"),
		Item: entry("m", "a")})
	var conflict *types.TransactionConflictException
	if !errors.As(err, &conflict) {
		t.Errorf("got error %v, want TransactionConflictException", err)
	}
	if want := []string{"TransactWriteItems", "ledger/m/a", "ledger/m/b", "PutItem", "ledger/m/a"}; !slices.Equal(asked,
		want) {
		t.Errorf("got %v asked of the hook, want %v", asked, want)
	}
	conflicting = false
	put(t, client, entry("m", "a"))
}

func TestBatchWriteItem_Conflict(t *testing.T) {
	t.Parallel()
	_, client := newLedger(t, dynamodb.Config{Conflict: func(_ string, keys []string) bool {
		return keys[0] == "ledger/m/b"
	}})
	write := func(sk string) types.WriteRequest {
		return types.WriteRequest{PutRequest: &types.PutRequest{Item: entry("m", sk)}}
	}
	out, err := client.BatchWriteItem(context.Background(), &sdk.BatchWriteItemInput{
		RequestItems: map[string][]types.WriteRequest{"ledger": {write("a"), write("b"), write("c")}}})
	if err != nil {
		t.Fatal(err)
	}
	left := out.UnprocessedItems["ledger"]
	if len(left) != 1 || textOf(left[0].PutRequest.Item["sk"]) != "b" {
		t.Errorf("got %v unprocessed, want b", left)
	}
	a, b, c := fetch(t, client, "m", "a"), fetch(t, client, "m", "b"), fetch(t, client, "m", "c")
	if a == nil || b != nil || c == nil {
		t.Errorf("got a %v, b %v and c %v, want a and c written, b not", a, b, c)
	}
}
