// Package object compares the objects of files at S3 with their entries in the table, and the entries with their files.
// It changes nothing and reports each break. Call Comparer.Shard until it has compared the whole shard. Each call
// compares a part of the shard.
package object

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cashwrap/cashwrap/shared/deadline"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/file"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/metric"
	"github.com/cashwrap/cashwrap/shared/store"
)

const (
	// lastStart is kept free at the end of a call. It is the time to finish the keys that are being compared.
	lastStart = 10 * time.Second
	// sendTime is kept free for sending the message that starts the next call.
	sendTime = 3 * time.Second
	// atOnce is the number of keys that are compared, and kept in memory, at a time. One batch request reads their files.
	atOnce = 100
	// readers is the number of suspected keys that are read again in parallel.
	readers = 8
	// maxReadings limits the readings of a key whose records keep changing.
	maxReadings = 4
	// maxLogged limits the breaks that a call logs. All breaks are counted.
	maxLogged = 1000
)

// errNoTime is returned when a call has no time to begin. After the error the call's message stays in the queue.
var errNoTime = errors.New("no time to compare objects")

// Comparer compares objects with their records. It is safe for concurrent use.
type Comparer struct {
	Store   *store.View
	Objects file.Objects
	Log     *slog.Logger
	Metrics metric.Log
}

// comparison compares that part of a shard for which one call has time.
type comparison struct {
	Comparer
	after   string // the last key that was compared
	keys    int
	suspect int                   // keys that were read again
	open    int                   // suspected keys that had changed at each reading
	found   map[identity.Mode]int // number of breaks
	logged  int                   // number of breaks that were logged
}

// Shard compares the objects of a shard whose ids are greater than the parameter after. If after is "", Shard begins
// with the first object. If it has not compared the whole shard, last is the id of the last compared object. Give last
// to the next call, as its parameter after. If last equals after, nothing was compared.
func (c Comparer) Shard(ctx context.Context, shard int, after string) (last string, whole bool, err error) {
	starting, cancel := deadline.Early(ctx, lastStart)
	defer cancel()
	if starting.Err() != nil {
		return after, false, errNoTime
	}
	first, end := file.ShardRange(shard)
	if after != "" {
		first = file.Prefix + after
	}
	part := comparison{Comparer: c, after: first, found: map[identity.Mode]int{}}
	reading, stop := deadline.Early(ctx, sendTime)
	defer stop()
	whole, err = part.walk(reading, starting, file.Match(c.Store.ObjectEntries(reading, shard, first),
		c.Objects.List(reading, file.Prefix, first), end))
	part.report(ctx, shard, whole)
	if part.after == first {
		return after, whole, err
	}
	return file.ObjectID(part.after), whole, err
}

// pairs walks the keys of a shard, without their files.
type pairs = iter.Seq2[file.Pair, error]

// walk compares keys until the parameter starting, a context, is done. It returns true if it has compared all keys.
func (c *comparison) walk(ctx, starting context.Context, pairs pairs) (whole bool, err error) {
	chunk := make([]file.Pair, 0, atOnce)
	for p, err := range pairs {
		if err != nil {
			return false, err
		}
		if chunk = append(chunk, p); len(chunk) < atOnce {
			continue
		}
		if err := c.check(ctx, chunk); err != nil {
			return false, err
		}
		chunk = chunk[:0]
		if starting.Err() != nil {
			return false, nil
		}
	}
	err = c.check(ctx, chunk)
	return err == nil, err
}

// check compares some keys. It reads suspected keys again, because entries and objects are listed at different times.
func (c *comparison) check(ctx context.Context, chunk []file.Pair) error {
	if len(chunk) == 0 {
		return nil
	}
	if err := c.readFiles(ctx, chunk); err != nil {
		return err
	}
	var suspects []string
	for _, p := range chunk {
		if len(p.Breaks()) > 0 {
			suspects = append(suspects, p.Key)
		}
	}
	again, err := c.readAgain(ctx, suspects)
	if err != nil {
		return err
	}
	for _, p := range again {
		c.note(ctx, p)
	}
	c.suspect += len(suspects)
	c.keys += len(chunk)
	c.after = chunk[len(chunk)-1].Key
	return nil
}

// readAgain confirms the given keys, several in parallel.
func (c *comparison) readAgain(ctx context.Context, keys []string) ([]file.Pair, error) {
	pairs := make([]file.Pair, len(keys))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(readers)
	for i, key := range keys {
		group.Go(func() (err error) {
			pairs[i], err = c.confirm(ctx, key)
			return err
		})
	}
	return pairs, group.Wait()
}

// readFiles reads the files that the pairs' entries name, and adds them to the pairs.
func (c *comparison) readFiles(ctx context.Context, chunk []file.Pair) error {
	entries := make([]file.Entry, 0, len(chunk))
	for _, p := range chunk {
		if p.Entry != nil {
			entries = append(entries, *p.Entry)
		}
	}
	files, err := c.Store.FilesOf(ctx, entries)
	for i := range chunk {
		if one, ok := files[chunk[i].Key]; ok {
			chunk[i].File = &one
		}
	}
	return err
}

// note counts and logs the breaks of a confirmed pair. The zero pair stands for a key that was not confirmed; note only
// counts it as open.
func (c *comparison) note(ctx context.Context, p file.Pair) {
	if p.Key == "" {
		c.open++
		return
	}
	mode, tenant, id := identity.Live, "", "" // without an entry the tenant is unknown, so it may be live
	if e := p.Entry; e != nil {
		mode, tenant, id = e.Tenant.Mode, e.Tenant.String(), e.File
	}
	for _, b := range p.Breaks() {
		c.found[mode]++
		if c.logged++; c.logged <= maxLogged {
			c.Log.ErrorContext(ctx, "reconciliation break", "tenant", tenant, "kind", b.Kind, "id", id, "what", b.Text,
				"object", p.Key)
		}
	}
}

// report logs the totals. It writes the metric of breaks only if there are breaks. An alarm counts the metric's values
// to see that the function reconcile still runs, and would also count a zero from here.
func (c *comparison) report(ctx context.Context, shard int, whole bool) {
	breaks := 0
	for _, mode := range identity.Modes {
		if n := c.found[mode]; n > 0 {
			breaks += n
			c.Metrics.Write(ctx, c.Store.Now(), mode.Name(), metric.ReconciliationBreaks.Of(int64(n)))
		}
	}
	level := slog.LevelInfo
	if c.keys == 0 && whole { // all shards are empty on a fresh platform
		level = slog.LevelDebug
	}
	c.Log.Log(ctx, level, "compared objects", "breaks", breaks, "shard", shard, "keys", c.keys, "read_again", c.suspect,
		"open", c.open, "whole", whole)
}

// records has the table's records of a key, by value, so that two readings can be compared.
type records struct {
	hasEntry, hasFile bool
	entry             file.Entry
	file              file.File // the file that the entry names
}

// confirm reads a key until its records are the same before and after the object is read. Then records and object are
// from the same moment. If the records differ at every reading, the file is being changed, and confirm returns the zero
// pair.
func (c Comparer) confirm(ctx context.Context, key string) (file.Pair, error) {
	before, err := c.readRecords(ctx, key)
	for range maxReadings {
		if err != nil {
			return file.Pair{}, err
		}
		p := before.pair(key)
		if err = c.addVersions(ctx, &p); err != nil {
			return file.Pair{}, err
		}
		var after records
		if after, err = c.readRecords(ctx, key); err == nil && after == before {
			return p, nil
		}
		before = after
	}
	return file.Pair{}, err
}

// readRecords reads the entry of a key and its file, consistently.
func (c Comparer) readRecords(ctx context.Context, key string) (r records, err error) {
	r.entry, err = c.Store.ObjectEntry(ctx, key)
	if failure.Is(err, failure.KindNotFound) {
		return records{}, nil
	}
	if err != nil {
		return r, err
	}
	r.hasEntry = true
	r.file, err = c.Store.File(ctx, r.entry.Tenant, r.entry.File)
	if failure.Is(err, failure.KindNotFound) {
		return records{hasEntry: true, entry: r.entry}, nil
	}
	r.hasFile = err == nil
	return r, err
}

func (r records) pair(key string) file.Pair {
	p := file.Pair{Key: key}
	if r.hasEntry {
		p.Entry = &r.entry
	}
	if r.hasFile {
		p.File = &r.file
	}
	return p
}

// addVersions adds to the pair the versions that S3 has under exactly the pair's key.
func (c Comparer) addVersions(ctx context.Context, p *file.Pair) error {
	for v, err := range c.Objects.List(ctx, p.Key, "") {
		switch {
		case err != nil:
			return err
		case v.Key != p.Key: // a longer key that begins with this key
			return nil
		}
		p.Add(v)
	}
	return nil
}
