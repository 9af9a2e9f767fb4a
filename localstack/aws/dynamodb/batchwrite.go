package dynamodb

import (
	"slices"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

var batchKinds = map[string]writeKind{"PutRequest": putting, "DeleteRequest": deleting}

func (e *Engine) batchWriteItem(r *attr.Reader) ([]byte, error) {
	var (
		writes   []*write
		capacity string
	)
	err := members{"RequestItems": into(&writes, e.readWrites), "ReturnConsumedCapacity": into(&capacity, readCapacity),
		"ReturnItemCollectionMetrics": ignored()}.read(r, "BatchWriteItem")
	switch {
	case err != nil:
		return nil, err
	case len(writes) == 0:
		return nil, attr.Invalid("BatchWriteItem cannot have a null or no requests set")
	case len(writes) > maxBatchWrites:
		return nil, attr.Invalid("Too many items requested for the BatchWriteItem call")
	}
	return e.writeBatch(writes, capacity)
}

// readWrites reads the writes of all tables.
func (e *Engine) readWrites(r *attr.Reader) ([]*write, error) {
	var writes []*write
	err := r.Object(func(table string) error {
		some, err := e.readTableWrites(r, table)
		writes = append(writes, some...)
		return err
	})
	return writes, err
}

func (e *Engine) readTableWrites(r *attr.Reader, table string) ([]*write, error) {
	var writes []*write
	seen := map[string]bool{}
	err := r.Array(func() error {
		w, err := e.readBatchWrite(r, table)
		if err != nil {
			return err
		}
		if seen[w.order] {
			return errDuplicateKeys
		}
		seen[w.order] = true
		writes = append(writes, w)
		return w.checkStatic()
	})
	if err == nil && len(writes) == 0 {
		err = attr.Invalidf("The batch write request list for a table cannot be null or empty: %s", table)
	}
	return writes, err
}

// readBatchWrite reads {"PutRequest": {"Item": …}} or its opposite.
func (e *Engine) readBatchWrite(r *attr.Reader, table string) (*write, error) {
	var found []*write
	err := r.Object(func(name string) error {
		kind, known := batchKinds[name]
		if !known {
			return refuseParameter("BatchWriteItem", name)
		}
		req := &request{table: table}
		err := r.Object(func(member string) error {
			if member != map[writeKind]string{putting: "Item", deleting: "Key"}[kind] {
				return refuseParameter(name, member)
			}
			return req.read(r, member)
		})
		if err != nil {
			return err
		}
		w, err := e.prepare(kind, req)
		found = append(found, w)
		return err
	})
	if err == nil && len(found) != 1 {
		err = attr.Invalid("Supplied WriteRequest must contain exactly one of PutRequest or DeleteRequest")
	}
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// writeBatch does the writes one by one; those that conflict with a
// transaction in flight come back unprocessed. It refuses an item that is too large before
// anything is written.
func (e *Engine) writeBatch(writes []*write, capacity string) ([]byte, error) {
	for _, w := range writes {
		if _, err := w.result(nil); err != nil {
			return nil, err
		}
	}
	var (
		charges     bills
		unprocessed []*write
	)
	for _, w := range writes {
		if e.conflicts("BatchWriteItem", w.place()) {
			unprocessed = append(unprocessed, w)
			continue
		}
		charge := &bill{table: w.table}
		if _, _, err := e.commit(w, charge); err != nil {
			return nil, err
		}
		charges.of(w.table).add(charge)
	}
	answer := appendUnprocessedWrites([]byte(`{"UnprocessedItems":{`), unprocessed)
	answer = append(answer, '}')
	if wantsCapacity(capacity) {
		answer = charges.append(append(answer, `,"ConsumedCapacity":`...), capacity)
	}
	return append(answer, '}'), nil
}

func (b *bill) add(other *bill) {
	b.base += other.base
	for i, units := range other.index {
		b.chargeIndex(i, units)
	}
}

func appendUnprocessedWrites(dst []byte, writes []*write) []byte {
	slices.SortStableFunc(writes, func(a, b *write) int { return compareNames(a.table, b.table) })
	for i, w := range writes {
		switch {
		case i == 0 || w.table != writes[i-1].table:
			if i > 0 {
				dst = append(dst, `],`...)
			}
			dst = append(attr.AppendString(dst, w.table.name), `:[`...)
		default:
			dst = append(dst, ',')
		}
		if w.kind == putting {
			dst = attr.AppendMap(append(dst, `{"PutRequest":{"Item":`...), w.item)
		} else {
			dst = attr.AppendMap(append(dst, `{"DeleteRequest":{"Key":`...), w.key)
		}
		dst = append(dst, `}}`...)
	}
	if len(writes) > 0 {
		dst = append(dst, ']')
	}
	return dst
}
