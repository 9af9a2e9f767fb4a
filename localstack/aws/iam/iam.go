// Package iam lists the actions, resources and leading keys that IAM would authorise for a call to AWS. Tests use
// Requests to record and to refuse calls.
package iam

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/localstack/aws/sdkcall"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Request is one action that IAM authorises. A transaction or batch makes several Requests.
type Request struct {
	Action    string
	Resource  string // "identity" of a sender, "objects", a queue's name, "index/<name>", or "" for the table
	Kind      string // of the partition; "" for a scan, or for a call to another service
	Condition string // of a write, as returned by sdkcall.Named
	Partition string // partition key, which begins with Kind
}

// Permission returns a line of functions/access.json, such as "PutItem CHECKOUT" or "Query index/due DUE".
func (r Request) Permission() string {
	words := []string{r.Action, r.Resource, r.Kind}
	if r.Resource == "" && r.Kind == "" {
		words[1] = "table"
	}
	return strings.Join(slices.DeleteFunc(words, func(word string) bool { return word == "" }), " ")
}

// ErrJournal reports a write that could change a journal entry.
var ErrJournal = errors.New("iam: a journal entry is only added, on condition that there is none")

// isNew is the only condition that keeps a put from replacing an item.
const isNew = "attribute_not_exists(pk)"

// CheckJournal returns ErrJournal for a write that could change or remove a journal entry. IAM itself denies all writes
// except puts (infra/tablepolicy.go). A put needs a condition, which IAM cannot see.
func (r Request) CheckJournal() error {
	reads := slices.Contains([]string{"GetItem", "BatchGetItem", "ConditionCheckItem", "Query"}, r.Action)
	if r.Kind != string(store.KindJournal) || reads || r.Action == "PutItem" && r.Condition == isNew {
		return nil
	}
	return fmt.Errorf("%w: %s under the condition %q", ErrJournal, r.Permission(), r.Condition)
}

// attributes are the string attributes of an item or a key.
type attributes map[string]struct{ S string }

type write struct {
	Key, Item                attributes
	ConditionExpression      string
	ExpressionAttributeNames map[string]string
}

func (w write) condition() string {
	text := sdkcall.Named(w.ConditionExpression, w.ExpressionAttributeNames)
	for strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") {
		text = text[1 : len(text)-1]
	}
	return text
}

func (w write) request(action string) (Request, error) {
	pk := w.Key[store.PartitionKey].S
	if w.Item != nil {
		pk = w.Item[store.PartitionKey].S
	}
	kind, err := kindOf(pk)
	return Request{Action: action, Kind: kind, Condition: w.condition(), Partition: pk}, err
}

// kindOf returns the start of a partition key. Policies distinguish kinds by this start.
func kindOf(pk string) (string, error) {
	kind, _, ok := strings.Cut(pk, "#")
	if !ok || kind == "" {
		return "", fmt.Errorf("iam: the partition key %q begins with no kind", pk)
	}
	return kind, nil
}

type call struct {
	write

	QueueURL      string `json:"QueueUrl"`
	IndexName     string
	KeyConditions map[string]struct{ AttributeValueList []struct{ S string } }
	RequestItems  map[string]json.RawMessage
	TransactItems []map[string]write
}

// transactionActions maps the members of a transaction to IAM's actions (AWS: "IAM policies for transactions").
var transactionActions = map[string]string{
	"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem",
	"Get": "GetItem",
}

var objectActions = []string{"GetObject", "GetObjectVersion", "PutObject", "DeleteObject", "DeleteObjectVersion",
	"ListBucketVersions"}

// Requests returns the actions that IAM authorises for a call to DynamoDB, SQS, SES or S3 (AWS: "Service Authorization
// Reference"). Each member of a transaction has its own action. An index is a separate resource. A batch of messages
// counts as SendMessage. Requests fails if the body lacks a necessary partition.
func Requests(operation string, body []byte) ([]Request, error) {
	if slices.Contains(objectActions, operation) {
		return []Request{{Action: operation, Resource: "objects"}}, nil
	}
	var c call
	if err := json.Unmarshal(body, &c); err != nil {
		return nil, fmt.Errorf("iam: %s: %w", operation, err)
	}
	switch {
	case operation == "SendEmail":
		return []Request{{Action: operation, Resource: "identity"}}, nil
	case c.TransactItems != nil:
		return c.members()
	case c.QueueURL != "":
		return []Request{{Action: strings.TrimSuffix(operation, "Batch"), Resource: path.Base(c.QueueURL)}}, nil
	case operation == "Query":
		return c.query()
	case c.RequestItems != nil:
		return c.batch(operation)
	case c.Key != nil || c.Item != nil:
		return asSlice(c.request(operation))
	default: // a call for the whole table
		return []Request{{Action: operation}}, nil
	}
}

func asSlice(r Request, err error) ([]Request, error) { return []Request{r}, err }

func (c call) members() (all []Request, err error) {
	for _, item := range c.TransactItems {
		for member, w := range item {
			r, err := w.request(transactionActions[member])
			if err != nil {
				return nil, err
			}
			all = append(all, r)
		}
	}
	return all, nil
}

func (c call) query() ([]Request, error) {
	r := Request{Action: "Query"}
	partition := store.PartitionKey
	if c.IndexName != "" {
		r.Resource = "index/" + c.IndexName
		at := slices.IndexFunc(store.Indexes, func(i store.Index) bool { return i.Name == c.IndexName })
		if at < 0 {
			return nil, fmt.Errorf("iam: a query of the unknown index %q", c.IndexName)
		}
		partition = store.Indexes[at].Partition
	}
	values := c.KeyConditions[partition].AttributeValueList
	if len(values) != 1 {
		return nil, fmt.Errorf("iam: a query of %d partitions by %s", len(values), partition)
	}
	var err error
	r.Partition = values[0].S
	r.Kind, err = kindOf(r.Partition)
	return asSlice(r, err)
}

// batch returns the reads or writes of a batch. Batched writes have no conditions.
func (c call) batch(operation string) (all []Request, err error) {
	for _, of := range c.RequestItems {
		var keys struct{ Keys []attributes }
		var writes []struct{ PutRequest, DeleteRequest write }
		if operation == "BatchGetItem" {
			err = json.Unmarshal(of, &keys)
		} else {
			err = json.Unmarshal(of, &writes)
		}
		for _, w := range writes {
			keys.Keys = append(keys.Keys, w.PutRequest.Item, w.DeleteRequest.Key)
		}
		for _, key := range slices.DeleteFunc(keys.Keys, func(key attributes) bool { return key == nil }) {
			r, invalid := write{Key: key}.request(operation)
			if invalid != nil {
				return nil, invalid
			}
			all = append(all, r)
		}
	}
	return all, err
}
