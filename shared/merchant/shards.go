package merchant

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"time"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// MaxShards limits a merchant's shards, because a reader queries each shard. A shard takes 1,000 write units a second.
// That is 500 payments, or 42 payments of twelve instalments. If one merchant has more than 1,000 payments a second,
// reads of the merchant's item become the limit (infra/README.md, "Limits, and growth to ten thousand payments a
// second").
const MaxShards = 32

// ShardCount returns the number of shards over which a merchant's payments of both modes are spread. It is a power of
// two, and 1 at first. The number never falls, so readers find all older checkouts.
func (m Merchant) ShardCount() int { return max(m.Shards, 1) }

// ShardOf returns the shard of a new checkout. All records about the checkout are in the same shard.
func (m Merchant) ShardOf(checkoutID string) int {
	sum := sha256.Sum256([]byte(checkoutID))
	return int(binary.BigEndian.Uint16(sum[:])) % m.ShardCount()
}

// growthPause is the least time between two growths. Checkouts from before a growth are still being paid in their old
// shards during that time.
const growthPause = time.Minute

// Grow doubles the shards, because one shard was throttled at the given time. It returns false if the number of shards
// is at its maximum, or if the number grew after that time or within growthPause before it.
func (m Merchant) Grow(throttled, now time.Time) (Merchant, bool) {
	if m.ShardCount() >= MaxShards || throttled.Before(m.GrownAt.Add(growthPause)) {
		return m, false
	}
	m.Shards, m.GrownAt = 2*m.ShardCount(), now
	return m, true
}

// withShards returns the merchant with the number of shards that is set before a launch. 0 and 1 mean that the merchant
// has not grown.
func (m Merchant) withShards(n int) (Merchant, error) {
	if n < m.ShardCount() || n > MaxShards || bits.OnesCount(uint(n)) != 1 {
		return m, failure.Invalid("shards", fmt.Sprintf("must be a power of two, from %d as it is now to %d",
			m.ShardCount(), MaxShards))
	}
	if n > 1 {
		m.Shards = n
	}
	return m, nil
}
