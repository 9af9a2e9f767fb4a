package dynamodb

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/cashwrap/cashwrap/localstack/dynamodb/attr"
)

// writer tells whose change a stream record describes.
type writer bool

const (
	byClient  writer = false
	byService writer = true // time to live
)

const retention = 24 * time.Hour // of stream records (Developer Guide, "DynamoDB Streams")

// stream is a table's change log, in one shard.
type stream struct {
	table   string
	label   string
	view    string // KEYS_ONLY, NEW_IMAGE, OLD_IMAGE, NEW_AND_OLD_IMAGES
	created time.Time
	keys    schema
	closed  bool     // the table is deleted
	last    int      // sequence number of the newest record
	records []record // oldest first
}

type record struct {
	sequence int
	at       time.Time
	event    string // INSERT, MODIFY, REMOVE
	old, new attr.Map
	by       writer
}

// newStream labels the stream by the time, or a little later when a table of
// that name had a stream made at the same instant. Callers hold mu.
func (e *Engine) newStream(t *table, view string, now time.Time) *stream {
	s := &stream{table: t.name, view: view, created: now, keys: t.keys}
	for at := now.UTC(); ; at = at.Add(time.Millisecond) {
		s.label = at.Format("2006-01-02T15:04:05.000")
		if _, err := e.findStream(s.arn()); err != nil {
			return s
		}
	}
}

func (s *stream) arn() string { return arnPrefix + s.table + "/stream/" + s.label }

func (s *stream) shard() string {
	sum := sha256.Sum256([]byte(s.arn()))
	return fmt.Sprintf("shardId-%020d-%s", s.created.UnixMilli(), hex.EncodeToString(sum[:4]))
}

// record notes a change. Writing what is already there is no change.
func (s *stream) record(old, next *row, now time.Time, by writer) {
	if s == nil {
		return
	}
	r := record{at: now, old: itemOf(old), new: itemOf(next), by: by}
	switch {
	case old == nil && next == nil:
		return
	case old == nil:
		r.event = "INSERT"
	case next == nil:
		r.event = "REMOVE"
	case old.item.Equal(next.item):
		return
	default:
		r.event = "MODIFY"
	}
	s.last++
	r.sequence = s.last
	s.records = append(s.records, r)
	if now.Sub(s.records[0].at) > 2*retention { // trim rarely, it copies
		s.records = slices.Clone(s.since(0, now))
	}
}

// since returns the records kept at now whose sequence number is at least from.
func (s *stream) since(from int, now time.Time) []record {
	first := sort.Search(len(s.records), func(i int) bool {
		return s.records[i].sequence >= from && now.Sub(s.records[i].at) <= retention
	})
	return s.records[first:]
}

func (s *stream) keyOf(r record) attr.Map {
	item := r.new
	if item == nil {
		item = r.old
	}
	return item.Only(s.keys.names())
}

// images are what the stream's view shows of a record; nil for not shown.
func (s *stream) images(r record) (old, new attr.Map) {
	if s.view == "OLD_IMAGE" || s.view == "NEW_AND_OLD_IMAGES" {
		old = r.old
	}
	if s.view == "NEW_IMAGE" || s.view == "NEW_AND_OLD_IMAGES" {
		new = r.new
	}
	return old, new
}

func sequenceText(n int) string { return fmt.Sprintf("%021d", n) }

// appendRecord appends the record as GetRecords returns it.
func (s *stream) appendRecord(dst []byte, r record) []byte {
	key := s.keyOf(r)
	old, new := s.images(r)
	id := sha256.Sum256([]byte(s.arn() + sequenceText(r.sequence)))
	dst = append(dst, `{"eventID":"`+hex.EncodeToString(id[:16])+`","eventName":"`+r.event+
		`","eventVersion":"1.1","eventSource":"aws:dynamodb","awsRegion":"`+region+`","dynamodb":{"ApproximateCreationDateTime":`...)
	dst = fmt.Appendf(dst, `%d,"Keys":`, r.at.Unix())
	dst = attr.AppendMap(dst, key)
	if new != nil {
		dst = attr.AppendMap(append(dst, `,"NewImage":`...), new)
	}
	if old != nil {
		dst = attr.AppendMap(append(dst, `,"OldImage":`...), old)
	}
	dst = fmt.Appendf(dst, `,"SequenceNumber":"%s","SizeBytes":%d,"StreamViewType":"%s"}`,
		sequenceText(r.sequence), key.Size()+old.Size()+new.Size(), s.view)
	if r.by == byService {
		dst = append(dst, `,"userIdentity":{"Type":"Service","PrincipalId":"dynamodb.amazonaws.com"}`...)
	}
	return append(dst, '}')
}
