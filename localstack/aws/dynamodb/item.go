package dynamodb

import (
	"cmp"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/expr"
)

func writeOperation(name string, kind writeKind) operation {
	return func(e *Engine, d *jsontext.Decoder) ([]byte, error) {
		req, err := readRequest(d, name)
		if err != nil {
			return nil, err
		}
		w, err := e.prepare(kind, req)
		if err != nil {
			return nil, err
		}
		if err = cmp.Or(w.checkReturnValues(), w.checkStatic()); err != nil {
			return nil, err
		}
		if e.conflicts(name, w.place()) {
			return nil, &fault{code: "TransactionConflictException", message: "Transaction is ongoing for the item"}
		}
		charge := &bill{table: w.table}
		old, next, err := e.commit(w, charge)
		if err != nil {
			return nil, err
		}
		answer := []byte{'{'}
		if returned := w.returnedAttributes(old, next); len(returned) > 0 {
			answer = attr.AppendMap(append(answer, `"Attributes":`...), returned)
		}
		return finish(answer, w.request.ReturnConsumedCapacity, charge), nil
	}
}

// commit performs one write and charges for it. It also charges for a write whose condition fails.
func (e *Engine) commit(w *write, charge *bill) (old, next *row, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err = e.checkLog(); err != nil {
		return nil, nil, err
	}
	old = w.table.rows.get(w.order)
	if !w.conditionHolds(old) {
		w.table.written += writeUnits(sizeOf(old))
		return nil, nil, w.newConditionFault(old)
	}
	if next, err = w.result(old); err != nil {
		return nil, nil, err
	}
	charge.chargeWrite(old, next, 1)
	if err := e.apply(nil, change{table: w.table, old: old, next: next}); err != nil {
		return nil, nil, err
	}
	w.table.written += charge.total()
	return old, next, nil
}

func (w *write) newConditionFault(old *row) error {
	f := &fault{code: "ConditionalCheckFailedException", message: "The conditional request failed"}
	if w.wantsItem() && old != nil {
		f.detail = old.append([]byte(`,"Item":`), nil)
	}
	return f
}

type get struct {
	table      *table
	key        attr.Map
	projection *expr.Projection
}

func (e *Engine) prepareGet(req *request) (*get, error) {
	x, err := req.parse("ProjectionExpression", false)
	if err != nil {
		return nil, err
	}
	t, err := e.table(req.TableName)
	if err != nil {
		return nil, err
	}
	if req.Key == nil {
		return nil, missingError("key")
	}
	return &get{t, req.Key, x.projection}, t.keys.checkKey(req.Key)
}

// read fetches all rows at the same moment and charges for them.
func (e *Engine) read(gets []*get, charge func(g *get, r *row) float64) []*row {
	rows := make([]*row, len(gets))
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, g := range gets {
		rows[i] = g.table.find(g.key)
		g.table.read += charge(g, rows[i])
	}
	return rows
}

func (e *Engine) getItem(d *jsontext.Decoder) ([]byte, error) {
	req, err := readRequest(d, "GetItem")
	if err != nil {
		return nil, err
	}
	g, err := e.prepareGet(req)
	if err != nil {
		return nil, err
	}
	charge := &bill{table: g.table}
	found := e.read([]*get{g}, func(_ *get, r *row) float64 {
		charge.base = readUnits(sizeOf(r), req.ConsistentRead)
		return charge.base
	})[0]
	answer := []byte{'{'}
	if found != nil {
		answer = found.append(append(answer, `"Item":`...), g.projection)
	}
	return finish(answer, req.ReturnConsumedCapacity, charge), nil
}
