package dynamodb

import (
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

// index is a sparse global secondary index. Items with equal index keys are sorted by their primary keys.
type index struct {
	definition globalSecondaryIndex
	name       string
	keys       schema
	kept       []string // names of projected attributes; nil for ALL
	rows       sorted
}

// indexChange is one step of replication: it removes one row and puts another.
type indexChange struct {
	due     time.Time
	ix      *index
	removed string // order of the removed row; "" for none
	next    *row
}

// entry returns the index row for a table's row. It returns nil if the item lacks the index key.
func (ix *index) entry(r *row) *row {
	for _, k := range ix.keys.attributes() {
		if r.item.Get(k.name).Kind() != k.kind {
			return nil
		}
	}
	order := append(ix.keys.appendOrder(make([]byte, 0, 96), r.item), r.order...)
	projected := ix.project(r.item)
	return &row{order: string(order), item: projected, size: projected.Size()}
}

func (ix *index) project(item attr.Map) attr.Map {
	if ix.kept == nil {
		return item
	}
	return item.Only(ix.kept)
}

// checkTypes refuses an item whose index key has a wrong type or is too long.
func (ix *index) checkTypes(item attr.Map) error {
	for _, k := range ix.keys.attributes() {
		v := item.Get(k.name)
		switch {
		case v.Kind() == attr.Missing:
		case v.Kind() != k.kind:
			return badValue("Type mismatch for Index Key %s Expected: %s Actual: %s IndexName: %s",
				k.name, k.kind, v.Kind(), ix.name)
		case len(v.Str()) > k.limit:
			return badValue("Size of index key has exceeded the maximum size limit of %d bytes", k.limit)
		}
	}
	return nil
}

// checkEmpty refuses an empty index key. When updating, it does so even if the key also has the wrong type. For a put
// with a wrong type, checkTypes returns the error.
func (ix *index) checkEmpty(item attr.Map, updating bool) error {
	for _, k := range ix.keys.attributes() {
		v := item.Get(k.name)
		isText := v.Kind() == attr.S || v.Kind() == attr.B
		switch {
		case !isText || v.Str() != "":
		case updating:
			return attr.Invalid("One or more parameter values are not valid. The update expression attempted to update a " +
				"secondary index key to a value that is not supported. " +
				"The AttributeValue for a key attribute cannot contain an empty string value.")
		case v.Kind() == k.kind:
			return attr.Invalidf("One or more parameter values are not valid. A value specified for a secondary index key is "+
				"not supported. The AttributeValue for a key attribute cannot contain an empty string value. "+
				"IndexName: %s, IndexKey: %s", ix.name, k.name)
		}
	}
	return nil
}

// propagate replicates a changed entry to the index, immediately or after the lag.
func (e *Engine) propagate(t *table, ix *index, before, after *row, now time.Time) {
	if before == nil && after == nil {
		return
	}
	change := indexChange{due: now.Add(e.indexLag), ix: ix, next: after}
	if before != nil && (after == nil || after.order != before.order) {
		change.removed = before.order
	}
	if e.reading != nil {
		e.reading.add(change)
		return
	}
	if e.indexLag == 0 && len(t.pending) == 0 {
		change.apply()
		return
	}
	if last := len(t.pending) - 1; last >= 0 && change.due.Before(t.pending[last].due) {
		change.due = t.pending[last].due // keeps the order of writes
	}
	t.pending = append(t.pending, change)
	e.wakeAt(change.due)
}

func (c indexChange) apply() {
	if c.removed != "" {
		c.ix.rows.remove(c.removed)
	}
	if c.next != nil {
		c.ix.rows.put(c.next)
	}
}

func (t *table) replicate(now time.Time) {
	done := 0
	for done < len(t.pending) && !t.pending[done].due.After(now) {
		t.pending[done].apply()
		done++
	}
	t.pending = t.pending[done:]
}

// indexUnits returns the write units that a changed entry costs at the index.
func indexUnits(before, after *row) float64 {
	switch {
	case before == nil && after == nil:
		return 0
	case before == nil || after == nil:
		return writeUnits(max(sizeOf(before), sizeOf(after)))
	case before.order != after.order:
		return writeUnits(before.size) + writeUnits(after.size)
	case before.equal(after):
		return 0
	}
	return writeUnits(max(before.size, after.size))
}
