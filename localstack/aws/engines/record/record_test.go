package record_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
	"github.com/cashwrap/cashwrap/localstack/aws/engines/record"
)

func TestNote(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("CASHWRAP_RECORD", folder)
	t.Run("inside", func(t *testing.T) {
		table := record.NewTable(t, dynamodb.New(dynamodb.Config{}))
		server := httptest.NewServer(table)
		defer server.Close()
		for _, request := range [][2]string{
			{"GetItem", `{"TableName":"None","Key":{"pk":{"S":"1"}},"ProjectionExpression":"#a",
				"ExpressionAttributeNames":{"#a":"at"}}`},
			{"GetItem", `{"TableName":"None","Key":{"pk":{"S":"2"}},"ProjectionExpression":"#b",
				"ExpressionAttributeNames":{"#b":"at"}}`},
			{"GetItem", `{"TableName":"None","Key":{"pk":{"S":"1"}},"ConsistentRead":true}`},
			{"UpdateItem", `{"TableName":"None","UpdateExpression":"SET a = :v1, b = f(a, :v2) ADD n :v3"}`},
			{"UpdateItem", `{"TableName":"None","UpdateExpression":"SET b = f(a, :v1), a = :v2 ADD n :v3"}`},
		} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(request[1]))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+request[0])
			if response, err := http.DefaultClient.Do(r); err != nil || response.Body.Close() != nil ||
				response.StatusCode != http.StatusBadRequest {
				t.Fatalf("got %v and error %v, want status 400", response, err)
			}
		}
	})
	record.Note(t, record.Test{Left: true})
	got, err := record.Read(folder)
	want := []record.Test{{Package: "./localstack/aws/engines/record", Name: "TestNote", Requests: 5,
		Left: true, Kinds: []string{
			"GetItem; ConsistentRead true; Key; TableName; 400com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",
			"GetItem; ExpressionAttributeNames; Key; ProjectionExpression at; TableName; " +
				"400com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",
			"UpdateItem; TableName; UpdateExpression ADD, SET, a = ?, b = f(a, ?), n ?; " +
				"400com.amazon.coral.validate#ValidationException",
		}}}
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("got error %v and a difference (-want +got):\n%s", err, cmp.Diff(want, got))
	}
}
