package dynamodb

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sort"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

// writer is the author of a stream record's change.
type writer bool

const (
	byClient  writer = false
	byService writer = true // time to live
)

const retention = 24 * time.Hour // of stream records (Developer Guide, "DynamoDB Streams")

type stream struct {
	definition *definition // of its table
	keys       schema
	label      string
	created    time.Time
	closed     bool     // the table is deleted
	last       int      // sequence number of the newest record
	records    []record // oldest first
}

// record is one change of an item. Rows that the stream's view hides are nil, except the row that provides the key.
type record struct {
	sequence  int
	at        time.Time
	event     string // INSERT, MODIFY, REMOVE
	old, next *row
	by        writer
}

// newStream returns a new stream of a table. The stream's label is the table's creation time, or the next millisecond
// that no other stream has as its label. Callers hold mu.
func (e *Engine) newStream(t *table) *stream {
	s := &stream{definition: t.definition, created: t.created, keys: t.keys}
	for at := t.created.UTC(); ; at = at.Add(time.Millisecond) {
		s.label = at.Format("2006-01-02T15:04:05.000")
		if _, err := e.findStream(s.arn()); err != nil {
			return s
		}
	}
}

func (s *stream) arn() string { return arnPrefix + s.definition.TableName + "/stream/" + s.label }

func (s *stream) shard() string {
	sum := sha256.Sum256([]byte(s.arn()))
	return fmt.Sprintf("shardId-%020d-%s", s.created.UnixMilli(), hex.EncodeToString(sum[:4]))
}

// recordChange appends a change. A write that changes nothing adds no record.
func (s *stream) recordChange(c change, now time.Time) {
	if s == nil {
		return
	}
	r := record{at: now, old: c.old, next: c.next, by: c.by}
	switch {
	case c.old == nil && c.next == nil:
		return
	case c.old == nil:
		r.event = "INSERT"
	case c.next == nil:
		r.event = "REMOVE"
	case c.old.equal(c.next):
		return
	default:
		r.event = "MODIFY"
		if !s.showsOld() {
			r.old = nil
		}
	}
	s.last++
	r.sequence = s.last
	s.records = append(s.records, r)
	s.trim(s.records[0].sequence, now)
}

// trim drops the records before a sequence number, and the records past retention.
func (s *stream) trim(before int, now time.Time) {
	n := 0
	for n < len(s.records) && (s.records[n].sequence < before || now.Sub(s.records[n].at) > retention) {
		n++
	}
	clear(s.records[:n]) // frees the rows; the next growing append frees the space
	s.records = s.records[n:]
}

// since returns the records whose sequence number is at least from and whose retention has not ended at the time now.
func (s *stream) since(from int, now time.Time) []record {
	first := sort.Search(len(s.records), func(i int) bool {
		return s.records[i].sequence >= from && now.Sub(s.records[i].at) <= retention
	})
	return s.records[first:]
}

func (s *stream) keyOf(r record) attr.Map {
	row := r.next
	if row == nil {
		row = r.old
	}
	return row.attributes().Only(s.keys.names())
}

func (s *stream) view() string { return s.definition.StreamSpecification.StreamViewType }

func (s *stream) showsOld() bool { return s.view() == "OLD_IMAGE" || s.view() == "NEW_AND_OLD_IMAGES" }

func (s *stream) images(r record) (old, new attr.Map) {
	if s.showsOld() {
		old = r.old.attributes()
	}
	if s.view() == "NEW_IMAGE" || s.view() == "NEW_AND_OLD_IMAGES" {
		new = r.next.attributes()
	}
	return old, new
}

func sequenceText(n int) string { return fmt.Sprintf("%021d", n) }

func (s *stream) appendRecord(dst []byte, r record) []byte {
	key := s.keyOf(r)
	old, new := s.images(r)
	id := sha256.Sum256([]byte(s.arn() + sequenceText(r.sequence)))
	dst = append(dst, `{"eventID":"`+hex.EncodeToString(id[:16])+`","eventName":"`+r.event+
		`","eventVersion":"1.1","eventSource":"aws:dynamodb","awsRegion":"`+region+
		`","dynamodb":{"ApproximateCreationDateTime":`...)
	dst = fmt.Appendf(dst, `%d,"Keys":`, r.at.Unix())
	dst = attr.AppendMap(dst, key)
	if new != nil {
		dst = attr.AppendMap(append(dst, `,"NewImage":`...), new)
	}
	if old != nil {
		dst = attr.AppendMap(append(dst, `,"OldImage":`...), old)
	}
	dst = fmt.Appendf(dst, `,"SequenceNumber":"%s","SizeBytes":%d,"StreamViewType":"%s"}`,
		sequenceText(r.sequence), key.Size()+old.Size()+new.Size(), s.view())
	if r.by == byService {
		dst = append(dst, `,"userIdentity":{"Type":"Service","PrincipalId":"dynamodb.amazonaws.com"}`...)
	}
	return append(dst, '}')
}
