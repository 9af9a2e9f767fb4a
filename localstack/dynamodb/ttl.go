package dynamodb

import (
	"container/heap"
	"strconv"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/dynamodb/attr"
)

// expiry is a table's time to live. The heap may hold deadlines of items that
// changed since; they are checked when their time comes.
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

// expiresAt reads an item's deadline in Unix seconds.
func (x *expiry) expiresAt(item attr.Map) (int64, bool) {
	v := item.Get(x.attribute)
	if v.Kind() != attr.N {
		return 0, false
	}
	whole, _, _ := strings.Cut(v.Str(), ".")
	at, err := strconv.ParseInt(whole, 10, 64)
	return at, err == nil
}

func (x *expiry) track(r *row) {
	if x.attribute == "" || r == nil {
		return
	}
	if at, ok := x.expiresAt(r.item); ok {
		heap.Push(&x.deadlines, deadline{at, r.order})
	}
}

// enable starts expiry by an attribute, for the rows that are there too.
func (t *table) enableTTL(attribute string) {
	t.ttl = expiry{attribute: attribute}
	if attribute != "" {
		t.rows.ascend(span{}, func(r *row) bool { t.ttl.track(r); return true })
	}
}

// expire deletes what expired at least lag ago, as the service does: with a
// stream record of its own.
func (e *Engine) expire(t *table, now time.Time) {
	for len(t.ttl.deadlines) > 0 {
		first := t.ttl.deadlines[0]
		if e.deletionTime(first.at).After(now) {
			return
		}
		heap.Pop(&t.ttl.deadlines)
		r := t.rows.get(first.order)
		if r == nil {
			continue
		}
		at, ok := t.ttl.expiresAt(r.item)
		if ok && at == first.at && now.Sub(time.Unix(at, 0)) < fiveYears {
			e.replace(t, r, nil, byService)
		}
	}
}

func (e *Engine) deletionTime(at int64) time.Time { return time.Unix(at, 0).Add(e.ttlLag) }
