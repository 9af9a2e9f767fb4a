package sqs

import (
	"cmp"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/cashwrap/cashwrap/localstack/aws/reply"
	"github.com/cashwrap/cashwrap/localstack/aws/wal"
)

// Config of an Engine; zero is the real clock. Functions are called one at a time, and must not call the engine.
type Config struct {
	// Now is the clock; nil is the real one.
	Now func() time.Time
	// After wakes a long poll, by Now's clock; nil is time.After. Code that sets Now and polls long must set it.
	After func(time.Duration) <-chan time.Time
	// Random is where message ids, receipt handles and request ids come from; nil is crypto/rand. It must not fail.
	Random io.Reader
	// Pick chooses which of n visible messages, oldest first, is delivered next; nil takes the oldest.
	Pick func(n int) int
	// Duplicate is asked at each delivery. True leaves the message visible ("at least once"). nil never does.
	Duplicate func(messageID string) bool
	// Redeliver is asked at each delete. True delivers once more, as when an AWS server missed it. nil never does.
	Redeliver func(messageID string) bool
	// Region appears in ARNs; "" is us-east-1.
	Region string
	// Notice is given what an operator should know, such as that no snapshot can be written of a log; nil drops it.
	Notice func(error)
}

const account = "000000000000"

// Engine holds all queues of one account and region. It is safe for concurrent use.
type Engine struct {
	config Config

	mu     sync.Mutex
	queues map[string]*queue

	log *wal.Notes[note] // nil: everything is lost with the process
}

// New returns an Engine without queues.
func New(c Config) *Engine {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.After == nil {
		c.After = time.After
	}
	if c.Pick == nil {
		c.Pick = func(int) int { return 0 }
	}
	never := func(string) bool { return false }
	if c.Duplicate == nil {
		c.Duplicate = never
	}
	if c.Redeliver == nil {
		c.Redeliver = never
	}
	c.Random = cmp.Or(c.Random, rand.Reader)
	c.Region = cmp.Or(c.Region, "us-east-1")
	return &Engine{config: c, queues: map[string]*queue{}}
}

// RoundTrip answers one SDK request in process, as [reply.From] does.
func (e *Engine) RoundTrip(r *http.Request) (*http.Response, error) { return reply.From(e, r) }

// maxRequest bounds what ServeHTTP reads: a full batch is 1 MiB, which JSON may escape sixfold.
const maxRequest = 8 << 20

// ServeHTTP answers over a port.
func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			http.Error(w, "request too large", http.StatusRequestEntityTooLarge)
		}
		return // the client is gone
	}
	e.answer(w, r, body)
}

// now returns the clock in UTC, without Go's monotonic reading: it would not survive a restart.
func (e *Engine) now() time.Time { return e.config.Now().UTC().Round(0) }

func (e *Engine) newID() uuid.UUID {
	id, err := uuid.NewRandomFromReader(e.config.Random)
	if err != nil {
		panic("sqs: Config.Random failed: " + err.Error())
	}
	return id
}

func (e *Engine) arn(name string) string {
	return "arn:aws:sqs:" + e.config.Region + ":" + account + ":" + name
}
