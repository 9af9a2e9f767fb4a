package dynamodb

import (
	"container/heap"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

// expiry is a table's time to live. An item may change after its deadline enters the heap, so isDue compares the
// deadline with the item.
type expiry struct {
	attribute string // "" when disabled
	deadlines deadlines
}

type deadline struct {
	at    int64 // Unix seconds
	order string
}

type deadlines []deadline

func (d deadlines) Len() int { return len(d) }
func (d deadlines) Less(i, j int) bool {
	return d[i].at < d[j].at || d[i].at == d[j].at && d[i].order < d[j].order
}
func (d deadlines) Swap(i, j int) { d[i], d[j] = d[j], d[i] }

// Push and Pop implement heap.Interface.
func (d *deadlines) Push(x any) { *d = append(*d, x.(deadline)) }

func (d *deadlines) Pop() any {
	last := (*d)[len(*d)-1]
	*d = (*d)[:len(*d)-1]
	return last
}

// fiveYears limits how old an expiry time may be. The service leaves items with older expiry times alone.
const fiveYears = 5 * 365 * 24 * time.Hour

// expiresAt returns an item's deadline in Unix seconds, or 0 for none.
func (x *expiry) expiresAt(item attr.Map) int64 {
	v := item.Get(x.attribute) // missing if attribute is "", since attributes have names
	if v.Kind() != attr.N {
		return 0
	}
	whole, _, _ := strings.Cut(v.Str(), ".")
	at, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return 0
	}
	return at
}

// track adds the row's deadline to the heap. It returns false if the row never expires.
func (x *expiry) track(r *row) bool {
	if r.expires == 0 {
		return false
	}
	heap.Push(&x.deadlines, deadline{r.expires, r.order})
	return true
}

// enableTTL starts expiry by an attribute, also for existing rows. An empty attribute ends expiry.
func (t *table) enableTTL(attribute string) {
	t.ttl = expiry{attribute: attribute}
	t.rows.ascend(span{}, func(r *row) bool {
		changed := *r
		changed.expires = t.ttl.expiresAt(r.attributes())
		t.rows.put(&changed)
		t.ttl.track(&changed)
		return true
	})
}

// expire deletes each item when TTLLag has passed since the item's deadline. Each deletion adds a stream record, as in
// the service.
func (e *Engine) expire(t *table, now time.Time) {
	for len(t.ttl.deadlines) > 0 {
		first := t.ttl.deadlines[0]
		if e.deletionTime(first.at).After(now) {
			return
		}
		if r := t.rows.get(first.order); t.ttl.isDue(r, first, now) &&
			e.apply(nil, change{table: t, old: r, by: byService}) != nil {
			return // the log refuses writes; try again later
		}
		heap.Pop(&t.ttl.deadlines)
	}
}

// isDue returns true if the deadline is still current for the row, and not older than five years.
func (x *expiry) isDue(r *row, d deadline, now time.Time) bool {
	return r != nil && r.expires == d.at && now.Sub(time.Unix(d.at, 0)) < fiveYears
}

func (e *Engine) deletionTime(at int64) time.Time { return time.Unix(at, 0).Add(e.ttlLag) }
