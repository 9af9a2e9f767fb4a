package store

import (
	"context"
	"iter"

	"github.com/guregu/dynamo/v2"
	"golang.org/x/sync/errgroup"
)

// Each query of a walk reads more than the query before. The first reads as much as most walks need. So a walk takes
// few queries even if its caller can use few of the items.
const (
	chunkGrowth = 4
	maxChunk    = 1000
)

// sharded is a walk through a merchant's shards of an index partition. All shards have one order of positions, which
// stays valid while the number of shards grows.
type sharded[T any] struct {
	query    func(shard int) *dynamo.Query // in the order of the walk
	position func(T) string
	newest   bool // the newest items come first
	shards   int
	first    int // how many items most walks need
	most     int // how many items a walk yields
}

// walk yields the items of all shards in order. It reads the shards concurrently, each for its part of the needed items
// and a quarter more, because hashes do not spread items evenly. With one shard the first query reads just the needed
// items.
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

// fill reads at most limit more items of each shard whose items have all been yielded.
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

// next returns the shard with the next item, or nil if there is none.
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

// shardRun is the state of a walk in one shard.
type shardRun[T any] struct {
	query func() *dynamo.Query
	chunk int // of the next read
	from  dynamo.PagingKey
	items []T // read but not yielded
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
