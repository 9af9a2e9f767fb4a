// Package terminal writes logs for people, at a developer's terminal.
package terminal

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
)

// New returns a log of one short line a record, with a request's in columns:
//
//	15:04:05 201 POST   /v0.1/checkouts  12.3 ms
//	15:04:06 WARN callback not delivered callback=msg_… reason=timeout
//
// Debug records are dropped.
func New(out io.Writer) *slog.Logger {
	return slog.New(&handler{out: &lockedWriter{Writer: out}})
}

// handler is the slog.Handler behind New.
type handler struct {
	out   *lockedWriter
	attrs []slog.Attr
	group string
}

type lockedWriter struct {
	mu sync.Mutex
	io.Writer
}

// Enabled drops debug records.
func (h *handler) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

// WithAttrs and WithGroup are slog.Handler's.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &handler{h.out, append(slices.Clip(h.attrs), h.named(attrs)...), h.group}
}

// WithGroup names the attributes that follow.
func (h *handler) WithGroup(name string) slog.Handler {
	return &handler{h.out, h.attrs, h.group + name + "."}
}

func (h *handler) named(attrs []slog.Attr) []slog.Attr {
	named := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		named[i] = slog.Attr{Key: h.group + a.Key, Value: a.Value.Resolve()}
	}
	return named
}

// Handle writes the line.
func (h *handler) Handle(_ context.Context, r slog.Record) error {
	own := make([]slog.Attr, 0, r.NumAttrs())
	r.Attrs(func(a slog.Attr) bool { own = append(own, a); return true })
	attrs := append(slices.Clip(h.attrs), h.named(own)...)

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
	h.out.mu.Lock()
	defer h.out.mu.Unlock()
	_, err := io.WriteString(h.out, line.String())
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
