package dynamodb

import (
	"slices"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

type writeKind uint8

const (
	putting writeKind = iota
	updating
	deleting
	checking
)

const maxItem = 400 << 10 // bytes (Developer Guide, "Constraints")

// write is one write, parsed and checked as far as possible without the stored item.
type write struct {
	expressions
	kind    writeKind
	table   *table
	key     attr.Map
	order   string
	item    attr.Map // set when putting
	request *request
}

func (e *Engine) prepare(kind writeKind, req *request) (*write, error) {
	w := &write{kind: kind, request: req}
	possible := "ConditionExpression"
	if kind == updating {
		possible = "UpdateExpression, ConditionExpression"
	}
	var err error
	if w.expressions, err = req.parse(possible, false); err != nil {
		return nil, err
	}
	if w.table, err = e.table(req.TableName); err != nil {
		return nil, err
	}
	if err := w.locate(req); err != nil {
		return nil, err
	}
	if !slices.Contains([]string{"", "NONE", "ALL_OLD"}, req.ReturnValuesOnConditionCheckFailure) {
		return nil, attr.Invalid("ReturnValuesOnConditionCheckFailure can only be ALL_OLD or NONE")
	}
	return w, nil
}

// locate checks the key or item of the request and sets the write's key and order.
func (w *write) locate(req *request) error {
	keys := w.table.keys
	if w.kind != putting {
		w.key = req.Key
		if req.Key == nil {
			return missingError("key")
		}
		if err := keys.checkKey(req.Key); err != nil {
			return err
		}
		w.order = keys.order(req.Key)
		return nil
	}
	if req.Item == nil {
		return missingError("item")
	}
	if err := keys.checkItem(req.Item); err != nil {
		return err
	}
	w.item = req.Item
	w.key = req.Item.Only(keys.names())
	w.order = keys.order(req.Item)
	return w.checkIndexes(func(ix *index) error { return ix.checkEmpty(w.item, false) })
}

// checkStatic refuses updates of the key, and index keys of a wrong type, regardless of the stored item. In a
// transaction, this error becomes the item's reason and not the transaction's error.
func (w *write) checkStatic() error {
	if w.kind == putting {
		return w.checkIndexes(func(ix *index) error { return ix.checkTypes(w.item) })
	}
	for _, path := range w.update.Paths() {
		if w.table.keys.has(path.Root()) {
			return badValue("Cannot update attribute %s. This attribute is part of the key", path.Root())
		}
	}
	return nil
}

func (w *write) checkIndexes(check func(*index) error) error {
	for _, ix := range w.table.indexes {
		if err := check(ix); err != nil {
			return err
		}
	}
	return nil
}

// wantsItem returns true if a failed condition returns the item.
func (w *write) wantsItem() bool { return w.request.ReturnValuesOnConditionCheckFailure == "ALL_OLD" }

func (w *write) conditionHolds(old *row) bool {
	return w.condition == nil || w.condition.Holds(old.attributes())
}

// result returns the item's row after the write, or nil if there is no item then. It changes nothing. If the row breaks
// the schema of an index, result returns both the row and the error.
func (w *write) result(old *row) (*row, error) {
	switch w.kind {
	case deleting:
		return nil, nil
	case checking:
		return old, nil
	case putting:
		next := w.table.makeRow(w.order, w.item)
		if next.size > maxItem {
			return nil, attr.Invalid("Item size has exceeded the maximum allowed size")
		}
		return next, nil
	}
	before := old.attributes()
	if old == nil {
		before = w.key
	}
	after, err := w.update.Apply(before)
	if err != nil {
		return nil, err
	}
	next := w.table.makeRow(w.order, after)
	if next.size > maxItem {
		return nil, attr.Invalid("Item size to update has exceeded the maximum allowed size")
	}
	if err := w.checkIndexes(func(ix *index) error { return ix.checkEmpty(after, true) }); err != nil {
		return nil, err
	}
	return next, w.checkIndexes(func(ix *index) error { return ix.checkTypes(after) })
}

func (e *Engine) conflicts(op string, places ...place) bool {
	if e.conflict == nil {
		return false
	}
	keys := make([]string, len(places))
	for i, p := range places {
		keys[i] = p.String()
	}
	return e.conflict(op, keys)
}

type place struct {
	table *table
	key   attr.Map
}

func (p place) String() string {
	s := p.table.name
	for _, k := range p.table.keys.attributes() {
		s += "/" + p.key.Get(k.name).Str()
	}
	return s
}

func (w *write) place() place { return place{w.table, w.key} }

func (w *write) returnedAttributes(old, next *row) attr.Map {
	switch w.request.ReturnValues {
	case "ALL_OLD":
		return old.attributes()
	case "ALL_NEW":
		return next.attributes()
	case "UPDATED_OLD":
		return w.updatedAttributes(old.attributes())
	case "UPDATED_NEW":
		return w.updatedAttributes(next.attributes())
	}
	return nil
}

// updatedAttributes returns each attribute of item that holds an updated path. Missing paths do not count.
func (w *write) updatedAttributes(item attr.Map) attr.Map {
	var roots []string
	for _, path := range w.update.Paths() {
		if path.Lookup(item).Kind() != attr.Missing {
			roots = append(roots, path.Root())
		}
	}
	return item.Only(roots)
}

func (w *write) checkReturnValues() error {
	allowed := []string{"", "NONE", "ALL_OLD"}
	if w.kind == updating {
		allowed = append(allowed, "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW")
	}
	if !slices.Contains(allowed, w.request.ReturnValues) {
		return attr.Invalid("Return values set to invalid value")
	}
	return nil
}
