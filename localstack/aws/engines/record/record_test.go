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

func TestWhatATestDoesIsNoted(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("CASHWRAP_RECORD", folder)
	t.Run("inside", func(t *testing.T) {
		table := record.NewTable(t, dynamodb.New(dynamodb.Config{}))
		server := httptest.NewServer(table)
		defer server.Close()
		for _, body := range []string{
			`{"TableName":"None","Key":{"pk":{"S":"1"}},"ProjectionExpression":"#a","ExpressionAttributeNames":{"#a":"at"}}`,
			`{"TableName":"None","Key":{"pk":{"S":"2"}},"ProjectionExpression":"#b","ExpressionAttributeNames":{"#b":"at"}}`,
			`{"TableName":"None","Key":{"pk":{"S":"1"}},"ConsistentRead":true}`,
		} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("X-Amz-Target", "DynamoDB_20120810.GetItem")
			if response, err := http.DefaultClient.Do(r); err != nil || response.Body.Close() != nil ||
				response.StatusCode != http.StatusBadRequest {
				t.Fatalf("got %v and error %v, want a table that is not found", response, err)
			}
		}
	})
	record.Note(t, record.Test{Left: true})
	got, err := record.Read(folder)
	want := []record.Test{{Package: "./localstack/aws/engines/record", Name: "TestWhatATestDoesIsNoted", Requests: 3,
		Left: true, Kinds: []string{
			"GetItem; ConsistentRead true; Key; TableName; 400com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",
			"GetItem; ExpressionAttributeNames; Key; ProjectionExpression at; TableName; " +
				"400com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",
		}}}
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("got error %v and a difference (-want +got):\n%s", err, cmp.Diff(want, got))
	}
}
