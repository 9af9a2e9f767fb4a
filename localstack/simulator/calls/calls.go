// Package calls decodes calls to the table and queues. Use Summary to name a call, and Mutation to change it.
package calls

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/cashwrap/cashwrap/shared/store"
)

// Summary returns the name of an operation and the keys in its request, in order, and the segment of a scan.
func Summary(operation string, body []byte) string {
	var b strings.Builder
	b.WriteString(operation)
	text := string(body)
	if operation == "SendMessageBatch" {
		var batch struct {
			Entries []struct{ MessageBody string }
		}
		_ = json.Unmarshal(body, &batch)
		for _, message := range batch.Entries {
			b.WriteString(" " + message.MessageBody)
		}
		return b.String()
	}
	if operation == "Scan" {
		var scan struct{ Segment int }
		_ = json.Unmarshal(body, &scan)
		fmt.Fprintf(&b, " %d", scan.Segment)
	}
	for _, name := range []string{"pk", "sk", DuePartition, ListPartition} {
		for _, value := range ValuesOf(text, name) {
			b.WriteByte(' ')
			b.WriteString(value)
		}
		if name == "sk" && operation != "Query" {
			break
		}
	}
	return b.String()
}

// The partition keys of the indexes.
const (
	DuePartition  = "due_pk"
	ListPartition = "list_pk"
)

// ValuesOf returns all string values of an attribute in a request: in items, keys and key conditions.
func ValuesOf(text, name string) (values []string) {
	for _, form := range []string{`"` + name + `":{"S":"`, `"` + name + `":{"AttributeValueList":[{"S":"`} {
		for rest := text; ; {
			at := strings.Index(rest, form)
			if at < 0 {
				break
			}
			rest = rest[at+len(form):]
			value, _, _ := strings.Cut(rest, `"`)
			values = append(values, value)
		}
	}
	return values
}

// Item is an item of the table as plain JSON.
type Item map[string]any

// Text returns a text or a number in the item. It returns "" if the item does not have the name.
func (i Item) Text(name string) string {
	text, _ := i[name].(string)
	return text
}

// Partition parses a partition key. The partitions of counterparties have no tenant.
func Partition(pk string) store.Partition {
	p, _ := store.ParsePartition(pk)
	return p
}

// Kind returns the kind of the item's partition.
func (i Item) Kind() store.Kind { return Partition(i.Text("pk")).Kind }

// Tenant returns the tenant in the item's key, as text.
func (i Item) Tenant() string { return Partition(i.Text("pk")).Tenant.String() }

// Object returns an object in the item.
func (i Item) Object(name string) Item {
	object, _ := i[name].(map[string]any)
	return object
}

// List returns a list of objects in the item.
func (i Item) List(name string) (items []Item) {
	list, _ := i[name].([]any)
	for _, entry := range list {
		object, _ := entry.(map[string]any)
		items = append(items, object)
	}
	return items
}

// UnmarshalJSON decodes an item from the format of the table's API.
func (i *Item) UnmarshalJSON(text []byte) error {
	var attributes map[string]events.DynamoDBAttributeValue
	err := json.Unmarshal(text, &attributes)
	*i = Plain(attributes)
	return err
}

// Plain decodes an item from the format of stream records.
func Plain(attributes map[string]events.DynamoDBAttributeValue) Item {
	out := make(Item, len(attributes))
	for name, value := range attributes {
		out[name] = plain(value)
	}
	return out
}

// plain converts an attribute value to a plain JSON value. Numbers stay text.
func plain(v events.DynamoDBAttributeValue) any {
	switch v.DataType() {
	case events.DataTypeString:
		return v.String()
	case events.DataTypeNumber:
		return v.Number()
	case events.DataTypeBoolean:
		return v.Boolean()
	case events.DataTypeBinary:
		return string(v.Binary())
	case events.DataTypeMap:
		return map[string]any(Plain(v.Map()))
	case events.DataTypeList:
		return plainList(v.List(), plain)
	case events.DataTypeStringSet:
		return plainList(v.StringSet(), func(text string) any { return text })
	default:
		return nil
	}
}

func plainList[T any](of []T, plain func(T) any) []any {
	list := make([]any, len(of))
	for i, element := range of {
		list[i] = plain(element)
	}
	return list
}

// Number returns a number in the item, or 0 if there is none.
func (i Item) Number(name string) (n int) {
	_, _ = fmt.Sscan(fmt.Sprint(i[name]), &n)
	return n
}

// Time returns a time in the item.
func (i Item) Time(name string) time.Time {
	at, _ := time.Parse(time.RFC3339Nano, i.Text(name))
	return at
}

// Seconds returns a time that the item stores in seconds.
func (i Item) Seconds(name string) time.Time {
	return time.Unix(int64(i.Number(name)), 0)
}
