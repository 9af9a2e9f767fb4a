package world

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/cashwrap/cashwrap/localstack/faults"
)

// TestWhatIAMChecksOfACall, by AWS's Service Authorization Reference.
func TestWhatIAMChecksOfACall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ operation, body, want string }{
		{"GetItem", `{"TableName":"t","Key":{}}`, "GetItem table"},
		{"BatchGetItem", `{"RequestItems":{}}`, "BatchGetItem table"},
		{"BatchWriteItem", `{"RequestItems":{}}`, "BatchWriteItem table"},
		{"Query", `{"TableName":"t"}`, "Query table"},
		{"Query", `{"TableName":"t","IndexName":"due"}`, "Query index/due"},
		{"Scan", `{"TableName":"t"}`, "Scan table"},
		{"TransactWriteItems", `{"TransactItems":[{"Put":{}},{"Update":{}},{"Delete":{}},{"ConditionCheck":{}}]}`,
			"PutItem table,UpdateItem table,DeleteItem table,ConditionCheckItem table"},
		{"TransactGetItems", `{"TransactItems":[{"Get":{}}]}`, "GetItem table"},
		{"SendMessage", `{"QueueUrl":"http://sqs.test/000000000000/callbacks"}`, "SendMessage callbacks"},
		{"SendMessageBatch", `{"QueueUrl":"http://sqs.test/000000000000/payouts"}`, "SendMessage payouts"},
	} {
		got, err := permissionsOf(c.operation, []byte(c.body))
		if err != nil || strings.Join(got, ",") != c.want {
			t.Errorf("%s %s: got %q and error %v, want %s", c.operation, c.body, got, err, c.want)
		}
	}
}

// TestCallsAreTheirFunctions: by the context; those without a function are recorded too, but not
// a test's own.
func TestCallsAreTheirFunctions(t *testing.T) {
	t.Parallel()
	p := &Permits{}
	next := faults.RoundTrip(func(*http.Request) (*http.Response, error) { return &http.Response{Body: http.NoBody}, nil })
	call := func(inspecting bool, operation, function string) {
		ctx := t.Context()
		if function != "" {
			ctx = lambdacontext.NewContext(ctx, &lambdacontext.LambdaContext{InvokedFunctionArn: "arn:aws:lambda:r:1:function:" +
				function})
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://dynamodb.test", strings.NewReader(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
		response, err := p.over(next, inspecting).RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
	}
	call(false, "PutItem", "sweep")
	call(false, "GetItem", "sweep")
	call(false, "GetItem", "sweep")
	call(true, "Query", "relay")
	call(true, "Scan", "")
	call(false, "DeleteItem", "")
	for function, want := range map[string][]string{"sweep": {"GetItem table", "PutItem table"}, "relay": {"Query table"},
		"": {"DeleteItem table"}} {
		if got := p.Of(function); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", function, got, want)
		}
	}
}
