package runner

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/cashwrap/cashwrap/localstack/lambda/inprocess"
)

// inThisProcess is a function in this process.
type inThisProcess struct {
	*inprocess.Function
	calls *calls
}

// Invoke makes one call. A handler that runs out of time is abandoned.
func (h inThisProcess) Invoke(ctx context.Context, id string, payload []byte) ([]byte, error) {
	ctx, cancel := h.Context(ctx, id)
	defer cancel()

	type reply struct {
		payload []byte
		err     error
	}
	replies := make(chan reply, 1)
	h.calls.begin()
	go func() {
		defer h.calls.end()
		out, err := h.recovered(ctx, payload)
		replies <- reply{out, err}
	}()
	select {
	case r := <-replies:
		return r.payload, r.err
	case <-ctx.Done():
		return nil, fmt.Errorf("stopped, or timed out after %v: %w", h.Timeout, ctx.Err())
	}
}

// recovered makes a call and turns a panic into an error.
func (h inThisProcess) recovered(ctx context.Context, payload []byte) (out []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	return h.Function.Invoke(ctx, payload)
}

// SetVariable does nothing: what may change of a function in this process is a function of its Overrides.
func (inThisProcess) SetVariable(string, string) {}

// Stop does nothing: calls under way end by themselves, or with this process.
func (inThisProcess) Stop() {}
