package store

import (
	"context"
	"iter"
	"maps"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
)

// OpeningDay is the day of the closing that has all entries from before the first night of a tenant.
const OpeningDay = "0000-00-00"

// Closing is a tenant's day in one currency, as the nights of reconcile have proven it. All amounts are in minor units.
// An entry or a line of a statement counts on its day in the merchant's time zone. The entries of a transaction or
// payout that has a break are not in the closing until the break is mended.
type Closing struct {
	Tenant   identity.Tenant  `dynamo:"tenant"`
	Currency money.Currency   `dynamo:"currency"`
	Day      string           `dynamo:"day"`                // YYYY-MM-DD, or OpeningDay
	Sums     map[string]int64 `dynamo:"sums"`               // by account: what the day's entries add; debit positive
	Balances map[string]int64 `dynamo:"balances"`           // by account, at the end of the day
	Tallies  map[string]Tally `dynamo:"tallies"`            // by names that reconcile chooses, such as "card SUCCESSFUL"
	ProvenAt time.Time        `dynamo:"proven_at"`          // the Until of the latest night that added something
	Reopened int              `dynamo:"reopened,omitempty"` // number of steps of later nights that added something
	Version  int              `dynamo:"version"`
}

// Tally counts events of one kind, and sums their amounts.
type Tally struct {
	Count  int64 `dynamo:"count"`
	Amount int64 `dynamo:"amount"`
}

func closingPartition(t identity.Tenant, c money.Currency) string {
	return KindClosing.of(t, string(c))
}

const dayPrefix = "DAY#"

func closingKey(c Closing) key { return key{closingPartition(c.Tenant, c.Currency), dayPrefix + c.Day} }

// Compare orders closings by their keys.
func (c Closing) Compare(other Closing) int { return closingKey(c).compare(closingKey(other)) }

// Add adds the sums and tallies of another closing of the same day. It changes no map that the closing shared before.
func (c Closing) Add(more Closing) Closing {
	c.Sums = addSums(c.Sums, more.Sums)
	c.Tallies = maps.Clone(c.Tallies)
	if c.Tallies == nil {
		c.Tallies = map[string]Tally{}
	}
	for name, tally := range more.Tallies {
		before := c.Tallies[name]
		c.Tallies[name] = Tally{before.Count + tally.Count, before.Amount + tally.Amount}
	}
	return c
}

// addSums returns the sums of two maps.
func addSums(a, b map[string]int64) map[string]int64 {
	sums := maps.Clone(a)
	if sums == nil {
		sums = map[string]int64{}
	}
	for name, minor := range b {
		sums[name] += minor
	}
	return sums
}

// Closings walks the closings of a tenant in a currency from a day on (YYYY-MM-DD, or OpeningDay for all), in order.
func (s *View) Closings(ctx context.Context, t identity.Tenant, c money.Currency,
	from string) iter.Seq2[Closing, error] {
	return each[Closing](ctx, s.table.get(partitionKey, closingPartition(t, c)).
		Range(sortKey, dynamo.GreaterOrEqual, dayPrefix+from).Consistent(true).Iter())
}

// Balance carries the balances of a tenant's closings in a currency forward, from a day on. Repeating it changes
// nothing. Error: ErrStale when another process writes the same closings.
func (s *Store) Balance(ctx context.Context, t identity.Tenant, c money.Currency, from string) error {
	before, err := readFirst[Closing](ctx, s.View.table.get(partitionKey, closingPartition(t, c)).
		Range(sortKey, dynamo.Less, dayPrefix+from).Order(dynamo.Descending).Consistent(true).SearchLimit(1), 1)
	if err != nil {
		return err
	}
	var balances map[string]int64
	if len(before) > 0 {
		balances = before[0].Balances
	}
	for closing, err := range s.Closings(ctx, t, c, from) {
		if err != nil {
			return err
		}
		balances = addSums(balances, closing.Sums)
		if maps.Equal(balances, closing.Balances) {
			continue
		}
		closing.Balances = balances
		closing.Version++
		if err := s.save(ctx, newItem(closingKey(closing), closing, closing.Version)); err != nil {
			return err
		}
	}
	return nil
}
