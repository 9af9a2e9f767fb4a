package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// maxLine is the length in bytes at which a longer line is split, as in CloudWatch.
const maxLine = 256 << 10

// output logs a process's lines. It converts a line of slog's JSONHandler back to a record.
type output struct {
	log *slog.Logger

	mu   sync.Mutex
	rest []byte // of an unfinished line
}

// Write accepts any piece of output. It never fails, because a failure would end the process.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.rest = append(o.rest, p...)
	for {
		end := bytes.IndexByte(o.rest, '\n')
		switch {
		case end >= 0:
			o.logLine(o.rest[:end])
			o.rest = o.rest[end+1:]
		case len(o.rest) >= maxLine:
			o.logLine(o.rest)
			o.rest = nil
		default:
			return len(p), nil
		}
	}
}

// flush logs the unfinished last line.
func (o *output) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.logLine(o.rest)
	o.rest = nil
}

func (o *output) logLine(text []byte) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return
	}
	ctx := context.Background()
	record, err := parseRecord(text)
	if err != nil {
		record = slog.NewRecord(time.Now(), slog.LevelInfo, string(text), 0)
	}
	if handler := o.log.Handler(); handler.Enabled(ctx, record.Level) {
		_ = handler.Handle(ctx, record) // a failing log must not block the process
	}
}

var errNoRecord = errors.New("no record of slog's JSONHandler")

func parseRecord(line []byte) (slog.Record, error) {
	var head struct {
		Time  time.Time
		Level *slog.Level
		Msg   *string
	}
	if err := json.Unmarshal(line, &head); err != nil || head.Level == nil || head.Msg == nil {
		return slog.Record{}, errors.Join(errNoRecord, err)
	}
	record := slog.NewRecord(head.Time, *head.Level, *head.Msg, 0)
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	_, err := d.Token() // the opening brace
	for err == nil && d.More() {
		var name json.Token
		var value json.RawMessage
		if name, err = d.Token(); err == nil {
			err = d.Decode(&value)
		}
		switch name {
		case slog.TimeKey, slog.LevelKey, slog.MessageKey:
		default:
			record.AddAttrs(slog.Attr{Key: name.(string), Value: valueOf(value)})
		}
	}
	return record, err
}

// valueOf converts numbers and texts. It keeps other values as JSON.
func valueOf(raw json.RawMessage) slog.Value {
	var number json.Number
	var text string
	switch {
	case json.Unmarshal(raw, &text) == nil:
		return slog.StringValue(text)
	case json.Unmarshal(raw, &number) == nil:
		if whole, err := number.Int64(); err == nil {
			return slog.Int64Value(whole)
		}
		if fraction, err := number.Float64(); err == nil {
			return slog.Float64Value(fraction)
		}
	}
	return slog.StringValue(string(raw))
}
