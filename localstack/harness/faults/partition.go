package faults

import (
	"cmp"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/sdkcall"
)

// Partitions limits the write units of each partition in a second, like DynamoDB (AWS: key range throughput). It counts
// 1 unit for PutItem, and 2 units for each write of TransactWriteItems, regardless of the item's size. It does not
// limit other operations. A write takes units from its partition of the table. If the item is new in a partition of the
// index list, history or changes, the write takes units there, too. A request beyond the limit fails with DynamoDB's
// reasons. Partitions is safe for concurrent use.
type Partitions struct {
	Next  http.RoundTripper
	Units int              // limit of write units of a partition in a second
	Now   func() time.Time // clock that tells the second

	mu        sync.Mutex
	second    int64
	taken     map[string]int  // units used in the current second, by attribute and value
	indexed   map[string]bool // items in an index
	throttled int
}

// Throttled returns the number of throttled requests.
func (p *Partitions) Throttled() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.throttled
}

type write struct {
	Item, Key map[string]struct{ S string }
}

func (w write) text(name string) string { return cmp.Or(w.Item[name].S, w.Key[name].S) }

// partitions returns the names of the partitions from which the write takes units. It leaves out the due index, because
// that index has shards.
func (p *Partitions) partitions(w write) []string {
	found := []string{"pk " + w.text("pk")}
	for _, name := range []string{"list_pk", "history_pk", "changes_pk"} {
		if place := name + " " + w.text(name); w.text(name) != "" && !p.indexed[place+w.text("pk")+w.text("sk")] {
			found = append(found, place)
		}
	}
	return found
}

// RoundTrip implements http.RoundTripper.
func (p *Partitions) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := sdkcall.Body(r)
	if err != nil {
		return nil, err
	}
	switch sdkcall.Operation(r) {
	case "PutItem":
		var w write
		_ = json.Unmarshal(body, &w) // attributes of other types are ignored
		if len(p.take(1, w)) > 0 {
			return errorAnswer(r, "ProvisionedThroughputExceededException",
				`,"ThrottlingReasons":[{"reason":"TableWriteKeyRangeThroughputExceeded","resource":"table"}]`), nil
		}
	case "TransactWriteItems":
		var call struct {
			TransactItems []struct{ Put, Delete, Update, ConditionCheck write }
		}
		_ = json.Unmarshal(body, &call)
		writes := make([]write, len(call.TransactItems))
		for i, item := range call.TransactItems {
			for _, w := range []write{item.Put, item.Delete, item.Update, item.ConditionCheck} {
				if w.Item != nil || w.Key != nil {
					writes[i] = w
				}
			}
		}
		if hot := p.take(2, writes...); len(hot) > 0 {
			return errorAnswer(r, "TransactionCanceledException", `,"CancellationReasons":`+reasons(len(writes), hot)), nil
		}
	}
	return p.Next.RoundTrip(r)
}

// take counts the units of all writes if their partitions have enough units left. Otherwise it counts no units, and
// returns the positions of the writes that exceed the limit.
func (p *Partitions) take(units int, writes ...write) map[int]bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.indexed == nil {
		p.indexed = map[string]bool{}
	}
	if now := p.Now().Unix(); now != p.second || p.taken == nil {
		p.second, p.taken = now, map[string]int{}
	}
	hot := map[int]bool{}
	for i, w := range writes {
		for _, partition := range p.partitions(w) {
			hot[i] = hot[i] || p.taken[partition]+units > p.Units
		}
		if !hot[i] {
			delete(hot, i)
		}
	}
	if len(hot) > 0 {
		p.throttled++
		return hot
	}
	for _, w := range writes {
		for _, partition := range p.partitions(w) {
			p.taken[partition] += units
			p.indexed[partition+w.text("pk")+w.text("sk")] = true
		}
	}
	return nil
}

func reasons(n int, hot map[int]bool) string {
	all := make([]struct{ Code string }, n)
	for i := range all {
		all[i].Code = "None"
		if hot[i] {
			all[i].Code = "ThrottlingError"
		}
	}
	text, _ := json.Marshal(all) // strings can always be encoded
	return string(text)
}
