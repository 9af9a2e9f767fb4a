package simulator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/simulator/calls"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Write contains the changes of a call: the items that it put, and the keys of updated and deleted items.
type Write struct{ Puts, Updated, Deleted []calls.Item }

// ReadWrite decodes a write that the table has carried out. first is false if the call was a retry after a lost reply,
// and wrote nothing.
func (w *World) ReadWrite(body []byte) (is Write, first bool) {
	call := Decoded[struct {
		Item               calls.Item // of a PutItem
		ClientRequestToken string
		TransactItems      []struct {
			Put            struct{ Item calls.Item }
			Update, Delete struct{ Key calls.Item }
		}
	}](body)
	is.Puts = []calls.Item{call.Item}
	w.Record(func() {
		first = call.ClientRequestToken == "" || !w.writtenTokens[call.ClientRequestToken]
		w.writtenTokens[call.ClientRequestToken] = true
	})
	for _, one := range call.TransactItems {
		is.Puts = append(is.Puts, one.Put.Item)
		is.Updated, is.Deleted = append(is.Updated, one.Update.Key), append(is.Deleted, one.Delete.Key)
	}
	given := func(all []calls.Item) []calls.Item {
		return slices.DeleteFunc(all, func(i calls.Item) bool { return len(i) == 0 })
	}
	return Write{given(is.Puts), given(is.Updated), given(is.Deleted)}, first
}

// Pick returns one of the ids, or "" if there is none.
func Pick(rng *rand.Rand, ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return ids[rng.IntN(len(ids))]
}

// Encoded returns a value as JSON.
func Encoded(v any) string {
	text, _ := json.Marshal(v) // the values were decoded, or are text, numbers and booleans
	return string(text)
}

// During returns the successive states that existed at some time from call to until. The function since returns the
// time when a state began.
func During[S any](states []S, call, until int64, since func(S) int64) (there []S) {
	for n, s := range states {
		if since(s) < until && (n+1 == len(states) || since(states[n+1]) > call) {
			there = append(there, s)
		}
	}
	return there
}

// withID adds the id of a checkout or transaction, which only the item's key contains.
func withID(i calls.Item) calls.Item {
	if id, ok := strings.CutPrefix(i.Text("sk"), "TRANSACTION#"); ok {
		i["id"] = id
	} else if i.Kind() == store.KindCheckout {
		i["id"] = calls.Partition(i.Text("pk")).Last
	}
	return i
}

// Scan reads the whole table.
func (w *World) Scan() []calls.Item { return w.ScanPartitions("") }

// ScanPartitions reads the items whose partition keys begin with a prefix.
func (w *World) ScanPartitions(prefix string) []calls.Item {
	var items []calls.Item
	in := map[string]any{"TableName": w.Config.Table}
	if prefix != "" {
		in["FilterExpression"] = "begins_with(pk, :p)"
		in["ExpressionAttributeValues"] = map[string]any{":p": map[string]string{"S": prefix}}
	}
	for {
		var out struct {
			Items            []calls.Item
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

// NextDue returns the time when the sweep next has something to do, or the zero time if there is nothing.
func (w *World) NextDue() time.Time { return FirstOf(w.DueItems(store.KindDue)) }

// FirstOf returns the time when the first item is due, by the item's place in the index. It returns the zero time if
// there are no items.
func FirstOf(due []calls.Item) (at time.Time) {
	if len(due) > 0 {
		var micros int64
		place := slices.MinFunc(due, func(a, b calls.Item) int { return cmp.Compare(a.Text("due_sk"), b.Text("due_sk")) })
		_, _ = fmt.Sscanf(place.Text("due_sk"), "%d#", &micros)
		at = time.UnixMicro(micros).Add(time.Second)
	}
	return at
}

// DueItems returns the items that a schedule will have to handle.
func (w *World) DueItems(what store.Kind) (due []calls.Item) {
	for shard := range w.Config.DueShards {
		var out struct{ Items []calls.Item }
		w.AWS(w.table, tables+"Query", map[string]any{
			"TableName": w.Config.Table, "IndexName": "due", "KeyConditionExpression": "due_pk = :p",
			"ExpressionAttributeValues": map[string]any{":p": map[string]string{"S": fmt.Sprintf("%s#%d", what, shard)}},
		}, &out)
		due = append(due, out.Items...)
	}
	return due
}

// Read reads one item.
func (w *World) Read(pk, sk string) calls.Item {
	var out struct{ Item calls.Item }
	w.AWS(w.table, tables+"GetItem", map[string]any{"TableName": w.Config.Table, "ConsistentRead": true,
		"Key": keyOf(calls.Item{"pk": pk, "sk": sk})}, &out)
	return out.Item
}

// Empty returns true if a queue contains no message, visible or not.
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

// Sorted returns the keys of a map in order.
func Sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Image returns the item after the change. It is empty for a deletion.
func (c *Change) Image() calls.Item {
	if c.read == nil {
		c.read = withID(calls.Plain(c.Change.NewImage))
	}
	return c.read
}

// SetCount sets an attribute of an item to a value of the table's type kind, "N" or "S".
func (w *World) SetCount(count calls.Item, name, kind string, to any) {
	w.AWS(w.table, tables+"UpdateItem", map[string]any{"TableName": w.Config.Table, "Key": keyOf(count),
		"UpdateExpression": "SET #name = :to", "ExpressionAttributeNames": map[string]string{"#name": name},
		"ExpressionAttributeValues": map[string]any{":to": map[string]any{kind: fmt.Sprint(to)}}}, &struct{}{})
}

// DeleteItem deletes an item.
func (w *World) DeleteItem(i calls.Item) {
	w.AWS(w.table, tables+"DeleteItem", map[string]any{"TableName": w.Config.Table, "Key": keyOf(i)}, &struct{}{})
}

func keyOf(i calls.Item) map[string]any {
	return map[string]any{"pk": map[string]string{"S": i.Text("pk")}, "sk": map[string]string{"S": i.Text("sk")}}
}
