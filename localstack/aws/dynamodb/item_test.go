package dynamodb_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
)

// wantInvalid fails unless err is a ValidationException that contains all of want.
func wantInvalid(t *testing.T, what string, err error, want ...string) {
	t.Helper()
	var api smithy.APIError
	if !errors.As(err, &api) || api.ErrorCode() != "ValidationException" {
		t.Errorf("%s: got error %v, want ValidationException", what, err)
		return
	}
	for _, part := range want {
		if !strings.Contains(api.ErrorMessage(), part) {
			t.Errorf("%s: got message %q, want %q in it", what, api.ErrorMessage(), part)
		}
	}
}

func TestReadRequest_LegacyParameters(t *testing.T) {
	t.Parallel()
	_, client := newLedger(t, dynamodb.Config{})
	ctx, table, key := context.Background(), aws.String("ledger"), ledgerKey("m", "a")
	condition := map[string]types.Condition{"x": {ComparisonOperator: types.ComparisonOperatorNull}}
	_, err := client.GetItem(ctx, &sdk.GetItemInput{TableName: table, Key: key, AttributesToGet: []string{"x"}})
	wantInvalid(t, "GetItem", err, "AttributesToGet")
	_, err = client.PutItem(ctx, &sdk.PutItemInput{TableName: table, Item: key,
		Expected: map[string]types.ExpectedAttributeValue{"x": {Exists: aws.Bool(false)}}})
	wantInvalid(t, "PutItem", err, "Expected")
	_, err = client.UpdateItem(ctx, &sdk.UpdateItemInput{TableName: table, Key: key,
		AttributeUpdates: map[string]types.AttributeValueUpdate{"x": {Action: types.AttributeActionDelete}}})
	wantInvalid(t, "UpdateItem", err, "AttributeUpdates")
	_, err = client.Scan(ctx, &sdk.ScanInput{TableName: table, ScanFilter: condition})
	wantInvalid(t, "Scan", err, "ScanFilter")
	_, err = client.Query(ctx, &sdk.QueryInput{TableName: table, QueryFilter: condition})
	wantInvalid(t, "Query", err, "QueryFilter")
	_, err = client.CreateTable(ctx, &sdk.CreateTableInput{TableName: aws.String("more"),
		AttributeDefinitions: []types.AttributeDefinition{},
		KeySchema:            []types.KeySchemaElement{}, TableClass: types.TableClassStandard})
	wantInvalid(t, "CreateTable", err, "TableClass")
	_, err = client.ListBackups(ctx, &sdk.ListBackupsInput{})
	var api smithy.APIError
	if !errors.As(err, &api) || api.ErrorCode() != "UnknownOperationException" {
		t.Errorf("ListBackups: got error %v, want UnknownOperationException", err)
	}
}

func TestCheckKey(t *testing.T) {
	t.Parallel()
	_, client := newLedger(t, dynamodb.Config{})
	for name, c := range map[string]struct {
		item attributes
		want string
	}{
		"missing":         {attributes{"pk": str("m")}, "Missing the key sk in the item"},
		"empty":           {entry("m", ""), "cannot contain an empty string value. Key: sk"},
		"wrong type":      {attributes{"pk": str("m"), "sk": num("1")}, "Type mismatch for key sk expected: S actual: N"},
		"long partition":  {entry(strings.Repeat("x", 2049), "a"), "2048"},
		"long sort":       {entry("m", strings.Repeat("x", 1025)), "1024"},
		"index type":      {entry("m", "a", "status", num("1")), "Type mismatch for Index Key status Expected: S Actual: N"},
		"empty index key": {entry("m", "a", "status", str("")), "IndexKey: status"},
		"too large":       {entry("m", "a", "blob", str(strings.Repeat("x", 400<<10))), "maximum allowed size"},
	} {
		_, err := client.PutItem(context.Background(), &sdk.PutItemInput{TableName: aws.String("ledger"), Item: c.item})
		wantInvalid(t, name, err, c.want)
	}
	for name, key := range map[string]attributes{"half": {"pk": str("m")}, "more": entry("m", "a", "x", str("y"))} {
		_, err := client.GetItem(context.Background(), &sdk.GetItemInput{TableName: aws.String("ledger"), Key: key})
		wantInvalid(t, name, err, "does not match the schema")
	}
}

func TestUpdateItem_FailedConditionReturnsItem(t *testing.T) {
	t.Parallel()
	e, client := newLedger(t, dynamodb.Config{})
	put(t, client, entry("m", "a", "amount", num("5")))
	_, before := e.Consumed("ledger")
	_, err := client.UpdateItem(context.Background(), &sdk.UpdateItemInput{TableName: aws.String("ledger"),
		Key:              ledgerKey("m", "a"),
		UpdateExpression: aws.String("SET amount = amount - :x"), ConditionExpression: aws.String("amount >= :x"),
		ExpressionAttributeValues:           attributes{":x": num("6")},
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld})
	var failed *types.ConditionalCheckFailedException
	if !errors.As(err, &failed) {
		t.Errorf("got error %v, want a failed condition", err)
	} else if got := textOf(failed.Item["amount"]); got != "5" {
		t.Errorf("failed condition: got an item of %q, want 5", got)
	}
	if _, after := e.Consumed("ledger"); after != before+1 {
		t.Errorf("failed condition: got %v units consumed, want 1", after-before)
	}
}

func TestQuery_PageEndsAtOneMegabyte(t *testing.T) {
	t.Parallel()
	_, client := newLedger(t, dynamodb.Config{})
	for i := range 12 {
		put(t, client, entry("big", string(rune('a'+i)), "blob", str(strings.Repeat("x", 120_000))))
	}
	in := &sdk.QueryInput{TableName: aws.String("ledger"), KeyConditionExpression: aws.String("pk = :p"),
		ConsistentRead:            aws.Bool(true),
		ExpressionAttributeValues: attributes{":p": str("big")}, ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal}
	first, err := client.Query(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	// The ninth item exceeds 1 MB: 9 × 120,009 bytes are 264 units of 4 KB.
	if first.Count != 9 || *first.ConsumedCapacity.CapacityUnits != 264 || textOf(first.LastEvaluatedKey["sk"]) != "i" {
		t.Errorf("first page: got %d items, %v units, last %v; want 9, 264 and i", first.Count,
			*first.ConsumedCapacity.CapacityUnits, first.LastEvaluatedKey)
	}
	in.ExclusiveStartKey = first.LastEvaluatedKey
	rest, err := client.Query(context.Background(), in)
	if err != nil || rest.Count != 3 || rest.LastEvaluatedKey != nil {
		t.Errorf("second page: got %d items, last %v, error %v; want 3 and no last", rest.Count, rest.LastEvaluatedKey, err)
	}
}

func TestScan_Segments(t *testing.T) {
	t.Parallel()
	_, client := newLedger(t, dynamodb.Config{})
	const total = 300 // more than a chunk holds
	for i := range total {
		put(t, client, entry("p"+strings.Repeat("x", i%7)+string(rune('a'+i%20)), string(rune('A'+i))))
	}
	seen := 0
	for segment := range int32(3) {
		out, err := client.Scan(context.Background(), &sdk.ScanInput{TableName: aws.String("ledger"), Segment: &segment,
			TotalSegments: aws.Int32(3)})
		if err != nil {
			t.Fatal(err)
		}
		if out.Count == 0 {
			t.Errorf("segment %d: got no items, want some", segment)
		}
		seen += int(out.Count)
	}
	if seen != total {
		t.Errorf("got %d items in three segments, want %d", seen, total)
	}
}

func TestUpdateItem_Concurrent(t *testing.T) {
	t.Parallel()
	_, client := newLedger(t, dynamodb.Config{})
	const clients, each = 8, 50
	var wait sync.WaitGroup
	for range clients {
		wait.Go(func() {
			for range each {
				if _, err := client.UpdateItem(context.Background(), &sdk.UpdateItemInput{TableName: aws.String("ledger"),
					Key:                       ledgerKey("m", "sum"),
					UpdateExpression:          aws.String("ADD amount :x"),
					ExpressionAttributeValues: attributes{":x": num("0.01")}}); err != nil {
					t.Errorf("UpdateItem: got error %v, want none", err)
				}
				queryByStatus(t, client, "open")
			}
		})
	}
	wait.Wait()
	if got := textOf(fetch(t, client, "m", "sum")["amount"]); got != "4" {
		t.Errorf("got sum %s, want 4", got)
	}
}

func TestEngine_OverPort(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(dynamodb.New(dynamodb.Config{}))
	defer server.Close()
	client := sdk.NewFromConfig(sdkConfig(server.Client().Transport), func(o *sdk.Options) {
		o.BaseEndpoint = &server.URL
	})
	createLedger(t, client)
	put(t, client, entry("m", "a", "amount", num("1.50")))
	if got := textOf(fetch(t, client, "m", "a")["amount"]); got != "1.5" {
		t.Errorf("got amount %s, want 1.5", got)
	}
	_, err := client.CreateTable(context.Background(), &sdk.CreateTableInput{TableName: aws.String("ledger"),
		BillingMode:          types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: "S"}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}}})
	var inUse *types.ResourceInUseException
	if !errors.As(err, &inUse) {
		t.Errorf("got error %v, want ResourceInUseException", err)
	}
}
