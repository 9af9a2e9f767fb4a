package dynamodb

import (
	"maps"
	"slices"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/expr"
)

// Limits of batches (API reference, BatchGetItem and BatchWriteItem).
const (
	maxBatchGets   = 100
	maxBatchWrites = 25
	maxBatchBytes  = 16 << 20
)

const errDuplicateKeys = attr.Invalid("Provided list of item keys contains duplicates")

// tableGets is what a batch reads of one table.
type tableGets struct {
	name    string
	request *request
	gets    []*get
}

func (e *Engine) batchGetItem(r *attr.Reader) ([]byte, error) {
	var (
		batch    []*tableGets
		capacity string
		count    int
	)
	tables := func(r *attr.Reader) error {
		return r.Object(func(table string) error {
			gets, err := e.readTableGets(r, table)
			if err == nil {
				batch = append(batch, gets)
				count += len(gets.gets)
			}
			return err
		})
	}
	err := members{"RequestItems": tables, "ReturnConsumedCapacity": into(&capacity, readCapacity)}.read(r, "BatchGetItem")
	switch {
	case err != nil:
		return nil, err
	case len(batch) == 0:
		return nil, attr.Invalid("BatchGetItem must have some requests set")
	case count > maxBatchGets:
		return nil, attr.Invalid("Too many items requested for the BatchGetItem call")
	}
	return e.answerGets(batch, capacity), nil
}

// readTableGets reads {Keys: […], …} of one table.
func (e *Engine) readTableGets(r *attr.Reader, table string) (*tableGets, error) {
	req := &request{table: table}
	var keys []attr.Map
	err := r.Object(func(name string) (err error) {
		if name == "Keys" {
			keys, err = list((*attr.Reader).Map)(r)
			return err
		}
		if !allows("Keys", name) {
			return refuseParameter("BatchGetItem", name)
		}
		return req.read(r, name)
	})
	if err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		return nil, attr.Invalidf("The list of keys in RequestItems for BatchGetItem is required: %s has empty list", table)
	}
	projection, err := parseProjection(req)
	if err != nil {
		return nil, err
	}
	t, err := e.table(table)
	if err != nil {
		return nil, err
	}
	gets, err := distinctGets(t, keys, projection)
	return &tableGets{table, req, gets}, err
}

func distinctGets(t *table, keys []attr.Map, projection *expr.Projection) ([]*get, error) {
	seen := make(map[string]bool, len(keys))
	gets := make([]*get, len(keys))
	for i, key := range keys {
		if err := t.keys.checkKey(key); err != nil {
			return nil, err
		}
		order := t.keys.order(key)
		if seen[order] {
			return nil, errDuplicateKeys
		}
		seen[order] = true
		gets[i] = &get{t, key, projection}
	}
	return gets, nil
}

// answerGets reads table by table. Keys whose items do not fit into 16 MB come
// back unprocessed.
func (e *Engine) answerGets(batch []*tableGets, capacity string) []byte {
	var charges bills
	responses, unprocessed := []byte(`{"Responses":{`), []byte(`},"UnprocessedKeys":{`)
	size := 0
	for i, part := range batch {
		if i > 0 {
			responses = append(responses, ',')
		}
		responses = append(attr.AppendString(responses, part.name), `:[`...)
		rows := e.read(part.gets, func(g *get, r *row) float64 {
			units := readUnits(sizeOf(r), part.request.consistent)
			charges.of(g.table).base += units
			return units
		})
		fits := 0
		for first := true; fits < len(rows) && size+sizeOf(rows[fits]) <= maxBatchBytes; fits++ {
			r := rows[fits]
			if r == nil {
				continue
			}
			size += r.size
			if !first {
				responses = append(responses, ',')
			}
			first = false
			responses = r.append(responses, part.gets[fits].projection)
		}
		responses = append(responses, ']')
		unprocessed = part.appendUnprocessed(unprocessed, fits)
	}
	answer := append(append(responses, unprocessed...), '}')
	if wantsCapacity(capacity) {
		answer = charges.append(append(answer, `,"ConsumedCapacity":`...), capacity)
	}
	return append(answer, '}')
}

// appendUnprocessed appends the keys from the given one on, in the form in
// which they can be sent again.
func (g *tableGets) appendUnprocessed(dst []byte, from int) []byte {
	if from == len(g.gets) {
		return dst
	}
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = attr.AppendList(append(attr.AppendString(dst, g.name), `:{"Keys":`...), g.gets[from:],
		func(dst []byte, rest *get) []byte { return attr.AppendMap(dst, rest.key) })
	if g.request.consistent {
		dst = append(dst, `,"ConsistentRead":true`...)
	}
	if g.request.projection != nil {
		dst = attr.AppendString(append(dst, `,"ProjectionExpression":`...), *g.request.projection)
	}
	for i, name := range slices.Sorted(maps.Keys(g.request.names)) {
		dst = append(dst, [...]string{`,"ExpressionAttributeNames":{`, ","}[min(i, 1)]...)
		dst = append(attr.AppendString(dst, name), ':')
		dst = attr.AppendString(dst, g.request.names[name])
	}
	if len(g.request.names) > 0 {
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

func (e *Engine) transactGetItems(r *attr.Reader) ([]byte, error) {
	var (
		parts    []part
		capacity string
	)
	err := members{"TransactItems": into(&parts, readParts(map[string]bool{"Get": true})),
		"ReturnConsumedCapacity": into(&capacity, readCapacity)}.read(r, "TransactGetItems")
	if err != nil {
		return nil, err
	}
	gets := make([]*get, len(parts))
	places := make([]place, len(parts))
	seen := make(map[string]bool, len(parts))
	for i, p := range parts {
		if gets[i], err = e.prepareGet(p.req); err != nil {
			return nil, err
		}
		places[i] = place{gets[i].table, gets[i].key}
		if seen[places[i].String()] {
			return nil, errSameItem
		}
		seen[places[i].String()] = true
	}
	if e.conflicts("TransactGetItems", places...) {
		return nil, cancelled(conflictReasons(len(places)))
	}
	return e.answerTransactGets(gets, capacity)
}

func (e *Engine) answerTransactGets(gets []*get, capacity string) ([]byte, error) {
	var charges bills
	rows := e.read(gets, func(g *get, r *row) float64 {
		units := transactional * readUnits(sizeOf(r), true)
		charges.of(g.table).base += units
		return units
	})
	size := 0
	answer := []byte(`{"Responses":[`)
	for i, r := range rows {
		if i > 0 {
			answer = append(answer, ',')
		}
		size += sizeOf(r)
		answer = append(answer, '{')
		if r != nil {
			answer = r.append(append(answer, `"Item":`...), gets[i].projection)
		}
		answer = append(answer, '}')
	}
	if size > maxTransactBytes {
		return nil, errTransactSize
	}
	answer = append(answer, ']')
	if wantsCapacity(capacity) {
		answer = charges.append(append(answer, `,"ConsumedCapacity":`...), capacity)
	}
	return append(answer, '}'), nil
}
