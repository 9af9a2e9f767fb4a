package app

import (
	"context"
	"log/slog"
)

// coldStart marks the context of a process's first event. That event also includes one-time work such as opening
// connections. Lambda logs the start of the process separately (initDurationMs).
type coldStart struct{}

// enter returns the context of an event. If the event is the first of the process, the context is marked.
func (a *App) enter(ctx context.Context) context.Context {
	if a.entered.Swap(true) {
		return ctx
	}
	return context.WithValue(ctx, coldStart{}, true)
}

// eventLog adds cold_start to all lines of the first event.
type eventLog struct{ slog.Handler }

// Handle writes a line.
func (l eventLog) Handle(ctx context.Context, line slog.Record) error {
	if ctx.Value(coldStart{}) != nil {
		line = line.Clone()
		line.AddAttrs(slog.Bool("cold_start", true))
	}
	return l.Handler.Handle(ctx, line)
}

// WithAttrs returns the log with more attributes.
func (l eventLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return eventLog{l.Handler.WithAttrs(attrs)}
}

// WithGroup returns the log with a group.
func (l eventLog) WithGroup(name string) slog.Handler { return eventLog{l.Handler.WithGroup(name)} }
