package app

import (
	"context"
	"log/slog"
)

// coldStart marks the context of a process's first event, whose time includes what is done once, such as opening
// connections. Before it Lambda started the process (initDurationMs of its own log line).
type coldStart struct{}

// enter is the context of an event.
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

// WithAttrs is the same log with more attributes.
func (l eventLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return eventLog{l.Handler.WithAttrs(attrs)}
}

// WithGroup is the same log with a group.
func (l eventLog) WithGroup(name string) slog.Handler { return eventLog{l.Handler.WithGroup(name)} }
