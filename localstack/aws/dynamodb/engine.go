package dynamodb

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/wal"
)

// Config configures an Engine. The zero Config is usable.
type Config struct {
	// Now returns the current time. Nil means time.Now.
	Now func() time.Time
	// IndexLag is the delay from a change of the table to the same change in its global secondary indexes.
	IndexLag time.Duration
	// TTLLag delays the deletion of expired items, which can be read until then.
	TTLLag time.Duration
	// Conflict, if set, is called before every write and transactional read. If Conflict returns true, the request
	// conflicts with another request on the first of keys ("table/partition key/sort key", N and B as text). Conflict must
	// not call the Engine.
	Conflict func(op string, keys []string) bool
	// OneReader drops stream records as soon as the only reader asks for later ones, instead of after a day.
	OneReader bool
	// Notice receives errors that an operator should see, such as a failed snapshot of the log. Nil ignores them.
	Notice func(error)
}

// Engine is an in-memory DynamoDB. It is an http.Handler and an http.RoundTripper, and safe for concurrent use.
type Engine struct {
	now       func() time.Time
	conflict  func(op string, keys []string) bool
	oneReader bool
	notice    func(error)

	// wake is the time of the next expiry or replication, in Unix nanoseconds.
	wake     atomic.Int64
	requests atomic.Uint64 // answered so far

	// mu guards all fields below. A reader holds mu only while it collects immutable rows. It decodes and encodes without
	// holding mu.
	mu       sync.RWMutex
	indexLag time.Duration
	ttlLag   time.Duration
	tables   map[string]*table
	streams  []*stream // of existing and deleted tables, oldest first
	tokens   tokens

	log          *wal.Log       // nil keeps data in memory only
	reading      *indexing      // set while Open reads the log
	snapshots    sync.WaitGroup // at most one runs at a time
	snapshotting bool
	closed       bool
}

const never = int64(^uint64(0) >> 1)

// New returns an empty Engine without a log.
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

// SetIndexLag changes the lag of indexes for later writes.
func (e *Engine) SetIndexLag(lag time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.indexLag = lag
}

// Consumed returns the capacity units charged since the start, failed conditions included. An unknown table has zero.
func (e *Engine) Consumed(name string) (read, written float64) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	t := e.tables[name]
	if t == nil {
		return 0, 0
	}
	return t.read, t.written
}

// settle deletes the expired items and makes the index changes that are due.
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

// schedule sets wake to the time when settle next has work.
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

// wakeAt sets wake to t if wake is later than t. Callers hold mu.
func (e *Engine) wakeAt(t time.Time) {
	at := t.UnixNano()
	if t.Year() > 2200 {
		at = never // UnixNano overflows for later years
	}
	e.wake.Store(min(at, e.wake.Load()))
}

func (e *Engine) sortedTables() []*table {
	return slices.SortedFunc(maps.Values(e.tables), compareNames)
}

// table looks up a table for a data operation.
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
