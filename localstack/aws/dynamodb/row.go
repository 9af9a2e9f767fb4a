package dynamodb

import (
	"github.com/go-json-experiment/json"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/expr"
)

// row is an item of a table, or an entry of an index. The bytes of its key sort in the service's order of items. A row
// is immutable once it is in its table. Without a log, items stay decoded. With a log, rows keep their items as JSON,
// which takes a quarter of the memory. An index entry then refers to the row whose item it projects.
type row struct {
	order   string
	item    attr.Map
	text    string // the item as JSON; "" if item holds it
	of      *row   // in an index entry: the row whose item is projected
	in      *index // the index; set together with of
	size    int
	expires int64  // Unix seconds, by the table's time to live; 0 means never
	entries []*row // in a table's row: its entry per index, or nil
}

// attributes returns the item's attributes, or nil for a nil row.
func (r *row) attributes() attr.Map {
	switch {
	case r == nil:
		return nil
	case r.of != nil:
		return r.in.project(r.of.attributes())
	case r.text == "":
		return r.item
	}
	var item attr.Map
	if err := json.Unmarshal([]byte(r.text), &item, attr.Options); err != nil {
		panic("dynamodb: a row that was encoded here does not decode: " + err.Error())
	}
	return item
}

// append appends the item, or its projected part.
func (r *row) append(dst []byte, p *expr.Projection) []byte {
	if p == nil && r.text != "" {
		return append(dst, r.text...)
	}
	return attr.AppendMap(dst, p.Apply(r.attributes()))
}

// equal returns true if the items of two rows are equal. It compares their texts if it can, because equal items have
// equal texts.
func (r *row) equal(other *row) bool {
	if r.text != "" && other.text != "" {
		return r.text == other.text
	}
	return r.attributes().Equal(other.attributes())
}

// keepText replaces the decoded item by its text.
func (r *row) keepText(t *table, text string) {
	r.item, r.text = nil, text
	for i, entry := range r.entries {
		if entry != nil {
			entry.item, entry.of, entry.in = nil, r, t.indexes[i]
		}
	}
}

// sizeOf returns the row's size in bytes by the service's rules, or 0 for nil.
func sizeOf(r *row) int {
	if r == nil {
		return 0
	}
	return r.size
}
