package dynamodb

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

func (e *Engine) batchWriteItem(d *jsontext.Decoder) ([]byte, error) {
	var in struct {
		RequestItems                byTable[[]part]
		ReturnConsumedCapacity      capacityLevel
		ReturnItemCollectionMetrics string
	}
	in.RequestItems.read = readTableWrites
	if err := decode(d, "BatchWriteItem", &in); err != nil {
		return nil, err
	}
	var writes []*write
	seen := map[string]bool{}
	for _, p := range slices.Concat(in.RequestItems.asked...) {
		w, err := e.prepare(writeKinds[p.kind], p.req)
		if err != nil {
			return nil, err
		}
		at := w.table.name + "/" + w.order
		if seen[at] {
			return nil, errDuplicateKeys
		}
		seen[at] = true
		if err := w.checkStatic(); err != nil {
			return nil, err
		}
		writes = append(writes, w)
	}
	switch {
	case len(writes) == 0:
		return nil, attr.Invalid("BatchWriteItem cannot have a null or no requests set")
	case len(writes) > maxBatchWrites:
		return nil, attr.Invalid("Too many items requested for the BatchWriteItem call")
	}
	return e.writeBatch(writes, in.ReturnConsumedCapacity)
}

const errWriteRequest = attr.Invalid("Supplied WriteRequest must contain exactly one of PutRequest or DeleteRequest")

// readTableWrites reads one table's writes: [{"PutRequest": {"Item": …}}, …].
func readTableWrites(d *jsontext.Decoder, table string) ([]part, error) {
	var parts []part
	err := attr.Array(d, func() error {
		p, err := readPart(d, "BatchWriteItem", []string{"PutRequest", "DeleteRequest"}, errWriteRequest, errWriteRequest)
		if err == nil {
			p.req.TableName = table
		}
		parts = append(parts, p)
		return err
	})
	if err == nil && len(parts) == 0 {
		err = attr.Invalidf("The batch write request list for a table cannot be null or empty: %s", table)
	}
	return parts, err
}

// writeBatch writes the items one by one. If an item is too large, writeBatch refuses the whole batch before it writes
// any item. Writes that conflict with a transaction are returned as unprocessed.
func (e *Engine) writeBatch(writes []*write, capacity capacityLevel) ([]byte, error) {
	for _, w := range writes {
		if _, err := w.result(nil); err != nil {
			return nil, err
		}
	}
	var (
		charges     bills
		unprocessed = map[string][]any{} // by table
	)
	for _, w := range writes {
		if e.conflicts("BatchWriteItem", w.place()) {
			unprocessed[w.table.name] = append(unprocessed[w.table.name], w.unprocessedRequest())
			continue
		}
		charge := &bill{table: w.table}
		if _, _, err := e.commit(w, charge); err != nil {
			return nil, err
		}
		charges.findOrAdd(w.table).add(charge)
	}
	return finish(fmt.Appendf(nil, `{"UnprocessedItems":%s`, toJSON(unprocessed)), capacity, charges), nil
}

func (b *bill) add(other *bill) {
	b.base += other.base
	for i, units := range other.index {
		b.chargeIndex(i, units)
	}
}

// unprocessedRequest returns the write as a batch request that a client can send again.
func (w *write) unprocessedRequest() any {
	if w.kind == putting {
		return map[string]any{"PutRequest": map[string]attr.Map{"Item": w.item}}
	}
	return map[string]any{"DeleteRequest": map[string]attr.Map{"Key": w.key}}
}
