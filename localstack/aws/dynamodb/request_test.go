package dynamodb_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
)

// TestRequests_OddShapes sends requests that the SDK never sends, also to DynamoDB Local if this run includes it.
func TestRequests_OddShapes(t *testing.T) {
	t.Parallel()
	table := func(projection object) object {
		definition := tableDefinition()
		index := definition["GlobalSecondaryIndexes"].(list)[0].(object)
		index["Projection"] = projection
		return definition
	}
	sides := []*side{engineSide(dynamodb.New(dynamodb.Config{}))}
	if endpoint, ok := oracleEndpoint(t); ok {
		sides = append(sides, oracleSide(endpoint, fmt.Sprintf("odd%d", rand.Uint64())))
	}
	for _, s := range sides {
		for _, c := range []struct {
			op, want string // end of the error's type; "" for success
			body     object
		}{
			{"ListTables", "", object{"Limit": nil}},
			{"ListTables", "ValidationException", object{"Limit": 0}},
			{"ListTables", "SerializationException", object{"Limit": "many"}},
			{"CreateTable", "ValidationException", table(object{"ProjectionType": "INCLUDE", "NonKeyAttributes": list{}})},
			{"CreateTable", "ValidationException", table(object{"ProjectionType": "INCLUDE"})},
		} {
			if s.name == "oracle" && c.want == "SerializationException" { // unlike the service, it answers InternalFailure
				continue
			}
			got, _ := s.call(t, c.op, c.body)["__type"].(string)
			if !strings.HasSuffix(got, c.want) || c.want == "" && got != "" {
				t.Errorf("%s: %s %s: got %q, want %q", s.name, c.op, compact(c.body), got, c.want)
			}
		}
	}
}
