package dynamodb_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
)

// sdkConfig returns a configuration that sends requests by transport. The transport may be an engine, or the network.
func sdkConfig(transport http.RoundTripper) aws.Config {
	return aws.Config{
		Region:           "eu-west-1",
		Credentials:      credentials.NewStaticCredentialsProvider("test", "test", ""),
		HTTPClient:       &http.Client{Transport: transport},
		RetryMaxAttempts: 1,
	}
}

func newClient(e *dynamodb.Engine) *sdk.Client {
	return sdk.NewFromConfig(sdkConfig(e), func(o *sdk.Options) { o.BaseEndpoint = aws.String("http://engine") })
}

// newLedger returns an engine with a table of string keys, a stream and two indexes.
func newLedger(t testing.TB, c dynamodb.Config) (*dynamodb.Engine, *sdk.Client) {
	t.Helper()
	e := dynamodb.New(c)
	client := newClient(e)
	createLedger(t, client)
	return e, client
}

func createLedger(t testing.TB, client *sdk.Client) {
	t.Helper()
	attribute := func(name string, kind types.ScalarAttributeType) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: &name, AttributeType: kind}
	}
	key := func(hash, sort string) []types.KeySchemaElement {
		return []types.KeySchemaElement{{AttributeName: &hash, KeyType: types.KeyTypeHash},
			{AttributeName: &sort, KeyType: types.KeyTypeRange}}
	}
	_, err := client.CreateTable(context.Background(), &sdk.CreateTableInput{
		TableName: aws.String("ledger"), BillingMode: types.BillingModePayPerRequest, KeySchema: key("pk", "sk"),
		AttributeDefinitions: []types.AttributeDefinition{
			attribute("pk", "S"), attribute("sk", "S"), attribute("status", "S"), attribute("amount", "N")},
		StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true),
			StreamViewType: types.StreamViewTypeNewAndOldImages},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{
			{IndexName: aws.String("by_status"), KeySchema: key("status", "amount"),
				Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll}},
			{IndexName: aws.String("status_keys"), KeySchema: key("status", "sk"),
				Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly}},
		},
	})
	if err != nil {
		t.Fatalf("CreateTable: %v", err)
	}
}

type attributes = map[string]types.AttributeValue

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
func num(s string) types.AttributeValue { return &types.AttributeValueMemberN{Value: s} }

func ledgerKey(pk, sk string) attributes { return attributes{"pk": str(pk), "sk": str(sk)} }

// entry returns an item of the ledger.
func entry(pk, sk string, more ...any) attributes {
	item := ledgerKey(pk, sk)
	for i := 0; i < len(more); i += 2 {
		item[more[i].(string)] = more[i+1].(types.AttributeValue)
	}
	return item
}

func put(t testing.TB, client *sdk.Client, item attributes) {
	t.Helper()
	if _, err := client.PutItem(context.Background(), &sdk.PutItemInput{TableName: aws.String("ledger"),
		Item: item}); err != nil {
		t.Fatalf("PutItem: %v", err)
	}
}

func fetch(t testing.TB, client *sdk.Client, pk, sk string) attributes {
	t.Helper()
	got, err := client.GetItem(context.Background(), &sdk.GetItemInput{TableName: aws.String("ledger"),
		Key: ledgerKey(pk, sk), ConsistentRead: aws.Bool(true)})
	if err != nil {
		t.Fatalf("GetItem: %v", err)
	}
	return got.Item
}

// textOf returns the S or N of an attribute.
func textOf(v types.AttributeValue) string {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return v.Value
	}
	return ""
}
