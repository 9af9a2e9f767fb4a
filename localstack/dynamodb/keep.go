package dynamodb

import (
	"errors"
	"fmt"
	"iter"
	"net/http"
	"unsafe"

	"github.com/cashwrap/cashwrap/localstack/wal"
)

// LogName is the name of an Engine's log in its folder.
const LogName = "table"

// Open makes an Engine that keeps everything in a log in the folder, and
// brings back what the log holds. A write is answered when the log has it; one
// that the log refuses changes nothing and is answered with
// InternalServerError. Records of streams are not kept: a stream is empty
// after Open, and its sequence numbers go on. Errors: those of [wal.Open].
func Open(c Config, dir string, o wal.Options) (*Engine, error) {
	e := New(c)
	if e.indexLag != 0 {
		return nil, errors.New("dynamodb: indexes of an engine with a log can't lag: what is still under way would be lost")
	}
	e.reading = startIndexing()
	// Rows keep the bytes that were read: nobody else has or changes them.
	log, err := wal.Open(dir, LogName, o, func(record []byte) error { return e.readRecord(unsafe.String(&record[0], len(record))) })
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

// indexing brings indexes up to date beside the reading of a log, which else
// would take half as long again: entries come in the order of the table, so
// each has to find its place.
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

// Close ends the engine and its log. What is under way ends first.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.compacting.Wait()
	return e.log.Close()
}

// Refused is why the log refused the last write; nil when it took it.
func (e *Engine) Refused() error { return e.log.Refused() }

// keep writes a record, when there is a log. Callers hold mu.
func (e *Engine) keep(record []byte) error {
	if e.log == nil || len(record) == 0 {
		return nil
	}
	e.compactWhenDue() // before the record, whose change is not made yet
	if err := e.log.Append(record); err != nil {
		return refused(err)
	}
	return nil
}

// checkLog refuses a write while the log takes none, also one that would then
// fail on its condition: so that whoever asks whether writes work gets to know.
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
	return &fault{status: http.StatusInternalServerError, code: "InternalServerError", message: "The write cannot be kept, so it was not made: " + err.Error()}
}

// leastJournal is how many bytes the journals of a log have before it is
// compacted. They also have a quarter of its base then: so each byte written
// costs at most four more, and reading a log back takes hardly longer than
// reading a base.
const leastJournal = 64 << 20

// recordSize is about what a record of a base has.
const recordSize = 256 << 10

func (e *Engine) compactWhenDue() {
	base, since := e.log.Grown()
	if e.closed || e.busy || since < e.compactAt || since < e.leastJournal || since < base/4 {
		return
	}
	rotated, err := e.log.Rotate()
	if err != nil {
		e.postpone(since, err)
		return
	}
	e.busy = true
	state := e.freeze()
	e.compacting.Go(func() {
		err := writeBase(rotated, state)
		e.mu.Lock()
		defer e.mu.Unlock()
		e.busy = false
		e.compactAt = 0
		if err != nil {
			_, since := e.log.Grown()
			e.postpone(since, err)
		}
	})
}

// postpone waits until the log has grown by as much again.
func (e *Engine) postpone(since int64, err error) {
	e.compactAt = since + e.leastJournal
	e.notice(fmt.Errorf("the log of the table was not compacted, so it goes on growing: %w", err))
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

// writeBase writes the state down, in order: so it is read back fastest.
func writeBase(base *wal.Base, s state) error {
	for record := range s.records() {
		if err := base.Append(record); err != nil {
			return errors.Join(err, base.Discard())
		}
	}
	return base.Commit()
}

// records are the state, in parts that are good until the next one.
func (s state) records() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var record []byte
		for notes := range s.notes() {
			if record = notes(record); len(record) >= recordSize {
				if !yield(record) {
					return
				}
				record = record[:0]
			}
		}
		if len(record) > 0 {
			yield(record)
		}
	}
}

// notes are what appends the notes of the state, one or two at a time.
func (s state) notes() iter.Seq[func(dst []byte) []byte] {
	return func(yield func(func([]byte) []byte) bool) {
		for _, t := range s.tokens {
			if !yield(t.appendNote) {
				return
			}
		}
		for _, f := range s.tables {
			head := func(dst []byte) []byte { return appendTTL(appendTable(dst, f.table), f.table.name, f.ttl) }
			if !yield(head) {
				return
			}
			for _, r := range f.rows {
				if !yield(func(dst []byte) []byte { return appendPut(dst, f.table, r, r.text) }) {
					return
				}
			}
		}
	}
}
