package store

import (
	"context"
	"iter"

	"github.com/guregu/dynamo/v2"
	"golang.org/x/sync/errgroup"
)

// Each query of a walk reads more than the one before: the first reads what most
// walks need, and a walk of which the caller can use little takes few queries.
const (
	chunkGrowth = 4
	maxChunk    = 1000
)

// sharded is a walk through a merchant's shards of a partition of an index, in the order of one position for all, which
// stays valid while the shards grow.
type sharded[T any] struct {
	query    func(shard int) *dynamo.Query // in the order of the walk
	position func(T) string
	newest   bool // first
	shards   int
	first    int // how many items most walks need
	most     int // how many a walk yields
}

// walk yields the items of all shards in order. Shards are read at the same time,
// each for its part of what is needed and a quarter more, as hashes do not spread
// items evenly; with one shard the first query reads exactly what is needed.
func (w sharded[T]) walk(ctx context.Context) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		chunk := w.first
		if w.shards > 1 {
			chunk = w.first/w.shards + w.first/w.shards/4 + 2
		}
		runs := make([]*shardRun[T], w.shards)
		for shard := range runs {
			runs[shard] = &shardRun[T]{query: func() *dynamo.Query { return w.query(shard) }, chunk: chunk}
		}
		for yielded := 0; yielded < w.most; yielded++ {
			if err := w.fill(ctx, runs, w.most-yielded); err != nil {
				yield(none, err)
				return
			}
			next := w.next(runs)
			if next == nil {
				return
			}
			item := next.items[0]
			next.items = next.items[1:]
			if !yield(item, nil) {
				return
			}
		}
	}
}

const shardReads = 16

// fill reads on where all items have been yielded, at most limit items of each shard.
func (w sharded[T]) fill(ctx context.Context, runs []*shardRun[T], limit int) error {
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(shardReads)
	for _, run := range runs {
		if len(run.items) == 0 && !run.ended {
			group.Go(func() error { return run.read(groupCtx, limit) })
		}
	}
	return group.Wait()
}

// next is the shard with the next item; nil: there is none.
func (w sharded[T]) next(runs []*shardRun[T]) *shardRun[T] {
	var next *shardRun[T]
	for _, run := range runs {
		if len(run.items) > 0 && (next == nil || w.before(run.items[0], next.items[0])) {
			next = run
		}
	}
	return next
}

func (w sharded[T]) before(a, b T) bool {
	if w.newest {
		a, b = b, a
	}
	return w.position(a) < w.position(b)
}

// shardRun is how far a walk has come in one shard.
type shardRun[T any] struct {
	query func() *dynamo.Query
	chunk int // of the next read
	from  dynamo.PagingKey
	items []T // that have been read and not yielded
	ended bool
}

func (r *shardRun[T]) read(ctx context.Context, limit int) error {
	query := r.query().SearchLimit(min(r.chunk, limit))
	if r.from != nil {
		query.StartFrom(r.from)
	}
	var err error
	r.from, err = query.AllWithLastEvaluatedKey(ctx, &r.items)
	r.chunk = max(r.chunk, min(r.chunk*chunkGrowth, maxChunk))
	r.ended = r.from == nil
	return err
}
