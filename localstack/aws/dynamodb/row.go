package dynamodb

import (
	"github.com/go-json-experiment/json"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/expr"
)

// row is one item of a table or entry of an index. Its key's bytes sort as the service orders items. It is immutable
// once in its table. Without a log items stay decoded; with one they are text, in a quarter of the memory, and entries
// of indexes refer to what they project.
type row struct {
	order   string
	item    attr.Map
	text    string // the item as JSON; "" where it is decoded
	of      *row   // of an index entry: the row whose item it projects
	in      *index // with of
	size    int
	expires int64  // Unix seconds, by the table's time to live; 0 for never
	entries []*row // of a table's row: its rows in the indexes, nil where it has none
}

// attributes returns the item's attributes; nil for no row.
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

// append appends the item, or the part of it that is asked for.
func (r *row) append(dst []byte, p *expr.Projection) []byte {
	if p == nil && r.text != "" {
		return append(dst, r.text...)
	}
	return attr.AppendMap(dst, p.Apply(r.attributes()))
}

// equal reports whether two rows hold the same item: a map has one text only.
func (r *row) equal(other *row) bool {
	if r.text != "" && other.text != "" {
		return r.text == other.text
	}
	return r.attributes().Equal(other.attributes())
}

// encoded keeps the item as text alone.
func (r *row) encoded(t *table, text string) {
	r.item, r.text = nil, text
	for i, entry := range r.entries {
		if entry != nil {
			entry.item, entry.of, entry.in = nil, r, t.indexes[i]
		}
	}
}

// sizeOf returns the size in bytes, by the service's rules.
func sizeOf(r *row) int {
	if r == nil {
		return 0
	}
	return r.size
}
