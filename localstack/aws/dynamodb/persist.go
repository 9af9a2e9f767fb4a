package dynamodb

import (
	"errors"
	"iter"
	"net/http"
	"unsafe"

	"github.com/cashwrap/cashwrap/localstack/aws/wal"
)

// LogName is the name of an Engine's log in its folder.
const LogName = "table"

// Open makes an Engine that keeps everything in a log in the folder, and restores it. A write is answered once logged;
// a refused one changes nothing and gets InternalServerError. Streams are not kept: they begin empty, and sequence
// numbers go on. Errors: those of [wal.Open].
func Open(c Config, dir string, o wal.Options) (*Engine, error) {
	e := New(c)
	if e.indexLag != 0 {
		return nil, errors.New("dynamodb: indexes of an engine with a log can't lag: what is still under way would be lost")
	}
	e.reading = startIndexing()
	// Rows keep the bytes that were read: nothing else uses or changes them.
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

// indexing updates indexes in a goroutine. Otherwise reading a log, in the table's order, takes half as long again.
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

// end waits until everything is in its index.
func (x *indexing) end() {
	x.queue <- x.batch
	close(x.queue)
	<-x.done
}

// Close ends an engine that Open has made, and its log. A snapshot that is being written is finished first.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.snapshots.Wait()
	return e.log.Close()
}

// Refused returns why the log of an engine that Open has made refused the last write; nil when it took it.
func (e *Engine) Refused() error { return e.log.Refused() }

// persist writes a record, when there is a log. Callers hold mu.
func (e *Engine) persist(record []byte) error {
	if e.log == nil || len(record) == 0 {
		return nil
	}
	e.snapshotWhenDue() // before the record, whose change is not made yet
	if err := e.log.Append(record); err != nil {
		return refused(err)
	}
	return nil
}

// checkLog refuses a write while the log takes none, even if its condition fails: store.CheckWritable relies on it.
func (e *Engine) checkLog() error {
	if e.log == nil {
		return nil
	}
	if err := e.log.Check(); err != nil {
		return refused(err)
	}
	return nil
}

func refused(err error) error {
	return &fault{status: http.StatusInternalServerError, code: "InternalServerError",
		message: "The write cannot be kept, so it was not made: " + err.Error()}
}

// snapshotWhenDue writes the state in the background when a snapshot is due. Callers hold mu.
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

// frozen is a table at one moment. Its rows never change.
type frozen struct {
	table *table
	ttl   string
	rows  []*row
}

type state struct {
	tables []frozen
	tokens []token
}

// freeze notes which rows there are, so that they can be written without mu.
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

// recordSize is about what a record of a snapshot has, in bytes.
const recordSize = 256 << 10

// records returns the state, in order: so it is read back fastest. Each is good until the next one.
func (s state) records() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var record []byte
		more := true
		add := func(longer []byte) { // the record with more notes
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
