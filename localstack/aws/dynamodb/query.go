package dynamodb

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

const maxPage = 1 << 20 // bytes read by one Query or Scan (API reference, Query)

type page struct {
	expressions
	request *request
	isQuery bool
	table   *table
	ix      *index // nil for the table
	span    span
	start   string // exclusive start; "" to start at the beginning
}

func pageOperation(name string) operation {
	return func(e *Engine, d *jsontext.Decoder) ([]byte, error) {
		p, err := e.readPage(d, name)
		if err != nil {
			return nil, err
		}
		if err := cmp.Or(p.locate(), p.checkProjected()); err != nil {
			return nil, err
		}
		return e.answerPage(p)
	}
}

func (p *page) locate() (err error) {
	if !p.isQuery {
		p.span, err = segmentSpan(p.request.Segment, p.request.TotalSegments)
		return err
	}
	if p.span, err = p.schemas()[0].span(p.terms); err != nil {
		return err
	}
	return p.checkFilter()
}

func (e *Engine) readPage(d *jsontext.Decoder, operation string) (*page, error) {
	req, err := readRequest(d, operation)
	if err != nil {
		return nil, err
	}
	p := &page{request: req, isQuery: operation == "Query"}
	const possible = "FilterExpression, ProjectionExpression, KeyConditionExpression"
	if p.expressions, err = req.parse(possible, p.isQuery); err != nil {
		return nil, err
	}
	if p.table, err = e.table(req.TableName); err != nil {
		return nil, err
	}
	if req.IndexName != "" {
		if p.ix, err = p.table.index(req.IndexName); err != nil {
			return nil, err
		}
	}
	return p, cmp.Or(p.checkOptions(), p.readStart())
}

// checkProjected refuses attributes that the index does not project. A global index never fetches from its table.
func (p *page) checkProjected() error {
	if p.ix == nil || p.ix.kept == nil {
		return nil
	}
	// A Scan's filter may name other attributes.
	if missing := p.ix.notProjected(p.filter.Roots()); missing != "" && p.isQuery {
		return badValue("Secondary index %s does not project one or more filter attributes: [%s]", p.ix.name, missing)
	}
	if missing := p.ix.notProjected(p.projection.Roots()); missing != "" {
		return badValue("Global secondary index %s does not project [%s]", p.ix.name, missing)
	}
	return nil
}

// notProjected returns the given attributes that the index does not project, joined by commas.
func (ix *index) notProjected(names []string) string {
	missing := slices.DeleteFunc(names, func(name string) bool { return slices.Contains(ix.kept, name) })
	slices.Sort(missing)
	return strings.Join(slices.Compact(missing), ", ")
}

// schemas returns the keys that sort the rows: first the index key, if the page reads an index, then the table's key.
func (p *page) schemas() []schema {
	if p.ix != nil {
		return []schema{p.ix.keys, p.table.keys}
	}
	return []schema{p.table.keys}
}

func (p *page) keyNames() (names []string) {
	for _, keys := range p.schemas() {
		names = append(names, keys.names()...)
	}
	return names
}

func (p *page) checkOptions() error {
	req := p.request
	if req.Limit != nil && *req.Limit < 1 {
		return attr.Invalid("Limit must be greater than or equal to 1")
	}
	if p.ix != nil && req.ConsistentRead {
		return attr.Invalid("Consistent reads are not supported on global secondary indexes")
	}
	return p.checkSelect()
}

func (p *page) checkSelect() error {
	req := p.request
	switch req.Select {
	case "":
	case "ALL_ATTRIBUTES":
		if p.ix != nil && p.ix.kept != nil {
			return badValue("Select type ALL_ATTRIBUTES is not supported for global secondary index %s because its "+
				"projection type is not ALL", p.ix.name)
		}
	case "COUNT":
		if req.ProjectionExpression != nil {
			return attr.Invalid("Cannot specify the ProjectionExpression when choosing to get only the Count")
		}
	case "ALL_PROJECTED_ATTRIBUTES":
		if p.ix == nil {
			return attr.Invalid("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")
		}
	case "SPECIFIC_ATTRIBUTES":
		if req.ProjectionExpression == nil {
			return attr.Invalid("Must specify the AttributesToGet or ProjectionExpression when choosing to get " +
				"SPECIFIC_ATTRIBUTES")
		}
		return nil
	default:
		return attr.Invalid("Select must be ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES, COUNT, or SPECIFIC_ATTRIBUTES")
	}
	if req.ProjectionExpression != nil && req.Select != "" {
		return attr.Invalidf("Cannot specify the ProjectionExpression when choosing to get %s", req.Select)
	}
	return nil
}

// readStart converts ExclusiveStartKey to an order.
func (p *page) readStart() error {
	start := p.request.ExclusiveStartKey
	if start == nil {
		return nil
	}
	for _, keys := range p.schemas() {
		if err := keys.checkKey(start.Only(keys.names())); err != nil {
			return errStartKey
		}
		p.start += keys.order(start)
	}
	if len(start.Only(p.keyNames())) != len(start) {
		return errStartKey
	}
	return nil
}

const (
	errStartKey    = attr.Invalid("The provided starting key is invalid")
	errStartBounds = attr.Invalid("The provided starting key is outside query boundaries based on provided conditions")
)

// checkFilter refuses a Query's filter that reads an attribute of the queried key.
func (p *page) checkFilter() error {
	if p.filter == nil {
		return nil
	}
	for _, name := range p.filter.Roots() {
		if p.schemas()[0].has(name) {
			return attr.Invalidf("Filter Expression can only contain non-primary key attributes: Primary key attribute: %s",
				name)
		}
	}
	return nil
}

// scanned holds the rows that a page read, before filtering.
type scanned struct {
	rows  []*row
	bytes int
	more  bool
}

// collect reads rows to the end of the page: until there are Limit rows, or until a row makes the page exceed 1 MB.
func (e *Engine) collect(p *page) scanned {
	var s scanned
	limit := int(^uint(0) >> 1)
	if p.request.Limit != nil {
		limit = *p.request.Limit
	}
	visit := func(r *row) bool {
		if s.bytes >= maxPage {
			s.more = true
			return false
		}
		s.rows = append(s.rows, r)
		s.bytes += r.size
		s.more = len(s.rows) == limit
		return !s.more
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	rows := &p.table.rows
	if p.ix != nil {
		rows = &p.ix.rows
	}
	if p.isBackward() {
		rows.descend(p.remainingSpan(), visit)
	} else {
		rows.ascend(p.remainingSpan(), visit)
	}
	return s
}

func (p *page) isBackward() bool {
	forward := p.request.ScanIndexForward
	return forward != nil && !*forward
}

// remainingSpan returns the part of the span beyond the start key.
func (p *page) remainingSpan() span {
	sp := p.span
	switch {
	case p.start == "":
	case p.isBackward():
		sp.high = p.start
	default:
		sp.low = p.start + "\x00" // the least order above start
	}
	return sp
}

func (e *Engine) answerPage(p *page) ([]byte, error) {
	if p.start != "" && !p.span.holds(p.start) {
		return nil, errStartBounds
	}
	s := e.collect(p)
	charge := &bill{table: p.table}
	units := readUnits(s.bytes, p.request.ConsistentRead)
	if p.ix == nil {
		charge.base = units
	}
	for i, ix := range p.table.indexes {
		if ix == p.ix {
			charge.chargeIndex(i, units)
		}
	}
	e.mu.Lock()
	p.table.read += units
	e.mu.Unlock()
	return p.encode(s, charge), nil
}

func (p *page) encode(s scanned, charge *bill) []byte {
	dst := make([]byte, 0, 128+s.bytes)
	dst = append(dst, '{')
	counting := p.request.Select == "COUNT"
	if !counting {
		dst = append(dst, `"Items":[`...)
	}
	count := 0
	for _, r := range s.rows {
		if p.filter != nil && !p.filter.Holds(r.attributes()) { // without a filter, rows need no decoding
			continue
		}
		if count++; counting {
			continue
		}
		if count > 1 {
			dst = append(dst, ',')
		}
		dst = r.append(dst, p.projection)
	}
	if !counting {
		dst = append(dst, `],`...)
	}
	dst = strconv.AppendInt(append(dst, `"Count":`...), int64(count), 10)
	dst = strconv.AppendInt(append(dst, `,"ScannedCount":`...), int64(len(s.rows)), 10)
	if s.more {
		dst = attr.AppendMap(append(dst, `,"LastEvaluatedKey":`...), s.rows[len(s.rows)-1].attributes().Only(p.keyNames()))
	}
	return finish(dst, p.request.ReturnConsumedCapacity, charge)
}
