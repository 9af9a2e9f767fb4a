package dynamodb

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/wal"
)

// Config sets up an Engine. The zero Config is a usable one.
type Config struct {
	// Now is the clock; nil for time.Now.
	Now func() time.Time
	// IndexLag is how long global secondary indexes trail the table.
	IndexLag time.Duration
	// TTLLag is how long an expired item can still be read.
	TTLLag time.Duration
	// Conflict, when set, is called before every write and transactional read: true makes it conflict with a transaction
	// on the first of keys ("table/partition key/sort key", N and B as text). It must not call the Engine.
	Conflict func(op string, keys []string) bool
	// OneReader drops a stream's records when its only reader asks for more, not after a day.
	OneReader bool
	// Notice is given what an operator should know, such as that no snapshot can be written of a log; nil drops it.
	Notice func(error)
}

// Engine is a DynamoDB in memory. It is an http.Handler and an http.RoundTripper, and safe for concurrent use.
type Engine struct {
	now       func() time.Time
	conflict  func(op string, keys []string) bool
	oneReader bool
	notice    func(error)

	// wake is the Unix nanosecond at which expiry or replication is due next.
	wake     atomic.Int64
	requests atomic.Uint64 // answered so far

	// mu guards everything below. Reads only collect immutable rows under it; decoding and encoding happen outside.
	mu       sync.RWMutex
	indexLag time.Duration
	ttlLag   time.Duration
	tables   map[string]*table
	streams  []*stream // of tables that exist or existed, oldest first
	tokens   tokens

	log          *wal.Log       // nil: everything is lost with the process
	reading      *indexing      // while a log is read
	snapshots    sync.WaitGroup // being written: one at most
	snapshotting bool
	closed       bool
}

const never = int64(^uint64(0) >> 1)

// New makes an empty Engine.
func New(c Config) *Engine {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Notice == nil {
		c.Notice = func(error) {}
	}
	e := &Engine{now: c.Now, conflict: c.Conflict, oneReader: c.OneReader, notice: c.Notice,
		indexLag: c.IndexLag, ttlLag: c.TTLLag, tables: map[string]*table{}}
	e.tokens.known = map[string]token{}
	e.wake.Store(never)
	return e
}

// SetIndexLag changes how long indexes trail from now on.
func (e *Engine) SetIndexLag(lag time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.indexLag = lag
}

// Consumed returns the capacity units charged since the start, failed conditions included; zero for unknown tables.
func (e *Engine) Consumed(name string) (read, written float64) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	t := e.tables[name]
	if t == nil {
		return 0, 0
	}
	return t.read, t.written
}

// settle does the work that time has made due: expiry and replication.
func (e *Engine) settle() {
	now := e.now()
	if now.UnixNano() < e.wake.Load() {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, t := range e.sortedTables() {
		e.expire(t, now)
		t.replicate(now)
	}
	e.schedule()
}

// schedule works out the next time settle has something to do.
func (e *Engine) schedule() {
	e.wake.Store(never)
	for _, t := range e.tables {
		if len(t.pending) > 0 {
			e.wakeAt(t.pending[0].due)
		}
		if len(t.ttl.deadlines) > 0 {
			e.wakeAt(e.deletionTime(t.ttl.deadlines[0].at))
		}
	}
}

// wakeAt makes settle work at t, if it would not before. Callers hold mu.
func (e *Engine) wakeAt(t time.Time) {
	at := t.UnixNano()
	if t.Year() > 2200 {
		at = never // beyond what nanoseconds can count
	}
	e.wake.Store(min(at, e.wake.Load()))
}

func (e *Engine) sortedTables() []*table {
	return slices.SortedFunc(maps.Values(e.tables), compareNames)
}

// table finds a table for a data operation.
func (e *Engine) table(name string) (*table, error) {
	if err := checkTableName(name); err != nil {
		return nil, err
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	if t := e.tables[name]; t != nil {
		return t, nil
	}
	return nil, errNoTable
}

var errNoTable = &fault{code: "ResourceNotFoundException", message: "Requested resource not found"}
