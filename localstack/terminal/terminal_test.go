package terminal_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/terminal"
)

func TestARecordIsOneReadableLine(t *testing.T) {
	t.Parallel()
	requested := []any{"method", "POST", "route", "/v0.1/checkouts", "status", 201, "duration_ms", 12.345,
		"request_id", "r1", "credential", "key_1", "tenant", "T#MC1"}
	for want, write := range map[string]func(*slog.Logger){
		"201 POST   /v0.1/checkouts  12.3 ms tenant=T#MC1": func(l *slog.Logger) { l.Info("request", requested...) },
		"404 GET    (no such route)  0.1 ms request_id=r2 error_code=NOT_FOUND": func(l *slog.Logger) {
			l.Info("request", "method", "GET", "route", "", "status", 404, "duration_ms", 0.1, "request_id", "r2",
				"error_code", "NOT_FOUND")
		},
		"200 GET    /healthz  12.0 ms": func(l *slog.Logger) {
			l.Info("request", "method", "GET", "route", "/healthz", "status", 200, "duration_ms", 12)
		},
		"merchant created merchant=MC1": func(l *slog.Logger) {
			l.Info("merchant created", "merchant", "MC1")
		},
		`ERROR panic function=sweep stack="one\ntwo" e=""`: func(l *slog.Logger) {
			l.With("function", "sweep").Error("panic", "stack", "one\ntwo", "e", "")
		},
		"WARN late outer.a=1 outer.inner.b=2": func(l *slog.Logger) {
			l.WithGroup("outer").With("a", 1).WithGroup("inner").Warn("late", "b", 2)
		},
		"": func(l *slog.Logger) { l.Debug("nothing") },
	} {
		var out bytes.Buffer
		write(terminal.New(&out))
		_, line, _ := strings.Cut(out.String(), " ") // behind the time
		if line = strings.TrimSuffix(line, "\n"); line != want {
			t.Errorf("line %q, want %q", line, want)
		}
	}
}
