package simulator

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/aws/iam"
	"github.com/cashwrap/cashwrap/shared/store"
)

// finding is something that must not be.
type finding struct {
	About string // checkout it is about, or ""
	Text  string
}

// findings are safe for concurrent use.
type findings struct {
	mu   sync.Mutex
	list []finding
}

// find notes what must not be.
func (w *World) find(about, format string, args ...any) {
	f := finding{about, fmt.Sprintf(format, args...)}
	w.findings.add(f)
	w.notef("FINDING", "%s %s", about, f.Text)
}

func (f *findings) add(more finding) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, more)
}

// Findings are all of them; none in a world in order.
func (w *World) Findings() []finding {
	w.findings.mu.Lock()
	defer w.findings.mu.Unlock()
	return slices.Clone(w.findings.list)
}

// History is everything that happened, a line each.
func (w *World) History() string { return w.history.String() }

// Trace is what happened around a checkout, with what shares no key with it
// left out.
func (w *World) Trace(checkout string) string {
	if checkout == "" {
		return w.History()
	}
	texts := []string{checkout, "clocks", "faults", "FINDING"}
	for _, i := range w.scan() {
		if id := i.text("id"); id != "" && i.text("checkout_id") == checkout {
			texts = append(texts, id)
		}
	}
	return w.history.about(texts...)
}

// checkKeys sees that a request touches its own tenant's keys only. What
// belongs to no tenant, and the session tokens that lead to one, are shared.
func (w *World) checkKeys(by *invocation, operation string, body []byte) {
	if by.tenant == "" {
		return
	}
	text := string(body)
	_, merchant, _ := strings.Cut(by.tenant, "#")
	for _, key := range append(valuesOf(text, "pk"), valuesOf(text, listPartition)...) {
		p := partition(key)
		own := p.Tenant.String() == by.tenant || key == "MERCHANT#"+merchant || key == "AUDIT#"+merchant
		shared := slices.Contains(iam.Unguessable, p.Kind)
		// Of what changes together with a merchant, the other mode's is read, but never written.
		sibling := p.Kind == store.KindPayoutSchedule && p.Tenant.Merchant == merchant && operation == "BatchGetItem"
		if !own && !shared && !sibling && !w.asksBank(key, by.tenant) {
			w.find("", "%s of %s touched %s in %s", by.actor, by.tenant, key, operation)
		}
	}
	if len(valuesOf(text, duePartition)) > 0 && strings.Contains(text, `"KeyConditions"`) {
		w.find("", "%s of %s read the due index", by.actor, by.tenant)
	}
}

// asksBank says whether a key is of the tenant's question to live mode's bank, about an
// account: those are in one table with the rest.
func (w *World) asksBank(key, tenant string) bool {
	if !strings.HasPrefix(key, "FILEBANK#ACCOUNT#") {
		return key == "FILEBANK#ASKED"
	}
	asked := w.read(key, "ACCOUNT")
	return len(asked) == 0 || asked.text("tenant") == tenant
}

// checkRights sees that a function does only what its role allows, and that no
// journal entry is ever changed.
func (w *World) checkRights(by *invocation, operation string, body []byte) {
	requests, err := iam.Requests(operation, body)
	if err != nil {
		w.find("", "%s: %v", by.actor, err)
	}
	for _, r := range requests {
		if err := r.CheckJournal(); err != nil {
			w.find("", "%s: %v", by.actor, err)
		}
		if !slices.Contains(functions.Function{Name: by.name}.Permissions(), r.Permission()) {
			w.find("", "%s used %s, which functions/access.json does not give it", by.actor, r.Permission())
		}
	}
}

// item is one of the table's, as plain JSON.
type item map[string]any

func (i item) text(name string) string {
	text, _ := i[name].(string)
	return text
}

// partition is what a partition key says; without a tenant for the records of
// counterparties.
func partition(pk string) store.Partition {
	p, _ := store.ParsePartition(pk)
	return p
}

func (i item) kind() store.Kind { return partition(i.text("pk")).Kind }

// tenant is the one in the item's key, as text.
func (i item) tenant() string { return partition(i.text("pk")).Tenant.String() }

func (i item) object(name string) item {
	object, _ := i[name].(map[string]any)
	return object
}

func (i item) list(name string) (items []item) {
	list, _ := i[name].([]any)
	for _, entry := range list {
		object, _ := entry.(map[string]any)
		items = append(items, object)
	}
	return items
}

// UnmarshalJSON decodes an item as the table's API has it.
func (i *item) UnmarshalJSON(text []byte) error {
	var attributes map[string]events.DynamoDBAttributeValue
	err := json.Unmarshal(text, &attributes)
	*i = plainItem(attributes)
	return err
}

func plainItem(attributes map[string]events.DynamoDBAttributeValue) item {
	out := make(item, len(attributes))
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
func withID(i item) item {
	if id, ok := strings.CutPrefix(i.text("sk"), "TRANSACTION#"); ok {
		i["id"] = id
	} else if i.kind() == store.KindCheckout {
		i["id"] = partition(i.text("pk")).Last
	}
	return i
}

// scan reads the whole table.
func (w *World) scan() []item { return w.scanPartitions("") }

// scanPartitions reads the items whose partition keys begin with a prefix.
func (w *World) scanPartitions(prefix string) []item {
	var items []item
	in := map[string]any{"TableName": w.config.Table}
	if prefix != "" {
		in["FilterExpression"] = "begins_with(pk, :p)"
		in["ExpressionAttributeValues"] = map[string]any{":p": map[string]string{"S": prefix}}
	}
	for {
		var out struct {
			Items            []item
			LastEvaluatedKey map[string]any
		}
		w.aws(w.table, tables+"Scan", in, &out)
		for _, i := range out.Items {
			items = append(items, withID(i))
		}
		if out.LastEvaluatedKey == nil {
			return items
		}
		in["ExclusiveStartKey"] = out.LastEvaluatedKey
	}
}

// nextDue is when the sweep has something to do; the zero time for never.
func (w *World) nextDue() time.Time {
	next := ""
	for _, i := range w.dueItems(store.KindDue) {
		if at := i.text("due_sk"); next == "" || at < next {
			next = at
		}
	}
	if next == "" {
		return time.Time{}
	}
	return dueAt(next)
}

// dueItems are all that a schedule will have to handle.
func (w *World) dueItems(what store.Kind) (due []item) {
	for shard := range w.config.DueShards {
		var out struct{ Items []item }
		w.aws(w.table, tables+"Query", map[string]any{
			"TableName": w.config.Table, "IndexName": "due", "KeyConditionExpression": "due_pk = :p",
			"ExpressionAttributeValues": map[string]any{":p": map[string]string{"S": fmt.Sprintf("%s#%d", what, shard)}},
		}, &out)
		due = append(due, out.Items...)
	}
	return due
}

// dueAt is when something is due, by its place in the index.
func dueAt(place string) time.Time {
	var micros int64
	_, _ = fmt.Sscanf(place, "%d#", &micros)
	return time.UnixMicro(micros).Add(time.Second)
}

func (w *World) read(pk, sk string) item {
	var out struct{ Item item }
	w.aws(w.table, tables+"GetItem", map[string]any{"TableName": w.config.Table, "ConsistentRead": true,
		"Key": map[string]any{"pk": map[string]string{"S": pk}, "sk": map[string]string{"S": sk}}}, &out)
	return out.Item
}

// atRest says whether nothing is due and the queue is empty.
func (w *World) atRest() bool {
	if !w.nextDue().IsZero() {
		return false
	}
	return w.empty(functions.Callbacks) && w.empty(functions.Files)
}

// empty says whether a queue holds no message, visible or not.
func (w *World) empty(queue functions.Queue) bool {
	var out struct{ Attributes map[string]string }
	w.aws(w.queues, queues+"GetQueueAttributes", map[string]any{"QueueUrl": w.urls[queue.Name], "AttributeNames": []string{"All"}}, &out)
	for _, name := range []string{"", "NotVisible", "Delayed"} {
		if out.Attributes["ApproximateNumberOfMessages"+name] != "0" {
			return false
		}
	}
	return true
}

// sorted walks a map in the order of its keys.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// image is the item as the change left it; empty when it is gone.
func (c *change) image() item {
	if c.read == nil {
		c.read = withID(plainItem(c.Change.NewImage))
	}
	return c.read
}

// images are all states of all items of one sort, in order.
func (w *World) images(sort string) (images []item) {
	for _, c := range w.changes {
		if i := c.image(); i.text("sk") == sort {
			images = append(images, i)
		}
	}
	return images
}

// setCount changes an attribute of an item.
func (w *World) setCount(count item, name, kind string, to any) {
	w.aws(w.table, tables+"UpdateItem", map[string]any{"TableName": w.config.Table, "Key": keyOf(count),
		"UpdateExpression": "SET #name = :to", "ExpressionAttributeNames": map[string]string{"#name": name},
		"ExpressionAttributeValues": map[string]any{":to": map[string]any{kind: fmt.Sprint(to)}}}, &struct{}{})
}

// deleteItem deletes an item.
func (w *World) deleteItem(i item) {
	w.aws(w.table, tables+"DeleteItem", map[string]any{"TableName": w.config.Table, "Key": keyOf(i)}, &struct{}{})
}

func keyOf(i item) map[string]any {
	return map[string]any{"pk": map[string]string{"S": i.text("pk")}, "sk": map[string]string{"S": i.text("sk")}}
}

// number reads an attribute; 0 if there is none.
func number(v any) (n int) {
	_, _ = fmt.Sscan(fmt.Sprint(v), &n)
	return n
}

// timeOf is a time in an item.
func timeOf(i item, name string) time.Time {
	at, _ := time.Parse(time.RFC3339Nano, i.text(name))
	return at
}

// seconds is a time in an item, in seconds.
func seconds(i item, name string) time.Time {
	n, _ := strconv.ParseInt(i.text(name), 10, 64)
	return time.Unix(n, 0)
}
