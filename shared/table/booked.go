package table

import (
	"context"
	"errors"
	"hash/fnv"
	"iter"
	"strconv"
	"time"

	"github.com/guregu/dynamo/v2"
)

// listIndex is the table's index of lists (shared/store, keys.go). It holds only keys.
const listIndex = "list"

// Booked is the place of a statement's line in the table's index of lists. A counterparty finds lines of some days
// there, without a scan. Lines that were stored before this place existed have none.
type Booked struct {
	Partition string `dynamo:"list_pk,omitempty"`
	Sort      string `dynamo:"list_sk,omitempty"`
}

// sortedTime is a format of fixed width, so that times sort as text.
const sortedTime = "2006-01-02T15:04:05.000000Z"

// bookedShards is the number of partitions of the index for each day of a list, so that no partition limits the writes
// of a counterparty.
const bookedShards = 4

// NewBooked returns the place of a line among the lines of a list, such as "SANDBOX#LINES". The id of the line is
// random, or at least differs from the ids of other lines.
func NewBooked(list string, at time.Time, id string) Booked {
	hash := fnv.New32a()
	hash.Write([]byte(id))
	return Booked{Partition: bookedPartition(list, at.UTC(), int(hash.Sum32()%bookedShards)),
		Sort: bookedSort(at) + "#" + id}
}

func bookedPartition(list string, day time.Time, shard int) string {
	return list + "#" + day.Format(time.DateOnly) + "#" + strconv.Itoa(shard)
}

func bookedSort(at time.Time) string { return at.UTC().Format(sortedTime) }

// atOnce is the number of items in one batch (AWS: BatchGetItem).
const atOnce = 100

// WalkBooked reads the items of a list that were booked at the time since or later, like Walk. The index lags behind
// writes by moments, so the newest lines may be missing.
func WalkBooked[I, T any](ctx context.Context, c Client, list string, since time.Time,
	line func(I) T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var keys []dynamo.Keyed
		flush := func() bool {
			items, err := readKeys[I](ctx, c, keys)
			keys = keys[:0]
			for _, item := range items {
				if !yield(line(item), nil) {
					return false
				}
			}
			if err != nil {
				var none T
				yield(none, err)
			}
			return err == nil
		}
		for k, err := range bookedKeys(ctx, c, list, since.UTC()) {
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			if keys = append(keys, dynamo.Keys{k.PK, k.SK}); len(keys) == atOnce && !flush() {
				return
			}
		}
		flush()
	}
}

// bookedKeys walks the keys of a list's items, day by day.
func bookedKeys(ctx context.Context, c Client, list string, since time.Time) iter.Seq2[Key, error] {
	return func(yield func(Key, error) bool) {
		for day := since.Truncate(24 * time.Hour); !day.After(c.Time()); day = day.AddDate(0, 0, 1) {
			for shard := range bookedShards {
				query := c.Table.Get("list_pk", bookedPartition(list, day, shard)).Index(listIndex).
					Range("list_sk", dynamo.GreaterOrEqual, bookedSort(since))
				for k, err := range Walk(ctx, query, func(k Key) Key { return k }) {
					if !yield(k, err) || err != nil {
						return
					}
				}
			}
		}
	}
}

// readKeys reads items by their keys, consistently. Items that do not exist are left out.
func readKeys[I any](ctx context.Context, c Client, keys []dynamo.Keyed) ([]I, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	var items []I
	err := c.Table.Batch("pk", "sk").Get(keys...).Consistent(true).All(ctx, &items)
	if errors.Is(err, dynamo.ErrNotFound) {
		err = nil
	}
	return items, err
}
