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

// Config configures an Engine. The zero Config uses the real clock. The functions must not call the engine. The engine
// calls them one at a time.
type Config struct {
	// Now returns the current time. Nil means time.Now.
	Now func() time.Time
	// After wakes a long poll, by the same clock as Now. Nil means time.After. If you set Now and use long polls, set
	// After, too.
	After func(time.Duration) <-chan time.Time
	// Random is the source of message ids, receipt handles and request ids. It must not fail. Nil means crypto/rand.
	Random io.Reader
	// Pick returns the index of the next message to deliver. It chooses from n visible messages, the oldest first. Nil
	// takes the oldest message.
	Pick func(n int) int
	// Duplicate is called at each delivery. If it returns true, the message stays visible ("at least once"). Nil means
	// never.
	Duplicate func(messageID string) bool
	// Redeliver is called at each delete. If it returns true, the message comes again, as if a server missed the delete.
	// Nil means never.
	Redeliver func(messageID string) bool
	// Region appears in ARNs. "" means us-east-1.
	Region string
	// Notice receives errors that an operator should see, such as a failed snapshot of the log. Nil ignores them.
	Notice func(error)
}

const account = "000000000000"

// Engine holds all queues of one account and region. It is safe for concurrent use.
type Engine struct {
	config Config

	mu     sync.Mutex
	queues map[string]*queue

	log *wal.Notes[note] // nil keeps data in memory only
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

// RoundTrip answers a request in process, as described at [reply.From].
func (e *Engine) RoundTrip(r *http.Request) (*http.Response, error) { return reply.From(e, r) }

// maxRequest limits the bytes that ServeHTTP reads. A full batch is 1 MiB, which JSON may escape sixfold.
const maxRequest = 8 << 20

// ServeHTTP answers a request that came over a port.
func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			http.Error(w, "request too large", http.StatusRequestEntityTooLarge)
		}
		return // the client has gone
	}
	e.writeAnswer(w, r, body)
}

// now returns the time in UTC without Go's monotonic reading, which would not survive a restart.
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
