package dynamodb

import (
	"container/heap"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

// expiry is a table's time to live. Deadlines in the heap are checked when due, as items may have changed.
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

// Push and Pop are for container/heap.
func (d *deadlines) Push(x any) { *d = append(*d, x.(deadline)) }

func (d *deadlines) Pop() any {
	last := (*d)[len(*d)-1]
	*d = (*d)[:len(*d)-1]
	return last
}

// fiveYears: the service leaves items alone that expired longer ago.
const fiveYears = 5 * 365 * 24 * time.Hour

// expiresAt reads an item's deadline in Unix seconds; 0 for none.
func (x *expiry) expiresAt(item attr.Map) int64 {
	v := item.Get(x.attribute) // no item has an attribute without a name
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

// track notes when the row expires; false when it does not.
func (x *expiry) track(r *row) bool {
	if r.expires == 0 {
		return false
	}
	heap.Push(&x.deadlines, deadline{r.expires, r.order})
	return true
}

// enableTTL starts expiry by an attribute, for the rows that are there too, or ends it when there is none.
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

// expire deletes what expired at least lag ago, as the service does: with a stream record of its own.
func (e *Engine) expire(t *table, now time.Time) {
	for len(t.ttl.deadlines) > 0 {
		first := t.ttl.deadlines[0]
		if e.deletionTime(first.at).After(now) {
			return
		}
		if r := t.rows.get(first.order); t.ttl.isDue(r, first, now) &&
			e.apply(nil, change{table: t, old: r, by: byService}) != nil {
			return // the log takes nothing now: later
		}
		heap.Pop(&t.ttl.deadlines)
	}
}

// isDue reports whether the deadline is still the row's.
func (x *expiry) isDue(r *row, d deadline, now time.Time) bool {
	return r != nil && r.expires == d.at && now.Sub(time.Unix(d.at, 0)) < fiveYears
}

func (e *Engine) deletionTime(at int64) time.Time { return time.Unix(at, 0).Add(e.ttlLag) }
