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

// OpeningDay is the day of the closing in JournalBook that has all entries from before the first night of a tenant.
const OpeningDay = "0000-00-00"

// Book is a series of closings.
type Book string

// The books.
const (
	// JournalBook has the days of the journal. An entry or a line of a statement counts on its day in the merchant's time
	// zone. The entries of a subject that has a break are not in the closing until the break is mended. A line that breaks
	// a rule of its port holds back no entry.
	JournalBook Book = ""
	// AcquirerBook has what the acquirer is to settle, by UTC dates. A line of its statement counts on its AvailableOn,
	// whether or not its subject has a break: the acquirer settles the movement all the same.
	AcquirerBook Book = "ACQUIRER"
)

// Series identifies the closings of a tenant's book in one currency.
type Series struct {
	Tenant   identity.Tenant `dynamo:"tenant"`
	Currency money.Currency  `dynamo:"currency"`
	Book     Book            `dynamo:"book,omitempty"`
}

// AcquirerSeries returns the series of AcquirerBook for a tenant's money in a currency.
func AcquirerSeries(t identity.Tenant, c money.Currency) Series { return Series{t, c, AcquirerBook} }

func (s Series) key(day string) key {
	prefix := dayPrefix
	if s.Book != JournalBook {
		prefix = string(s.Book) + "#"
	}
	return key{KindClosing.of(s.Tenant, string(s.Currency)), prefix + day}
}

// Closing is a tenant's day in one currency, as the nights of reconcile have proven it. All amounts are in minor units.
type Closing struct {
	Series
	Day      string           `dynamo:"day"`                // YYYY-MM-DD, or OpeningDay
	Sums     map[string]int64 `dynamo:"sums"`               // by account: what the day adds; debit positive
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

const dayPrefix = "DAY#"

func closingKey(c Closing) key { return c.key(c.Day) }

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

// Neg returns the closing with the opposite sums and tallies.
func (c Closing) Neg() Closing {
	negative := Closing{Series: c.Series, Day: c.Day, Sums: map[string]int64{}, Tallies: map[string]Tally{}}
	for name, minor := range c.Sums {
		negative.Sums[name] = -minor
	}
	for name, tally := range c.Tallies {
		negative.Tallies[name] = Tally{-tally.Count, -tally.Amount}
	}
	return negative
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

// Closings walks closings from a day on (YYYY-MM-DD, or OpeningDay for all), in order.
func (s *View) Closings(ctx context.Context, of Series, from string) iter.Seq2[Closing, error] {
	return each[Closing](ctx, s.closingsBetween(of, from, afterAll).Iter())
}

// firstBefore and mostBefore are the numbers of closings that the first and the largest query of ClosingsBefore read.
const (
	firstBefore = 2
	mostBefore  = 256
)

// ClosingsBefore walks the closings of the days before a day, the latest first. Most callers need few of them, so that
// the first queries are small.
func (s *View) ClosingsBefore(ctx context.Context, of Series, day string) iter.Seq2[Closing, error] {
	return func(yield func(Closing, error) bool) {
		for limit := firstBefore; ; limit = min(2*limit, mostBefore) {
			page, err := readFirst[Closing](ctx,
				s.closingsBetween(of, "", day).Order(dynamo.Descending).SearchLimit(limit), limit)
			if err != nil {
				yield(Closing{}, err)
				return
			}
			for _, c := range page {
				if c.Day != day && !yield(c, nil) {
					return
				}
			}
			if len(page) < limit {
				return
			}
			day = page[limit-1].Day
		}
	}
}

func (s *View) closingsBetween(of Series, from, to string) *dynamo.Query {
	first, last := of.key(from), of.key(to)
	return s.table.get(partitionKey, first.PK).Range(sortKey, dynamo.Between, first.SK, last.SK).Consistent(true)
}

// Balance carries the balances of closings forward, from a day on. Repeating it changes nothing. Error: ErrStale when
// another process writes the same closings.
func (s *Store) Balance(ctx context.Context, of Series, from string) error {
	var balances map[string]int64
	for before, err := range s.ClosingsBefore(ctx, of, from) {
		if err != nil {
			return err
		}
		balances = before.Balances
		break
	}
	for closing, err := range s.Closings(ctx, of, from) {
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
