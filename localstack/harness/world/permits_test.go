package world

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/cashwrap/cashwrap/localstack/aws/iam"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
)

// TestPermits_Of checks that each call counts for the function in the call's context. A call without a function counts
// for the name "". If an inspecting test makes such a call, the call does not count.
func TestPermits_Of(t *testing.T) {
	t.Parallel()
	p := &Permits{}
	next := faults.RoundTrip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
	})
	const body = `{"Key":{"pk":{"S":"CHECKOUT#T#MC1#1"}}}`
	call := func(inspecting bool, operation, function string) int {
		ctx := t.Context()
		if function != "" {
			ctx = lambdacontext.NewContext(ctx, &lambdacontext.LambdaContext{InvokedFunctionArn: "arn:aws:lambda:r:1:function:" +
				function})
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://dynamodb.test",
			strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
		response, err := p.wrap(next, inspecting).RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode
	}
	call(false, "PutItem", "sweep")
	call(false, "GetItem", "sweep")
	call(false, "GetItem", "sweep")
	call(true, "GetItem", "relay")
	call(true, "Scan", "")
	call(false, "DeleteItem", "")
	for function, want := range map[string][]string{"sweep": {"GetItem CHECKOUT", "PutItem CHECKOUT"},
		"relay": {"GetItem CHECKOUT"}, "": {"DeleteItem CHECKOUT"}} {
		if got := p.Of(function); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", function, got, want)
		}
	}
}

// TestPermits_Refused checks that Permits refuses actions that the function's role does not allow, and any change of a
// journal entry.
func TestPermits_Refused(t *testing.T) {
	t.Parallel()
	checkout, entry := `"pk":{"S":"CHECKOUT#T#MC1#1"}`, `"pk":{"S":"JOURNAL#T#MC1#1"}`
	for _, c := range []struct {
		function, operation, body string
		learning, want            bool
	}{
		{"sweep", "GetItem", `{"Key":{` + checkout + `}}`, false, true},
		{"sweep", "DeleteItem", `{"Key":{` + checkout + `}}`, false, false},
		{"relay", "GetItem", `{"Key":{` + checkout + `}}`, false, false},
		{"relay", "GetItem", `{"Key":{` + checkout + `}}`, true, true},
		{"", "GetItem", `{"Key":{` + checkout + `}}`, false, false},
		{"sweep", "TransactWriteItems", `{"TransactItems":[{"Put":{"Item":{` + checkout + `}}},` +
			`{"Update":{"Key":{` + checkout + `}}}]}`, false, false},
		{"sweep", "PutItem", `{"Item":{` + entry + `},"ConditionExpression":"attribute_not_exists(pk)"}`, false, true},
		{"sweep", "PutItem", `{"Item":{` + entry + `}}`, false, false},
		{"sweep", "PutItem", `{"Item":{` + entry + `}}`, true, false},
		{"sweep", "UpdateItem", `{"Key":{` + entry + `}}`, true, false},
	} {
		p := &Permits{Learning: c.learning}
		requests, err := iam.Requests(c.operation, []byte(c.body))
		if got := err == nil && p.allow(c.function, requests); got != c.want {
			t.Errorf("%+v: got it allowed: %t", c, got)
		}
		if isEntry := strings.Contains(c.body, "JOURNAL"); isEntry && !c.want && len(p.bad) == 0 {
			t.Errorf("%+v: got no error for the test, want one", c)
		}
	}
}
