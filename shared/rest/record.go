package rest

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// logRequest writes the request's one log line. The line has the route's pattern, because no path value, query or body
// may reach a log.
func (x *exchange) logRequest(ctx context.Context, r reply, took time.Duration) {
	attrs := []slog.Attr{
		slog.String("method", safeMethod(x.request.Method)),
		slog.String("route", x.pattern()),
		slog.Int("status", r.status),
		slog.Float64("duration_ms", float64(took.Microseconds())/1000),
		slog.String("request_id", x.id),
	}
	if source := x.source(); source != "" {
		attrs = append(attrs, slog.String("source", source))
	}
	if x.caller.Actor.ID != "" {
		attrs = append(attrs, slog.String("credential", x.caller.Actor.ID), slog.String("tenant", x.caller.Tenant.String()))
	}
	if r.header.Get("Idempotency-Replayed") != "" {
		attrs = append(attrs, slog.Bool("replayed", true))
	}
	if r.err != nil {
		e := failure.Of(r.err)
		attrs = append(attrs, slog.String("error_code", e.Code), slog.String("problem", problemOf(e).Slug))
		if e.Cause != nil {
			attrs = append(attrs, slog.String("cause", e.Cause.Error()))
		}
	}
	level := slog.LevelInfo
	if r.status >= http.StatusInternalServerError {
		level = slog.LevelError
	}
	x.server.log.LogAttrs(ctx, level, "request", attrs...)
}

func (x *exchange) pattern() string {
	if x.route == nil {
		return ""
	}
	return x.route.Path
}
