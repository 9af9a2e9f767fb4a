package dynamodb

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/cashwrap/cashwrap/localstack/dynamodb/attr"
)

// A snapshot is gzipped JSON, one document per line: a header, then tables,
// streams and tokens. Items stand in it as they do on the wire.

const snapshotFormat = "cashwrap dynamodb 1"

type savedHeader struct {
	Format  string
	Version uint64
	Tables  int
	Streams int
	Tokens  []savedToken
}

type savedToken struct {
	Name        string
	Fingerprint []byte
	Until       time.Time
}

type savedTable struct {
	Plan    json.RawMessage // as CreateTable takes it
	Created time.Time
	TTL     string
	Stream  string // ARN
	Items   []json.RawMessage
	Read    float64
	Written float64
}

type savedStream struct {
	Table   string
	Label   string
	View    string
	Created time.Time
	Keys    [2]savedKey
	Closed  bool
	Last    int
	Records []savedRecord
}

type savedKey struct{ Name, Kind string }

type savedRecord struct {
	Sequence  int
	At        time.Time
	Event     string
	Old, New  json.RawMessage `json:",omitempty"`
	ByService bool
}

// Save writes everything that Load needs to continue: tables with their items,
// streams with their positions, tokens. Replication still under way is saved
// as done. It holds the lock only to note which rows there are.
func (e *Engine) Save(w io.Writer) error {
	header, documents := e.freeze()
	zip := gzip.NewWriter(w)
	out := bufio.NewWriter(zip)
	encode := json.NewEncoder(out)
	if err := encode.Encode(header); err != nil {
		return err
	}
	for _, document := range documents {
		if err := encode.Encode(document()); err != nil {
			return err
		}
	}
	return errors.Join(out.Flush(), zip.Close())
}

// freeze notes the state; the documents it returns need no lock, because rows
// and records never change.
func (e *Engine) freeze() (savedHeader, []func() any) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	header := savedHeader{Format: snapshotFormat, Version: e.version, Tables: len(e.tables), Streams: len(e.streams)}
	for _, name := range e.tokens.queue {
		t := e.tokens.known[name]
		header.Tokens = append(header.Tokens, savedToken{name, t.fingerprint[:], t.until})
	}
	var documents []func() any
	for _, t := range e.sortedTables() {
		rows := make([]*row, 0, t.rows.count)
		t.rows.ascend(span{}, func(r *row) bool { rows = append(rows, r); return true })
		documents = append(documents, t.freeze(rows))
	}
	for _, s := range e.streams {
		documents = append(documents, s.freeze())
	}
	return header, documents
}

func (t *table) freeze(rows []*row) func() any {
	saved := savedTable{Plan: t.planJSON(), Created: t.created, TTL: t.ttl.attribute, Read: t.read, Written: t.written}
	if t.stream != nil {
		saved.Stream = t.stream.arn()
	}
	return func() any {
		saved.Items = make([]json.RawMessage, len(rows))
		for i, r := range rows {
			saved.Items[i] = attr.AppendMap(nil, r.item)
		}
		return saved
	}
}

func (s *stream) freeze() func() any {
	records := s.records[:len(s.records):len(s.records)]
	saved := savedStream{Table: s.table, Label: s.label, View: s.view, Created: s.created, Closed: s.closed, Last: s.last,
		Keys: [2]savedKey{{s.keys.hash.name, s.keys.hash.kind.String()}, {s.keys.sort.name, s.keys.sort.kind.String()}}}
	return func() any {
		for _, r := range records {
			saved.Records = append(saved.Records, savedRecord{r.sequence, r.at, r.event, itemJSON(r.old), itemJSON(r.new), r.by == byService})
		}
		return saved
	}
}

func itemJSON(m attr.Map) json.RawMessage {
	if m == nil {
		return nil
	}
	return attr.AppendMap(nil, m)
}

// planJSON writes the table's definition as CreateTable takes it.
func (t *table) planJSON() json.RawMessage {
	dst := []byte(`{"TableName":`)
	dst = fmt.Appendf(dst, `%s,"KeySchema":%s,"DeletionProtectionEnabled":%t,"AttributeDefinitions":[`, quote(t.name), t.keys.json(), t.protected)
	for i, k := range t.attributes {
		dst = fmt.Appendf(dst, `%s{"AttributeName":%s,"AttributeType":"%s"}`, comma(i), quote(k.name), k.kind)
	}
	if t.onDemand {
		dst = append(dst, `],"BillingMode":"PAY_PER_REQUEST"`...)
	} else {
		dst = fmt.Appendf(dst, `],"ProvisionedThroughput":{"ReadCapacityUnits":%d,"WriteCapacityUnits":%d}`, t.readUnits, t.writeUnits)
	}
	dst = append(dst, `,"GlobalSecondaryIndexes":[`...)
	for i, ix := range t.indexes {
		dst = fmt.Appendf(dst, `%s{"IndexName":%s,"KeySchema":%s,"Projection":%s}`, comma(i), quote(ix.name), ix.keys.json(), ix.projectionJSON())
	}
	return append(dst, `]}`...)
}

// Load replaces everything with what Save wrote. After an error the Engine is
// as it was.
func (e *Engine) Load(r io.Reader) error {
	zip, err := gzip.NewReader(r)
	if err != nil {
		return fmt.Errorf("reading snapshot: %w", err)
	}
	loaded := New(Config{})
	if err := loaded.thaw(json.NewDecoder(zip)); err != nil {
		return fmt.Errorf("reading snapshot: %w", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.tables, e.streams, e.tokens, e.version = loaded.tables, loaded.streams, loaded.tokens, loaded.version
	e.schedule()
	return nil
}

func (e *Engine) thaw(decode *json.Decoder) error {
	var header savedHeader
	if err := decode.Decode(&header); err != nil {
		return err
	}
	if header.Format != snapshotFormat {
		return fmt.Errorf("format %q is not %q", header.Format, snapshotFormat)
	}
	for _, t := range header.Tokens {
		if len(t.Fingerprint) != sha256.Size {
			return errors.New("a token's fingerprint is damaged")
		}
		e.tokens.known[t.Name] = token{[sha256.Size]byte(t.Fingerprint), t.Until}
		e.tokens.queue = append(e.tokens.queue, t.Name)
	}
	streamOf := map[string]*table{}
	for range header.Tables {
		if err := e.thawTable(decode, streamOf); err != nil {
			return err
		}
	}
	for range header.Streams {
		s, err := thawStream(decode)
		if err != nil {
			return err
		}
		e.streams = append(e.streams, s)
		if t := streamOf[s.arn()]; t != nil {
			t.stream = s
		}
	}
	e.version = header.Version
	return nil
}

func (e *Engine) thawTable(decode *json.Decoder, streamOf map[string]*table) error {
	var saved savedTable
	if err := decode.Decode(&saved); err != nil {
		return err
	}
	p, err := readPlan(attr.NewReader(string(saved.Plan)))
	if err != nil {
		return err
	}
	t, err := p.table()
	if err != nil {
		return err
	}
	t.created, t.read, t.written = saved.Created, saved.Read, saved.Written
	for _, text := range saved.Items {
		item, err := attr.NewReader(string(text)).Map()
		if err != nil {
			return err
		}
		e.replace(t, nil, t.makeRow(t.keys.order(item), item), byClient)
	}
	t.enableTTL(saved.TTL)
	e.tables[t.name] = t
	if saved.Stream != "" {
		streamOf[saved.Stream] = t
	}
	return nil
}

func thawStream(decode *json.Decoder) (*stream, error) {
	var saved savedStream
	if err := decode.Decode(&saved); err != nil {
		return nil, err
	}
	hash, _ := attr.ParseKind(saved.Keys[0].Kind)
	sort, _ := attr.ParseKind(saved.Keys[1].Kind) // Missing for a table without sort key
	s := &stream{table: saved.Table, label: saved.Label, view: saved.View, created: saved.Created, closed: saved.Closed, last: saved.Last,
		keys: schema{keyAttribute{saved.Keys[0].Name, hash}, keyAttribute{saved.Keys[1].Name, sort}}}
	for _, r := range saved.Records {
		thawed := record{sequence: r.Sequence, at: r.At, event: r.Event, by: writer(r.ByService)}
		for _, image := range []struct {
			text json.RawMessage
			to   *attr.Map
		}{{r.Old, &thawed.old}, {r.New, &thawed.new}} {
			if image.text == nil {
				continue
			}
			item, err := attr.NewReader(string(image.text)).Map()
			if err != nil {
				return nil, err
			}
			*image.to = item
		}
		s.records = append(s.records, thawed)
	}
	return s, nil
}
