package dynamodb_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
)

// BenchmarkTransactWrite writes three items per transaction through the SDK, in memory. It also measures DynamoDB Local
// if the run includes the real engines.
func BenchmarkTransactWrite(b *testing.B) {
	b.Run("engine", func(b *testing.B) {
		_, client := newLedger(b, dynamodb.Config{})
		benchmarkTransactWrite(b, client)
	})
	endpoint, ok := oracleEndpoint(b)
	if !ok {
		return
	}
	b.Run("dynamodb-local", func(b *testing.B) {
		config := sdkConfig(http.DefaultTransport)
		config.Credentials = credentials.NewStaticCredentialsProvider(fmt.Sprintf("bench%d", rand.Uint64()), "test", "")
		client := sdk.NewFromConfig(config, func(o *sdk.Options) { o.BaseEndpoint = aws.String(endpoint) })
		createLedger(b, client)
		benchmarkTransactWrite(b, client)
	})
}

func benchmarkTransactWrite(b *testing.B, client *sdk.Client) {
	n := 0
	for b.Loop() {
		id := strconv.Itoa(n)
		n++
		_, err := client.TransactWriteItems(context.Background(),
			&sdk.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
				putPart(entry("L#MC0001", "checkout#"+id, "status", str("PENDING"), "amount", num("12.34"), "currency", str("EUR")),
					"attribute_not_exists(pk)"),
				putPart(entry("L#MC0001", "reference#"+id), "attribute_not_exists(pk)"),
				addPart("L#MC0001", "total", "12.34"),
			}})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tx/s")
}
