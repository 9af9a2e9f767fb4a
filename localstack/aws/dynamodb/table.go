package dynamodb

import (
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

// table holds a table's data. The definition and keys never change. The engine's lock guards the rest.
type table struct {
	definition *definition
	name       string
	keys       schema

	created time.Time
	rows    sorted
	indexes []*index
	stream  *stream // nil if the table has none
	ttl     expiry
	pending []indexChange // outstanding replication to indexes, oldest first
	read    float64       // capacity units consumed so far
	written float64
}

const (
	region    = "ddblocal"
	arnPrefix = "arn:aws:dynamodb:" + region + ":000000000000:table/"
)

func (t *table) arn() string { return arnPrefix + t.name }

func (t *table) index(name string) (*index, error) {
	for _, ix := range t.indexes {
		if ix.name == name {
			return ix, nil
		}
	}
	return nil, attr.Invalidf("The table does not have the specified index: %s", name)
}

// makeRow returns the row of a checked item with its index entries.
func (t *table) makeRow(order string, item attr.Map) *row {
	r := &row{order: order, item: item, size: item.Size(), expires: t.ttl.expiresAt(item)}
	if len(t.indexes) > 0 {
		r.entries = make([]*row, len(t.indexes))
		for i, ix := range t.indexes {
			r.entries[i] = ix.entry(r)
		}
	}
	return r
}

// entryOf returns the row's entry in the table's i-th index, or nil.
func entryOf(r *row, i int) *row {
	if r == nil {
		return nil
	}
	return r.entries[i]
}

func (t *table) find(key attr.Map) *row { return t.rows.get(t.keys.order(key)) }
