package simulator

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Write is what a call has changed in the table: the items that it put, and the keys of those that it updated and
// deleted.
type Write struct{ Puts, Updated, Deleted []Item }

// ReadWrite reads a call that has been done; false when it had been done before and its reply was lost, so that nothing
// was written.
func (w *World) ReadWrite(body []byte) (is Write, first bool) {
	call := Decoded[struct {
		Item               Item // of a PutItem
		ClientRequestToken string
		TransactItems      []struct {
			Put            struct{ Item Item }
			Update, Delete struct{ Key Item }
		}
	}](body)
	if len(call.Item) > 0 {
		is.Puts = append(is.Puts, call.Item)
	}
	w.Record(func() {
		first = call.ClientRequestToken == "" || !w.done[call.ClientRequestToken]
		w.done[call.ClientRequestToken] = true
	})
	for _, one := range call.TransactItems {
		if len(one.Put.Item) > 0 {
			is.Puts = append(is.Puts, one.Put.Item)
		}
		if len(one.Update.Key) > 0 {
			is.Updated = append(is.Updated, one.Update.Key)
		}
		if len(one.Delete.Key) > 0 {
			is.Deleted = append(is.Deleted, one.Delete.Key)
		}
	}
	return is, first
}

// Pick returns one of the ids; "" if there is none.
func Pick(rng *rand.Rand, ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return ids[rng.IntN(len(ids))]
}

// Encoded is a value as JSON.
func Encoded(v any) string {
	text, _ := json.Marshal(v) // of what was decoded, or of text, numbers and truths
	return string(text)
}

// During returns those of successive states that were there at some time from call to until; since is when one began.
func During[S any](states []S, call, until int64, since func(S) int64) (there []S) {
	for n, s := range states {
		if since(s) < until && (n+1 == len(states) || since(states[n+1]) > call) {
			there = append(there, s)
		}
	}
	return there
}

// Item is one of the table's, as plain JSON.
type Item map[string]any

// Text is a text or a number in the item; "" if there is none.
func (i Item) Text(name string) string {
	text, _ := i[name].(string)
	return text
}

// Partition is what a partition key says; without a tenant for the records of
// counterparties.
func Partition(pk string) store.Partition {
	p, _ := store.ParsePartition(pk)
	return p
}

// Kind is that of the item's partition.
func (i Item) Kind() store.Kind { return Partition(i.Text("pk")).Kind }

// Tenant is the one in the item's key, as text.
func (i Item) Tenant() string { return Partition(i.Text("pk")).Tenant.String() }

// Object is an object in the item.
func (i Item) Object(name string) Item {
	object, _ := i[name].(map[string]any)
	return object
}

// List is a list of objects in the item.
func (i Item) List(name string) (items []Item) {
	list, _ := i[name].([]any)
	for _, entry := range list {
		object, _ := entry.(map[string]any)
		items = append(items, object)
	}
	return items
}

// UnmarshalJSON decodes an item as the table's API has it.
func (i *Item) UnmarshalJSON(text []byte) error {
	var attributes map[string]events.DynamoDBAttributeValue
	err := json.Unmarshal(text, &attributes)
	*i = plainItem(attributes)
	return err
}

func plainItem(attributes map[string]events.DynamoDBAttributeValue) Item {
	out := make(Item, len(attributes))
	for name, value := range attributes {
		out[name] = plain(value)
	}
	return out
}

// plain turns an attribute value into a plain one; numbers stay text.
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
		return map[string]any(plainItem(v.Map()))
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

// withID adds the id of a checkout or transaction, which is in its key alone.
func withID(i Item) Item {
	if id, ok := strings.CutPrefix(i.Text("sk"), "TRANSACTION#"); ok {
		i["id"] = id
	} else if i.Kind() == store.KindCheckout {
		i["id"] = Partition(i.Text("pk")).Last
	}
	return i
}

// Scan reads the whole table.
func (w *World) Scan() []Item { return w.ScanPartitions("") }

// ScanPartitions reads the items whose partition keys begin with a prefix.
func (w *World) ScanPartitions(prefix string) []Item {
	var items []Item
	in := map[string]any{"TableName": w.Config.Table}
	if prefix != "" {
		in["FilterExpression"] = "begins_with(pk, :p)"
		in["ExpressionAttributeValues"] = map[string]any{":p": map[string]string{"S": prefix}}
	}
	for {
		var out struct {
			Items            []Item
			LastEvaluatedKey map[string]any
		}
		w.AWS(w.table, tables+"Scan", in, &out)
		for _, i := range out.Items {
			items = append(items, withID(i))
		}
		if out.LastEvaluatedKey == nil {
			return items
		}
		in["ExclusiveStartKey"] = out.LastEvaluatedKey
	}
}

// NextDue is when the sweep has something to do; the zero time for never.
func (w *World) NextDue() time.Time {
	next := ""
	for _, i := range w.DueItems(store.KindDue) {
		if at := i.Text("due_sk"); next == "" || at < next {
			next = at
		}
	}
	if next == "" {
		return time.Time{}
	}
	return DueAt(next)
}

// DueItems are all that a schedule will have to handle.
func (w *World) DueItems(what store.Kind) (due []Item) {
	for shard := range w.Config.DueShards {
		var out struct{ Items []Item }
		w.AWS(w.table, tables+"Query", map[string]any{
			"TableName": w.Config.Table, "IndexName": "due", "KeyConditionExpression": "due_pk = :p",
			"ExpressionAttributeValues": map[string]any{":p": map[string]string{"S": fmt.Sprintf("%s#%d", what, shard)}},
		}, &out)
		due = append(due, out.Items...)
	}
	return due
}

// DueAt is when something is due, by its place in the index.
func DueAt(place string) time.Time {
	var micros int64
	_, _ = fmt.Sscanf(place, "%d#", &micros)
	return time.UnixMicro(micros).Add(time.Second)
}

// Read reads one item.
func (w *World) Read(pk, sk string) Item {
	var out struct{ Item Item }
	w.AWS(w.table, tables+"GetItem", map[string]any{"TableName": w.Config.Table, "ConsistentRead": true,
		"Key": map[string]any{"pk": map[string]string{"S": pk}, "sk": map[string]string{"S": sk}}}, &out)
	return out.Item
}

// atRest says whether nothing is due and the queue is empty.
func (w *World) atRest() bool {
	if !w.NextDue().IsZero() {
		return false
	}
	return w.Empty(functions.Callbacks) && w.Empty(functions.Files)
}

// Empty says whether a queue holds no message, visible or not.
func (w *World) Empty(queue functions.Queue) bool {
	var out struct{ Attributes map[string]string }
	w.AWS(w.queues, queues+"GetQueueAttributes",
		map[string]any{"QueueUrl": w.urls[queue.Name], "AttributeNames": []string{"All"}}, &out)
	for _, name := range []string{"", "NotVisible", "Delayed"} {
		if out.Attributes["ApproximateNumberOfMessages"+name] != "0" {
			return false
		}
	}
	return true
}

// Sorted walks a map in the order of its keys.
func Sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Image is the item as the change left it; empty when it is gone.
func (c *Change) Image() Item {
	if c.read == nil {
		c.read = withID(plainItem(c.Change.NewImage))
	}
	return c.read
}

// SetCount changes an attribute of an item.
func (w *World) SetCount(count Item, name, kind string, to any) {
	w.AWS(w.table, tables+"UpdateItem", map[string]any{"TableName": w.Config.Table, "Key": keyOf(count),
		"UpdateExpression": "SET #name = :to", "ExpressionAttributeNames": map[string]string{"#name": name},
		"ExpressionAttributeValues": map[string]any{":to": map[string]any{kind: fmt.Sprint(to)}}}, &struct{}{})
}

// DeleteItem deletes an item.
func (w *World) DeleteItem(i Item) {
	w.AWS(w.table, tables+"DeleteItem", map[string]any{"TableName": w.Config.Table, "Key": keyOf(i)}, &struct{}{})
}

func keyOf(i Item) map[string]any {
	return map[string]any{"pk": map[string]string{"S": i.Text("pk")}, "sk": map[string]string{"S": i.Text("sk")}}
}

// Number is a number in the item; 0 if there is none.
func (i Item) Number(name string) (n int) {
	_, _ = fmt.Sscan(fmt.Sprint(i[name]), &n)
	return n
}

// Time is a time in the item.
func (i Item) Time(name string) time.Time {
	at, _ := time.Parse(time.RFC3339Nano, i.Text(name))
	return at
}

// Seconds is a time in the item that is stored in seconds.
func (i Item) Seconds(name string) time.Time {
	n, _ := strconv.ParseInt(i.Text(name), 10, 64)
	return time.Unix(n, 0)
}
