package inspector

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/cashwrap/cashwrap/localstack/aws/iam"
	"github.com/cashwrap/cashwrap/localstack/aws/sdkcall"
	"github.com/cashwrap/cashwrap/localstack/platform/counterparty"
	"github.com/cashwrap/cashwrap/localstack/platform/redact"
	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/terminal"
)

// Step is a step in answering a request, such as a call.
type Step struct {
	At   time.Duration // after the request arrived
	Took time.Duration // 0 if it takes no time, such as a log line
	To   string        // called party: "table", "queue", "files", "acquirer", "terminal"; or "log"
	What string        // such as "PutItem CHECKOUT, PutItem CALLBACK"
	Fail string        // reason of a failure, or ""
}

// trace collects the steps of one request. The request's context carries it through the functions to their clients.
type trace struct {
	began time.Time

	mu    sync.Mutex
	steps []func() Step // called when the request is digested, so that the request does not wait
}

type traceKey struct{}

func (t *trace) in(ctx context.Context) context.Context { return context.WithValue(ctx, traceKey{}, t) }

// traceOf returns the trace of the request in ctx, or nil if there is none.
func traceOf(ctx context.Context) *trace {
	t, _ := ctx.Value(traceKey{}).(*trace)
	return t
}

func (t *trace) addStep(step func() Step) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.steps = append(t.steps, step)
}

// sortedSteps returns the steps, sorted by start time.
func (t *trace) sortedSteps() []Step {
	t.mu.Lock()
	defer t.mu.Unlock()
	steps := make([]Step, len(t.steps))
	for i, step := range t.steps {
		steps[i] = step()
	}
	slices.SortStableFunc(steps, func(a, b Step) int { return int(a.At - b.At) })
	return steps
}

// WatchCalls returns a client that records calls to table, queues and files: the operation and its kinds of items.
func (i *Inspector) WatchCalls(client aws.HTTPClient) aws.HTTPClient {
	if client == nil {
		client = http.DefaultClient
	}
	return seenCalls{client}
}

type seenCalls struct{ aws.HTTPClient }

func (s seenCalls) Do(r *http.Request) (*http.Response, error) {
	t := traceOf(r.Context())
	operation := sdkcall.Operation(r)
	if t == nil || operation == "" {
		return s.HTTPClient.Do(r)
	}
	body, err := peek(r)
	if err != nil {
		return nil, err
	}
	at := time.Now()
	response, err := s.HTTPClient.Do(r)
	step := Step{At: at.Sub(t.began), Took: time.Since(at), To: calledService(r), What: operation}
	switch {
	case err != nil:
		step.Fail = err.Error()
	case response.StatusCode >= http.StatusBadRequest:
		step.Fail = response.Status
	}
	t.addStep(func() Step { // the closure holds only the call's body
		if body != nil {
			step.What = describeCall(operation, body)
		}
		return step
	})
	return response, err
}

// peek reads a call's body. It skips contents of files, and bodies that are too large to record.
func peek(r *http.Request) ([]byte, error) {
	if r.Header.Get("X-Amz-Target") == "" || r.ContentLength > maxBody {
		return nil, nil
	}
	return sdkcall.Body(r)
}

func calledService(r *http.Request) string {
	switch target := r.Header.Get("X-Amz-Target"); {
	case target == "":
		return "files"
	case strings.HasPrefix(target, "AmazonSQS."):
		return "queue"
	default:
		return "table"
	}
}

// describeCall returns a call's distinct actions and kinds of items.
func describeCall(operation string, body []byte) string {
	requests, err := iam.Requests(operation, body)
	if err != nil {
		return operation
	}
	var does []string
	for _, r := range requests {
		what := r.Permission()
		if len(requests) > 1 {
			what, _ = strings.CutPrefix(what, operation+" ") // repeated by each item of a batch
		}
		if !slices.Contains(does, what) {
			does = append(does, what)
		}
	}
	if len(requests) > 1 {
		return operation + ": " + strings.Join(does, ", ")
	}
	return strings.Join(does, ", ")
}

// WatchAcquirer returns an acquirer that records the calls to a.
func (i *Inspector) WatchAcquirer(a acquirer.Acquirer) acquirer.Acquirer {
	return counterparty.Acquirer(seen("acquirer"), a)
}

// WatchTerminals returns card terminals that record the calls to t.
func (i *Inspector) WatchTerminals(t terminal.Terminals) terminal.Terminals {
	return counterparty.Terminals(seen("terminal"), t)
}

type seen string

func (s seen) Carry(ctx context.Context, c counterparty.Call) error {
	t := traceOf(ctx)
	if t == nil {
		_, err := c.Send(ctx)
		return err
	}
	at := time.Now()
	outcome, err := c.Send(ctx)
	step := Step{At: at.Sub(t.began), Took: time.Since(at), To: string(s), What: c.Name}
	if err != nil {
		step.Fail = err.Error()
	} else {
		step.What += ": " + outcome
	}
	t.addStep(func() Step { return step })
	return err
}

// WatchLog returns a logger for functions. It also records warnings and errors as steps of their requests.
func (i *Inspector) WatchLog(log *slog.Logger) *slog.Logger { return slog.New(seenLog{log.Handler()}) }

type seenLog struct{ slog.Handler }

func (s seenLog) Handle(ctx context.Context, r slog.Record) error {
	if t := traceOf(ctx); t != nil && r.Level >= slog.LevelWarn {
		at, text := time.Since(t.began), line(r)
		t.addStep(func() Step { return Step{At: at, To: "log", What: redact.Text(text)} })
	}
	return s.Handler.Handle(ctx, r)
}

func line(r slog.Record) string {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool {
		text += " " + a.String()
		return true
	})
	return text
}

func (s seenLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return seenLog{s.Handler.WithAttrs(attrs)}
}

func (s seenLog) WithGroup(name string) slog.Handler { return seenLog{s.Handler.WithGroup(name)} }
