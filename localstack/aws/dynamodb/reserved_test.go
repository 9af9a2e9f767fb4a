package dynamodb_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
)

// openInOracle lists published reserved words that DynamoDB Local accepts.
var openInOracle = []string{"CONVERT", "SIZE", "TERMINATED"}

// TestReservedWords_LikeDynamoDBLocal checks each reserved word in both engines.
func TestReservedWords_LikeDynamoDBLocal(t *testing.T) {
	endpoint, ok := oracleEndpoint(t)
	if !ok {
		return
	}
	source, err := os.ReadFile("expr/reserved.go")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(strings.Split(string(source), "`")[1])
	if len(words) != 573 {
		t.Errorf("got %d reserved words, want the 573 published", len(words))
	}
	engine := engineSide(dynamodb.New(dynamodb.Config{}))
	oracle := oracleSide(endpoint, fmt.Sprintf("words%d", rand.Uint64()))
	for _, s := range []*side{engine, oracle} {
		s.call(t, "CreateTable", tableDefinition())
	}
	for _, word := range append(words, "nothing", "amount", "id", "currency") {
		body := object{"TableName": diffTable, "Key": object{"pk": text("p"), "sk": text("s")},
			"ProjectionExpression": "a." + strings.ToLower(word)}
		got, want := engine.call(t, "GetItem", body), oracle.call(t, "GetItem", body)
		if errorType(got) != errorType(want) && !slices.Contains(openInOracle, word) {
			t.Errorf("%s: got %q, want %q", word, errorMessage(got), errorMessage(want))
		}
	}
}
