package merchant_test

import (
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/merchant"
)

func TestGrow(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	m := merchant.Merchant{}
	for _, c := range []struct {
		throttled, now time.Duration
		want           int
	}{
		{0, time.Minute, 2},
		{0, time.Minute, 2},                     // the same throttling reported again
		{90 * time.Second, 2 * time.Minute, 2},  // checkouts created before the growth are still being paid
		{2*time.Minute - 1, 3 * time.Minute, 2}, // within a minute of the growth
		{2 * time.Minute, 3 * time.Minute, 4},   // a minute after the growth
		{5 * time.Minute, 5 * time.Minute, 8},   //
		{7 * time.Minute, 7 * time.Minute, 16},  //
		{9 * time.Minute, 9 * time.Minute, 32},  //
		{time.Hour, time.Hour, 32},              // at the maximum
	} {
		before := m.ShardCount()
		var grown bool
		if m, grown = m.Grow(at.Add(c.throttled), at.Add(c.now)); m.ShardCount() != c.want || grown != (before != c.want) {
			t.Errorf("throttled after %s: got %d shards, grown %t, want %d", c.throttled, m.ShardCount(), grown, c.want)
		}
	}
}

// TestShardOf checks that checkouts are spread over all shards, and that each checkout stays in its shard.
func TestShardOf(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{0, 1, 2, 32} {
		m, found := merchant.Merchant{Shards: shards}, map[int]int{}
		for i := range 3200 {
			id := time.Duration(i).String()
			shard := m.ShardOf(id)
			if again := m.ShardOf(id); again != shard {
				t.Fatalf("%s: got shard %d, then %d, want one", id, shard, again)
			}
			found[shard]++
		}
		for shard := range m.ShardCount() {
			if n := found[shard]; n < 3200/m.ShardCount()/2 || len(found) != m.ShardCount() {
				t.Errorf("%d shards: got %d of 3200 in shard %d, %d in use, want an equal part of each", shards, n, shard,
					len(found))
			}
		}
	}
}
