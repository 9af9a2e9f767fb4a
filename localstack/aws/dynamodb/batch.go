package dynamodb

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

// Limits of batches (API reference, BatchGetItem and BatchWriteItem).
const (
	maxBatchGets   = 100
	maxBatchWrites = 25
	maxBatchBytes  = 16 << 20
)

const errDuplicateKeys = attr.Invalid("Provided list of item keys contains duplicates")

type byTable[T any] struct {
	read  func(d *jsontext.Decoder, table string) (T, error)
	asked []T
}

func (b *byTable[T]) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return attr.Object(d, func(table string) error {
		asked, err := b.read(d, table)
		b.asked = append(b.asked, asked)
		return err
	})
}

type tableGets struct {
	request *request
	gets    []*get
}

func (e *Engine) batchGetItem(d *jsontext.Decoder) ([]byte, error) {
	var in struct {
		RequestItems           byTable[*request]
		ReturnConsumedCapacity capacityLevel
	}
	in.RequestItems.read = func(d *jsontext.Decoder, table string) (*request, error) {
		req, err := readRequest(d, "BatchGetItem")
		req.TableName = table
		return req, err
	}
	if err := decode(d, "BatchGetItem", &in); err != nil {
		return nil, err
	}
	var batch []*tableGets
	count := 0
	for _, req := range in.RequestItems.asked {
		gets, err := e.prepareGets(req)
		if err != nil {
			return nil, err
		}
		batch = append(batch, gets)
		count += len(gets.gets)
	}
	switch {
	case count == 0:
		return nil, attr.Invalid("BatchGetItem must have some requests set")
	case count > maxBatchGets:
		return nil, attr.Invalid("Too many items requested for the BatchGetItem call")
	}
	return e.answerGets(batch, in.ReturnConsumedCapacity), nil
}

func (e *Engine) prepareGets(req *request) (*tableGets, error) {
	if len(req.Keys) == 0 {
		return nil, attr.Invalidf("The list of keys in RequestItems for BatchGetItem is required: %s has empty list",
			req.TableName)
	}
	x, err := req.parse("ProjectionExpression", false)
	if err != nil {
		return nil, err
	}
	t, err := e.table(req.TableName)
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool, len(req.Keys))
	gets := make([]*get, len(req.Keys))
	for i, key := range req.Keys {
		if err := t.keys.checkKey(key); err != nil {
			return nil, err
		}
		order := t.keys.order(key)
		if seen[order] {
			return nil, errDuplicateKeys
		}
		seen[order] = true
		gets[i] = &get{t, key, x.projection}
	}
	return &tableGets{req, gets}, nil
}

// answerGets reads the items table by table. It returns keys as unprocessed once the items exceed 16 MB.
func (e *Engine) answerGets(batch []*tableGets, capacity capacityLevel) []byte {
	var charges bills
	responses, unprocessed := []byte(`{"Responses":{`), map[string]any{}
	size := 0
	for i, part := range batch {
		if i > 0 {
			responses = append(responses, ',')
		}
		responses = append(attr.AppendString(responses, part.request.TableName), `:[`...)
		rows := e.read(part.gets, func(g *get, r *row) float64 {
			units := readUnits(sizeOf(r), part.request.ConsistentRead)
			charges.findOrAdd(g.table).base += units
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
		if fits < len(rows) {
			unprocessed[part.request.TableName] = part.unprocessed(fits)
		}
	}
	return finish(fmt.Appendf(responses, `},"UnprocessedKeys":%s`, toJSON(unprocessed)), capacity, charges)
}

// unprocessed returns the keys from the given index on as a request that a client can send again.
func (g *tableGets) unprocessed(from int) any {
	return struct {
		Keys                     []attr.Map
		ConsistentRead           bool              `json:",omitempty"`
		ProjectionExpression     *string           `json:",omitempty"`
		ExpressionAttributeNames map[string]string `json:",omitempty"`
	}{g.request.Keys[from:], g.request.ConsistentRead, g.request.ProjectionExpression,
		g.request.ExpressionAttributeNames}
}

func (e *Engine) transactGetItems(d *jsontext.Decoder) ([]byte, error) {
	var in struct {
		TransactItems          transactItems
		ReturnConsumedCapacity capacityLevel
	}
	in.TransactItems.kinds = []string{"Get"}
	err := decode(d, "TransactGetItems", &in)
	if err != nil {
		return nil, err
	}
	parts := in.TransactItems.parts
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
		return nil, newConflictFault(len(places))
	}
	return e.answerTransactGets(gets, in.ReturnConsumedCapacity)
}

func (e *Engine) answerTransactGets(gets []*get, capacity capacityLevel) ([]byte, error) {
	var charges bills
	rows := e.read(gets, func(g *get, r *row) float64 {
		units := transactional * readUnits(sizeOf(r), true)
		charges.findOrAdd(g.table).base += units
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
	return finish(append(answer, ']'), capacity, charges), nil
}
