package iam_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/aws/iam"
)

const (
	itemOf = `"Item":{"pk":{"S":"CHECKOUT#T#MC1#1"},"sk":{"S":"KEY#"},"number":{"N":"1"}}`
	keyOf  = `"Key":{"pk":{"S":"JOURNAL#T#MC1#1"},"sk":{"S":"payment#1"}}`
	nested = `"Item":{"pk":{"S":"JOURNAL#T#MC1#1"},"sk":{"S":"payment#1"},"of":{"M":{"pk":{"S":"KEY#"}}}}`
)

// TestRequests compares Requests with AWS's Service Authorization Reference.
func TestRequests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ operation, body, want string }{
		{"GetItem", `{"TableName":"t",` + keyOf + `}`, "GetItem JOURNAL"},
		{"PutItem", `{"TableName":"t",` + itemOf + `}`, "PutItem CHECKOUT"},
		{"PutItem", `{"TableName":"t",` + nested + `}`, "PutItem JOURNAL"},
		{"UpdateItem", `{"TableName":"t",` + keyOf + `}`, "UpdateItem JOURNAL"},
		{"DeleteItem", `{"TableName":"t",` + keyOf + `}`, "DeleteItem JOURNAL"},
		{"BatchGetItem", `{"RequestItems":{"t":{"Keys":[{"pk":{"S":"KEY#1"}},{"pk":{"S":"MERCHANT#1"}}]}}}`,
			"BatchGetItem KEY,BatchGetItem MERCHANT"},
		{"BatchWriteItem", `{"RequestItems":{"t":[{"PutRequest":{` + itemOf + `}},{"DeleteRequest":{` + keyOf + `}}]}}`,
			"BatchWriteItem CHECKOUT,BatchWriteItem JOURNAL"},
		{"Query", `{"TableName":"t","KeyConditions":{"pk":{"AttributeValueList":[{"S":"PAYABLE#T#MC1#EUR"}]},` +
			`"sk":{"AttributeValueList":[{"S":"DEBIT#"},{"S":"DEBIT#~"}]}}}`, "Query PAYABLE"},
		{"Query", `{"TableName":"t","IndexName":"due","KeyConditions":{"due_pk":{"AttributeValueList":[{"S":"DUE#1"}]}}}`,
			"Query index/due DUE"},
		{"Scan", `{"TableName":"t"}`, "Scan table"},
		{"TransactWriteItems", `{"TransactItems":[{"Put":{` + itemOf + `}},{"Update":{` + keyOf + `}},{"Delete":{` + keyOf +
			`}},{"ConditionCheck":{` + keyOf + `}}]}`,
			"PutItem CHECKOUT,UpdateItem JOURNAL,DeleteItem JOURNAL,ConditionCheckItem JOURNAL"},
		{"TransactGetItems", `{"TransactItems":[{"Get":{` + keyOf + `}}]}`, "GetItem JOURNAL"},
		{"SendMessage", `{"QueueUrl":"http://sqs.test/000000000000/callbacks"}`, "SendMessage callbacks"},
		{"SendEmail", `{"FromEmailAddress":"a@example.com"}`, "SendEmail identity"},
		{"GetObject", "", "GetObject objects"},
		{"ListBucketVersions", "", "ListBucketVersions objects"},
		{"SendMessageBatch", `{"QueueUrl":"http://sqs.test/000000000000/payouts"}`, "SendMessage payouts"},
	} {
		requests, err := iam.Requests(c.operation, []byte(c.body))
		var got []string
		for _, r := range requests {
			got = append(got, r.Permission())
		}
		if err != nil || strings.Join(got, ",") != c.want {
			t.Errorf("%s %s: got %q and error %v, want %s", c.operation, c.body, got, err, c.want)
		}
	}
}

// TestRequests_WithoutKind checks that Requests refuses a call without a readable kind, because no role can be granted
// such a call.
func TestRequests_WithoutKind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ operation, body string }{
		{"GetItem", `{"Key":{"pk":{"S":"CHECKOUT"}}}`},
		{"GetItem", `{"Key":{"pk":{"S":"#1"}}}`},
		{"PutItem", `{"Item":{"sk":{"S":"KEY#1"}}}`},
		{"Query", `{"TableName":"t"}`},
		{"Query", `{"KeyConditionExpression":"pk = :p"}`},
		{"Query", `{"IndexName":"of another table","KeyConditions":{"pk":{"AttributeValueList":[{"S":"KEY#1"}]}}}`},
		{"Query", `{"IndexName":"due","KeyConditions":{"pk":{"AttributeValueList":[{"S":"KEY#1"}]}}}`},
		{"TransactWriteItems", `{"TransactItems":[{"Put":{}}]}`},
		{"BatchGetItem", `{"RequestItems":{"t":{"Keys":[{}]}}}`},
		{"Scan", `{`},
	} {
		if got, err := iam.Requests(c.operation, []byte(c.body)); err == nil {
			t.Errorf("%s %s: got %+v, want an error", c.operation, c.body, got)
		}
	}
}

// TestCheckJournal checks that journal entries are never replaced, not even in transactions.
func TestCheckJournal(t *testing.T) {
	t.Parallel()
	put := func(condition string) string { return `{` + nested + condition + `}` }
	in := func(member, body string) string { return `{"TransactItems":[{"` + member + `":` + body + `}]}` }
	const isNew = `,"ConditionExpression":"attribute_not_exists(pk)"`
	for _, c := range []struct {
		operation, body string
		may             bool
	}{
		{"PutItem", put(isNew), true},
		{"PutItem", put(`,"ConditionExpression":"(attribute_not_exists(#p))","ExpressionAttributeNames":{"#p":"pk"}`), true},
		{"PutItem", put(`,"ConditionExpression":"attribute_not_exists(#p)","ExpressionAttributeNames":{"#p":"sort"}`), false},
		{"PutItem", put(`,"ConditionExpression":"attribute_not_exists(pk) OR version = :v"`), false},
		{"PutItem", put(""), false},
		{"PutItem", `{` + itemOf + `}`, true},
		{"UpdateItem", `{` + keyOf + `}`, false},
		{"DeleteItem", `{` + keyOf + isNew + `}`, false},
		{"GetItem", `{` + keyOf + `}`, true},
		{"Scan", `{}`, true},
		{"BatchWriteItem", `{"RequestItems":{"t":[{"PutRequest":{` + nested + `}}]}}`, false},
		{"TransactWriteItems", in("Put", put(isNew)), true},
		{"TransactWriteItems", in("Put", put("")), false},
		{"TransactWriteItems", in("Update", `{`+keyOf+`}`), false},
		{"TransactWriteItems", in("Delete", `{`+keyOf+`}`), false},
		{"TransactGetItems", in("Get", `{`+keyOf+`}`), true},
	} {
		requests, err := iam.Requests(c.operation, []byte(c.body))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range requests {
			if err := r.CheckJournal(); errors.Is(err, iam.ErrJournal) == c.may {
				t.Errorf("%s %s: got %v, want it allowed: %t", c.operation, c.body, err, c.may)
			}
		}
	}
}
