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

// Step is something that was done for a request.
type Step struct {
	At   time.Duration // since the request came
	Took time.Duration // 0: no time of its own, such as a line of the log
	To   string        // who was asked: "table", "queue", "files", "acquirer", "terminal"; or "log"
	What string        // as "PutItem CHECKOUT, PutItem CALLBACK"
	Fail string        // why it failed; ""
}

type trace struct {
	began time.Time

	mu    sync.Mutex
	steps []func() Step // made with the rest of what is recorded: a request does not wait for that
}

type traceKey struct{}

func (t *trace) in(ctx context.Context) context.Context { return context.WithValue(ctx, traceKey{}, t) }

// traceOf returns the trace of the request for which something is done; nil if it is for none.
func traceOf(ctx context.Context) *trace {
	t, _ := ctx.Value(traceKey{}).(*trace)
	return t
}

func (t *trace) add(step func() Step) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.steps = append(t.steps, step)
}

// done returns the steps in the order in which they began.
func (t *trace) done() []Step {
	t.mu.Lock()
	defer t.mu.Unlock()
	steps := make([]Step, len(t.steps))
	for i, step := range t.steps {
		steps[i] = step()
	}
	slices.SortStableFunc(steps, func(a, b Step) int { return int(a.At - b.At) })
	return steps
}

// WatchCalls returns a client that records calls to table, queues and files: operation, and the kinds it touches.
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
	t.add(func() Step { // which holds nothing of the call but its body
		if body != nil {
			step.What = calledFor(operation, body)
		}
		return step
	})
	return response, err
}

// peek reads the body of a call. What is content of a file, or larger than is kept, it leaves alone.
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

// calledFor returns what a call does to which kinds of items, each once.
func calledFor(operation string, body []byte) string {
	requests, err := iam.Requests(operation, body)
	if err != nil {
		return operation
	}
	var does []string
	for _, r := range requests {
		what := r.Permission()
		if len(requests) > 1 {
			what, _ = strings.CutPrefix(what, operation+" ") // of a batch
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

// WatchAcquirer returns an acquirer, by which calls to it are seen.
func (i *Inspector) WatchAcquirer(a acquirer.Acquirer) acquirer.Acquirer {
	return counterparty.Acquirer(seen("acquirer"), a)
}

// WatchTerminals returns card terminals, by which calls to them are seen.
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
	t.add(func() Step { return step })
	return err
}

// WatchLog is the functions' log, of which warnings and errors are kept with the request for which they were written.
func (i *Inspector) WatchLog(log *slog.Logger) *slog.Logger { return slog.New(seenLog{log.Handler()}) }

type seenLog struct{ slog.Handler }

func (s seenLog) Handle(ctx context.Context, r slog.Record) error {
	if t := traceOf(ctx); t != nil && r.Level >= slog.LevelWarn {
		at, text := time.Since(t.began), line(r)
		t.add(func() Step { return Step{At: at, To: "log", What: redact.Text(text)} })
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
