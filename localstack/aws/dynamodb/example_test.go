package dynamodb_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
)

// The engine is the transport of an unmodified client, so no socket is opened. The engine uses the test's clock.
func Example() {
	engine := dynamodb.New(dynamodb.Config{
		Now: func() time.Time { return time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC) }})
	client := sdk.New(sdk.Options{
		Region: "eu-central-1", Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
		BaseEndpoint: aws.String("http://dynamodb.test"), HTTPClient: &http.Client{Transport: engine}})

	ctx := context.Background()
	_, err := client.CreateTable(ctx, &sdk.CreateTableInput{
		TableName: aws.String("merchants"), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("code"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("code"), KeyType: types.KeyTypeHash}}})
	if err != nil {
		log.Fatal(err)
	}
	merchant := map[string]types.AttributeValue{"code": &types.AttributeValueMemberS{Value: "M1"},
		"name": &types.AttributeValueMemberS{Value: "Kaffeehaus"}}
	put := &sdk.PutItemInput{TableName: aws.String("merchants"), Item: merchant,
		ConditionExpression: aws.String("attribute_not_exists(code)")}
	for range 2 {
		_, err = client.PutItem(ctx, put)
		fmt.Println("failed:", err != nil)
	}
	read, written := engine.Consumed("merchants")
	fmt.Println("read units:", read, "write units:", written)
	// Output:
	// failed: false
	// failed: true
	// read units: 0 write units: 2
}
