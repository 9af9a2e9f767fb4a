package dynamodb

import (
	"errors"
	"iter"
	"net/http"
	"unsafe"

	"github.com/cashwrap/cashwrap/localstack/aws/wal"
)

// LogName is the name of an Engine's log inside its folder.
const LogName = "table"

// Open returns an Engine that keeps its data in a log in dir. It restores the data from that log. Each write is logged
// before the Engine answers. If the log refuses a write, nothing changes and the client gets InternalServerError.
// Streams are not logged: they start empty, with higher sequence numbers than before. Open fails with the errors of
// [wal.Open].
func Open(c Config, dir string, o wal.Options) (*Engine, error) {
	e := New(c)
	if e.indexLag != 0 {
		return nil, errors.New("dynamodb: indexes of an engine with a log can't lag: what is still under way would be lost")
	}
	e.reading = startIndexing()
	// No copy is needed, because only the rows use the bytes of a record and nothing changes them.
	log, err := wal.Open(dir, LogName, o, func(record []byte) error {
		return e.readRecord(unsafe.String(&record[0], len(record)))
	})
	e.reading.end()
	e.reading = nil
	if err != nil {
		return nil, err
	}
	e.log = log
	e.tokens.forget(e.now())
	e.schedule()
	return e, nil
}

// indexing updates indexes in a goroutine while the log is read. Without this goroutine, reading a log takes 1.5 times
// as long.
type indexing struct {
	batch []indexChange
	queue chan []indexChange
	done  chan struct{}
}

const indexingBatch = 4096

func startIndexing() *indexing {
	x := &indexing{queue: make(chan []indexChange, 16), done: make(chan struct{})}
	go func() {
		defer close(x.done)
		for batch := range x.queue {
			for _, change := range batch {
				change.apply()
			}
		}
	}()
	return x
}

func (x *indexing) add(c indexChange) {
	if x.batch = append(x.batch, c); len(x.batch) == indexingBatch {
		x.queue <- x.batch
		x.batch = make([]indexChange, 0, indexingBatch)
	}
}

// end waits until all changes are in their indexes.
func (x *indexing) end() {
	x.queue <- x.batch
	close(x.queue)
	<-x.done
}

// Close closes an Engine made by Open, and its log. It waits for a snapshot in progress.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.snapshots.Wait()
	return e.log.Close()
}

// Refused returns the log's error for the last write, or nil if the log took it. The Engine must come from Open.
func (e *Engine) Refused() error { return e.log.Refused() }

// persist appends a record to the log, if there is one. Callers hold mu.
func (e *Engine) persist(record []byte) error {
	if e.log == nil || len(record) == 0 {
		return nil
	}
	e.snapshotWhenDue() // must precede Append, since the tables do not have the record's change yet
	if err := e.log.Append(record); err != nil {
		return logFault(err)
	}
	return nil
}

// checkLog returns an error while the log takes no writes. The Engine then refuses a write before it checks the write's
// condition. So store.CheckWritable, which tries a write whose condition never holds, sees the log's error.
func (e *Engine) checkLog() error {
	if e.log == nil {
		return nil
	}
	if err := e.log.Check(); err != nil {
		return logFault(err)
	}
	return nil
}

func logFault(err error) error {
	return &fault{status: http.StatusInternalServerError, code: "InternalServerError",
		message: "The write cannot be kept, so it was not made: " + err.Error()}
}

// snapshotWhenDue starts writing a snapshot in the background when one is due. Callers hold mu.
func (e *Engine) snapshotWhenDue() {
	if e.closed || e.snapshotting || !e.log.SnapshotDue() {
		return
	}
	snapshot, err := e.log.BeginSnapshot()
	if err != nil {
		e.notice(err)
		return
	}
	e.snapshotting = true
	state := e.freeze()
	e.snapshots.Go(func() {
		if err := snapshot.Write(state.records()); err != nil {
			e.notice(err)
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		e.snapshotting = false
	})
}

// frozen holds a table's rows at one moment. Rows never change.
type frozen struct {
	table *table
	ttl   string
	rows  []*row
}

type state struct {
	tables []frozen
	tokens []token
}

// freeze collects all rows and tokens, so that they can be written without holding mu.
func (e *Engine) freeze() state {
	var s state
	for _, name := range e.tokens.queue {
		s.tokens = append(s.tokens, e.tokens.known[name])
	}
	for _, t := range e.sortedTables() {
		f := frozen{t, t.ttl.attribute, make([]*row, 0, t.rows.count)}
		for _, chunk := range t.rows.chunks {
			f.rows = append(f.rows, chunk...)
		}
		s.tables = append(s.tables, f)
	}
	return s
}

// recordSize is the approximate size of a snapshot's record, in bytes.
const recordSize = 256 << 10

// records returns the state as sorted log records, which Open reads fastest. A record is valid until the next one.
func (s state) records() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var record []byte
		more := true
		add := func(longer []byte) { // longer is record with notes appended
			if record = longer; len(record) >= recordSize {
				more = more && yield(record)
				record = record[:0]
			}
		}
		for _, t := range s.tokens {
			add(t.appendNote(record))
		}
		for _, f := range s.tables {
			add(appendTTL(appendTable(record, f.table), f.table.name, f.ttl))
			for _, r := range f.rows {
				add(appendPut(record, f.table, r, r.text))
			}
		}
		if more && len(record) > 0 {
			yield(record)
		}
	}
}
