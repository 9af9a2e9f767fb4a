package dynamodb_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb"
	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
)

// oracleEndpoint returns the endpoint of DynamoDB Local. It returns false unless enginetest.All returns true.
func oracleEndpoint(t testing.TB) (string, bool) {
	t.Helper()
	if !enginetest.All(t) {
		return "", false
	}
	return enginetest.DynamoDB(t), true
}

// side is one of the two compared engines.
type side struct {
	name     string
	endpoint string
	client   *http.Client
	account  string // access key, which selects a database of DynamoDB Local
}

func engineSide(e *dynamodb.Engine) *side {
	return &side{"engine", "http://engine", &http.Client{Transport: e}, ""}
}

func oracleSide(endpoint, account string) *side {
	return &side{"oracle", endpoint, &http.Client{}, account}
}

type object = map[string]any
type list = []any

// call sends a request and returns the decoded answer, with numbers as text. An error of the service is also an answer.
func (s *side) call(t testing.TB, op string, body object) object {
	t.Helper()
	answer, err := s.send(op, body)
	if err != nil {
		t.Fatalf("%s: %s %s: %v", s.name, op, compact(body), err)
	}
	return answer
}

func (s *side) send(op string, body object) (object, error) {
	target := "DynamoDB_20120810." + op
	switch op {
	case "ListStreams", "DescribeStream", "GetShardIterator", "GetRecords":
		target = "DynamoDBStreams_20120810." + op
	}
	payload, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequest(http.MethodPost, s.endpoint, bytes.NewReader(payload))
	if err != nil {
		return nil, err
	}
	req.Header.Set("X-Amz-Target", target)
	req.Header.Set("Content-Type", "application/x-amz-json-1.0")
	req.Header.Set("X-Amz-Date", "20260101T000000Z")
	req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+s.account+
		"/20260101/eu-west-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0")
	res, err := s.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	var answer object
	decode := json.NewDecoder(bytes.NewReader(text))
	decode.UseNumber()
	if err := decode.Decode(&answer); err != nil {
		return nil, fmt.Errorf("status %d: %s: %w", res.StatusCode, text, err)
	}
	return answer, nil
}

func compact(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
