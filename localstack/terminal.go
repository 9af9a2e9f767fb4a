package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
)

// terminal is a slog.Handler for people: one short line a record, and a request's in columns:
//
//	15:04:05 201 POST   /v0.1/checkouts  12.3 ms
//	15:04:06 WARN callback not delivered callback=msg_… reason=timeout
type terminal struct {
	out   *lockedWriter
	attrs []slog.Attr
	group string
}

type lockedWriter struct {
	mu sync.Mutex
	io.Writer
}

func newTerminal(out io.Writer) *terminal { return &terminal{out: &lockedWriter{Writer: out}} }

// Enabled drops debug records.
func (t *terminal) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

// WithAttrs and WithGroup are slog.Handler's.
func (t *terminal) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &terminal{t.out, append(slices.Clip(t.attrs), t.named(attrs)...), t.group}
}

// WithGroup names the attributes that follow.
func (t *terminal) WithGroup(name string) slog.Handler {
	return &terminal{t.out, t.attrs, t.group + name + "."}
}

func (t *terminal) named(attrs []slog.Attr) []slog.Attr {
	named := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		named[i] = slog.Attr{Key: t.group + a.Key, Value: a.Value.Resolve()}
	}
	return named
}

// Handle writes the line.
func (t *terminal) Handle(_ context.Context, r slog.Record) error {
	own := make([]slog.Attr, 0, r.NumAttrs())
	r.Attrs(func(a slog.Attr) bool { own = append(own, a); return true })
	attrs := append(slices.Clip(t.attrs), t.named(own)...)

	var line strings.Builder
	line.WriteString(r.Time.Format("15:04:05 "))
	if r.Message == "request" {
		attrs = request(&line, attrs)
	} else {
		if r.Level != slog.LevelInfo {
			line.WriteString(r.Level.String() + " ")
		}
		line.WriteString(r.Message)
	}
	for _, a := range attrs {
		fmt.Fprintf(&line, " %s=%s", a.Key, text(a.Value))
	}
	line.WriteByte('\n')
	t.out.mu.Lock()
	defer t.out.mu.Unlock()
	_, err := io.WriteString(t.out, line.String())
	return err
}

// request writes the columns and returns what is not in them; a request id matters only where something went wrong.
func request(line *strings.Builder, attrs []slog.Attr) (rest []slog.Attr) {
	columns := map[string]slog.Value{}
	for _, a := range attrs {
		switch a.Key {
		case "method", "route", "status", "duration_ms":
			columns[a.Key] = a.Value
		case "credential":
		default:
			rest = append(rest, a)
		}
	}
	route := columns["route"].String()
	if route == "" {
		route = "(no such route)"
	}
	status := columns["status"]
	took := columns["duration_ms"].Any()
	if whole, ok := took.(int64); ok { // a process's record has been JSON, where 12.0 is 12
		took = float64(whole)
	}
	fmt.Fprintf(line, "%s %-6s %s  %.1f ms", status, columns["method"], route, took)
	if status.Kind() == slog.KindInt64 && status.Int64() < 400 {
		rest = slices.DeleteFunc(rest, func(a slog.Attr) bool { return a.Key == "request_id" })
	}
	return rest
}

// text quotes what would not be one word, and so keeps a record on one line.
func text(v slog.Value) string {
	s := v.String()
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == '"' || r == 0x7f }) {
		return fmt.Sprintf("%q", s)
	}
	return s
}
