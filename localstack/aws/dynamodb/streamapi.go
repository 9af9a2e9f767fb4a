package dynamodb

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

const (
	maxRecords       = 1000 // API reference, GetRecords
	maxRecordBytes   = 1 << 20
	iteratorLifetime = 15 * time.Minute
)

func notFound(format string, args ...any) error {
	return &fault{code: "ResourceNotFoundException", message: "Requested resource not found: " +
		fmt.Sprintf(format, args...)}
}

// findStream returns the stream with an ARN. Callers hold mu.
func (e *Engine) findStream(arn string) (*stream, error) {
	for _, s := range e.streams {
		if s.arn() == arn {
			return s, nil
		}
	}
	return nil, notFound("Stream: %s not found", arn)
}

func (e *Engine) listStreams(d *jsontext.Decoder) ([]byte, error) {
	var in struct {
		TableName, ExclusiveStartStreamArn string
		Limit                              int
	}
	in.Limit = 100
	if err := decode(d, "ListStreams", &in); err != nil {
		return nil, err
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	streams := e.streams
	if in.ExclusiveStartStreamArn != "" {
		after := slices.IndexFunc(streams, func(s *stream) bool { return s.arn() == in.ExclusiveStartStreamArn })
		if after < 0 {
			after = len(streams) - 1
		}
		streams = streams[after+1:]
	}
	streams = slices.DeleteFunc(slices.Clone(streams), func(s *stream) bool {
		return in.TableName != "" && s.definition.TableName != in.TableName
	})
	limit := max(1, in.Limit)
	answer := attr.AppendList([]byte(`{"Streams":`), streams[:min(limit, len(streams))],
		func(dst []byte, s *stream) []byte {
			return fmt.Appendf(dst, `{"StreamArn":%s,"TableName":%s,"StreamLabel":%s}`, quote(s.arn()),
				quote(s.definition.TableName), quote(s.label))
		})
	if len(streams) > limit {
		answer = fmt.Appendf(answer, `,"LastEvaluatedStreamArn":%s`, quote(streams[limit-1].arn()))
	}
	return append(answer, '}'), nil
}

func (e *Engine) describeStream(d *jsontext.Decoder) ([]byte, error) {
	var in struct {
		StreamArn, ExclusiveStartShardId string
		Limit                            int // without effect, since there is one shard
	}
	if err := decode(d, "DescribeStream", &in); err != nil {
		return nil, err
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	s, err := e.findStream(in.StreamArn)
	if err != nil {
		return nil, err
	}
	status, ending := "ENABLED", ""
	if s.closed {
		status, ending = "DISABLED", `,"EndingSequenceNumber":"`+sequenceText(s.last)+`"`
	}
	answer := fmt.Appendf(nil, `{"StreamDescription":{"StreamArn":%s,"StreamLabel":%s,"StreamStatus":"%s",`+
		`"StreamViewType":"%s",`+
		`"CreationRequestDateTime":%d,"TableName":%s,"KeySchema":%s,"Shards":[`,
		quote(in.StreamArn), quote(s.label), status, s.view(), s.created.Unix(), quote(s.definition.TableName),
		toJSON(s.definition.KeySchema))
	if in.ExclusiveStartShardId < s.shard() {
		answer = fmt.Appendf(answer, `{"ShardId":"%s","SequenceNumberRange":{"StartingSequenceNumber":"%s"%s}}`, s.shard(),
			sequenceText(1), ending)
	}
	return append(answer, `]}}`...), nil
}

func (e *Engine) getShardIterator(d *jsontext.Decoder) ([]byte, error) {
	var in struct{ StreamArn, ShardId, ShardIteratorType, SequenceNumber string }
	if err := decode(d, "GetShardIterator", &in); err != nil {
		return nil, err
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	s, err := e.findStream(in.StreamArn)
	if err != nil {
		return nil, err
	}
	if in.ShardId != s.shard() {
		return nil, notFound("Shard does not exist")
	}
	from, err := s.position(in.ShardIteratorType, in.SequenceNumber, e.now())
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `{"ShardIterator":%s}`, quote(e.encodeIterator(s, from))), nil
}

func (s *stream) position(kind, sequence string, now time.Time) (int, error) {
	switch kind {
	case "TRIM_HORIZON":
		if kept := s.since(0, now); len(kept) > 0 {
			return kept[0].sequence, nil
		}
		return s.last + 1, nil
	case "LATEST":
		return s.last + 1, nil
	case "AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER":
	default:
		return 0, enumError("shardIteratorType", kind, "[AFTER_SEQUENCE_NUMBER, LATEST, AT_SEQUENCE_NUMBER, TRIM_HORIZON]")
	}
	n, err := strconv.Atoi(sequence)
	if err != nil || n < 1 || n > s.last {
		return 0, badValue("Invalid SequenceNumber")
	}
	if kind == "AFTER_SEQUENCE_NUMBER" {
		n++
	}
	if kept := s.since(0, now); n <= s.last && (len(kept) == 0 || n < kept[0].sequence) {
		return 0, errTrimmed
	}
	return n, nil
}

var (
	errTrimmed = &fault{code: "TrimmedDataAccessException",
		message: "The requested records are past the trim horizon of 24 hours"}
	errExpired = &fault{code: "ExpiredIteratorException", message: "Iterator has expired"}
)

const errIterator = attr.Invalid("Invalid ShardIterator")

const iteratorFormat = "%d|%d|%s"

func (e *Engine) encodeIterator(s *stream, from int) string {
	state := fmt.Sprintf(iteratorFormat, from, e.now().UnixMilli(), s.arn())
	return base64.StdEncoding.EncodeToString([]byte(state))
}

func (e *Engine) readIterator(text string) (*stream, int, error) {
	state, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, 0, errIterator
	}
	var (
		from  int
		given int64 // Unix milliseconds
		arn   string
	)
	if _, err = fmt.Sscanf(string(state), iteratorFormat, &from, &given, &arn); err != nil {
		return nil, 0, errIterator
	}
	if e.now().Sub(time.UnixMilli(given)) > iteratorLifetime {
		return nil, 0, errExpired
	}
	s, err := e.findStream(arn)
	return s, from, err
}

func (e *Engine) getRecords(d *jsontext.Decoder) ([]byte, error) {
	var in struct {
		ShardIterator string
		Limit         int
	}
	in.Limit = maxRecords
	if err := decode(d, "GetRecords", &in); err != nil {
		return nil, err
	}
	if err := checkLimit("limit", in.Limit, maxRecords); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	s, from, err := e.readIterator(in.ShardIterator)
	if err != nil {
		return nil, err
	}
	if e.oneReader {
		s.trim(from, e.now())
	}
	kept := s.since(from, e.now())
	if from <= s.last && (len(kept) == 0 || kept[0].sequence > from) {
		return nil, errTrimmed
	}
	answer := []byte(`{"Records":[`)
	count := 0
	for ; count < min(in.Limit, len(kept)) && len(answer) < maxRecordBytes; count++ {
		if count > 0 {
			answer = append(answer, ',')
		}
		answer = s.appendRecord(answer, kept[count])
	}
	answer = append(answer, ']')
	if !s.closed || count < len(kept) {
		answer = fmt.Appendf(answer, `,"NextShardIterator":%s`, quote(e.encodeIterator(s, from+count)))
	}
	return append(answer, '}'), nil
}
