package runner

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/functions"
	"github.com/cashwrap/cashwrap/localstack/platform/lambda/inprocess"
	"github.com/cashwrap/cashwrap/shared/app"
)

// TestNewInvoke_PanicAndTimeout checks that neither a panic nor a timeout ends this process or delays the caller.
func TestNewInvoke_PanicAndTimeout(t *testing.T) {
	t.Parallel()
	forever := make(chan struct{})
	t.Cleanup(func() { close(forever) })
	for name, c := range map[string]struct {
		timeout time.Duration
		handle  func()
		is      error
		want    string
	}{
		"panic":       {time.Minute, func() { panic("too bad") }, nil, "panic: too bad"},
		"out of time": {time.Millisecond, func() { <-forever }, context.DeadlineExceeded, "timed out after 1ms"},
	} {
		open := func() (*inprocess.Function, error) {
			return inprocess.New(functions.Function{Name: "sweep", Timeout: c.timeout, Tick: &functions.Schedule{
				Handle: func(*app.App) func(context.Context) error {
					return func(context.Context) error { c.handle(); return nil }
				}}}, app.New(app.Config{}, app.Overrides{}))
		}
		invoke := newCalls(t.Context(), slog.New(slog.DiscardHandler)).newInvoke(startOnce(open))
		if _, err := invoke(t.Context(), "1", []byte("{}")); err == nil || !strings.Contains(err.Error(), c.want) ||
			c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: got error %v, want %q", name, err, c.want)
		}
	}
}

// TestNewInvoke_StartFails checks that each call fails with the reason why the function did not start, or with the
// panic.
func TestNewInvoke_StartFails(t *testing.T) {
	t.Parallel()
	for want, open := range map[string]func() (*inprocess.Function, error){
		"nothing calls it": func() (*inprocess.Function, error) {
			return inprocess.New(functions.Function{Name: "idle"}, app.New(app.Config{}, app.Overrides{}))
		},
		"panic: no secret": func() (*inprocess.Function, error) { panic("no secret") },
	} {
		invoke := newCalls(t.Context(), slog.New(slog.DiscardHandler)).newInvoke(startOnce(open))
		for range 2 {
			if _, err := invoke(t.Context(), "1", []byte("{}")); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got error %v, want %q", err, want)
			}
		}
	}
}
