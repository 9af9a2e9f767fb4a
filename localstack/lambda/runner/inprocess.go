package runner

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/cashwrap/cashwrap/localstack/lambda/inprocess"
)

// inThisProcess is a function in this process. It starts with its first call, as in Lambda, unless it was started
// before.
type inThisProcess struct {
	start func() (*inprocess.Function, error) // once
	calls *calls
}

// inThisProcessFrom returns a function that open makes. A panic of open is its error.
func inThisProcessFrom(open func() (*inprocess.Function, error), c *calls) inThisProcess {
	return inThisProcess{calls: c, start: sync.OnceValues(func() (f *inprocess.Function, err error) {
		defer recovered(&err)
		return open()
	})}
}

// Invoke makes one call. A handler that runs out of time is abandoned.
func (h inThisProcess) Invoke(ctx context.Context, id string, payload []byte) ([]byte, error) {
	f, err := h.start()
	if err != nil {
		return nil, err
	}
	ctx, cancel := f.Context(ctx, id)
	defer cancel()

	type reply struct {
		payload []byte
		err     error
	}
	replies := make(chan reply, 1)
	h.calls.begin()
	go func() {
		defer h.calls.end()
		var r reply
		defer func() { replies <- r }()
		defer recovered(&r.err)
		r.payload, r.err = f.Invoke(ctx, payload)
	}()
	select {
	case r := <-replies:
		return r.payload, r.err
	case <-ctx.Done():
		return nil, fmt.Errorf("stopped, or timed out after %v: %w", f.Timeout, ctx.Err())
	}
}

// recovered turns a panic into an error.
func recovered(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
	}
}

// SetVariable does nothing: what may change of a function in this process is a function of its Overrides.
func (inThisProcess) SetVariable(string, string) {}

// Stop does nothing: calls under way end by themselves, or with this process.
func (inThisProcess) Stop() {}
