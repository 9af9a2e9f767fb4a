// Package iam reads calls to AWS as IAM does: actions, resources and leading keys. Tests record and refuse by it.
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

// Request is one action that IAM authorises. A call has several if it is a transaction or a batch.
type Request struct {
	Action    string
	Resource  string // "identity" of a sender, "objects", the name of a queue, "index/<name>", or "" for the table
	Kind      string // of the partition; "" if the call names none: a scan, or no call to the table
	Condition string // of a write, as sdkcall.Named returns it
	Partition string // whose kind Kind is
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

// isNew is the one condition under which a put replaces nothing.
const isNew = "attribute_not_exists(pk)"

// CheckJournal returns ErrJournal for a write that could change or remove a journal entry. IAM denies all but puts
// (infra/tablepolicy.go); a put needs a condition, which IAM cannot see.
func (r Request) CheckJournal() error {
	reads := slices.Contains([]string{"GetItem", "BatchGetItem", "ConditionCheckItem", "Query"}, r.Action)
	if r.Kind != string(store.KindJournal) || reads || r.Action == "PutItem" && r.Condition == isNew {
		return nil
	}
	return fmt.Errorf("%w: %s under the condition %q", ErrJournal, r.Permission(), r.Condition)
}

// attributes are those of an item or a key; only strings count.
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

// kindOf returns the part of a key by which policies tell kinds apart.
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

// ofTransactions are IAM's actions for members of a transaction (AWS: "IAM policies for transactions").
var ofTransactions = map[string]string{
	"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem",
	"Get": "GetItem",
}

var ofObjects = []string{"GetObject", "GetObjectVersion", "PutObject", "DeleteObject", "DeleteObjectVersion",
	"ListBucketVersions"}

// Requests returns what IAM authorises of a call to DynamoDB, SQS, SES or S3, each once in order (AWS: "Service
// Authorization Reference"). Members of a transaction have separate actions, an index is a separate resource, and a
// batch of messages is SendMessage. Error: a body without a necessary partition.
func Requests(operation string, body []byte) ([]Request, error) {
	if slices.Contains(ofObjects, operation) {
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
		return one(c.request(operation))
	default: // of the table as a whole
		return []Request{{Action: operation}}, nil
	}
}

func one(r Request, err error) ([]Request, error) { return []Request{r}, err }

func (c call) members() (all []Request, err error) {
	for _, item := range c.TransactItems {
		for member, w := range item {
			r, err := w.request(ofTransactions[member])
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
	return one(r, err)
}

// batch returns the reads or writes of a batch. Its writes have no conditions.
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
