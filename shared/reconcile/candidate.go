package reconcile

import (
	"context"
	"iter"
	"time"

	"github.com/cashwrap/cashwrap/shared/payout"
	"github.com/cashwrap/cashwrap/shared/store"
)

// candidate is a transaction or payout that a night proves.
type candidate struct {
	id       string        // "" of a refund or chargeback, whose transaction is read first, and without a key of nothing
	key      store.ItemKey // of the refund or chargeback, or of the transaction of a partOfPayout
	position string        // of the stage
	kind     candidateKind
	memory   store.ProvenSubject
	record   *payout.Record // of a partOfPayout
}

// candidateKind tells how a night has found a candidate, and so which of its entries the closings have already.
type candidateKind int

const (
	// openBefore: an earlier night left it open, or an import reopened it.
	openBefore candidateKind = iota
	// createdSince: a transaction that was created since the last night. No closing has any of its entries.
	createdSince
	// changedSince: a transaction that changed, or has a new refund or chargeback. The closings have the entries of an
	// older one from before this night. A new one also has a candidate of its creation.
	changedSince
	// openedPayout: a payout of the last days.
	openedPayout
	// partOfPayout: a payout has changed the transaction. That adds no entry to it.
	partOfPayout
)

type candidates = iter.Seq2[candidate, error]

// open finds the subjects that earlier nights left open, or that have new lines.
func (n *night) open(ctx context.Context) candidates {
	return func(yield func(candidate, error) bool) {
		for p, err := range n.Store.OpenSubjects(ctx, n.tenant, n.progress.Night.Position) {
			if !yield(candidate{id: p.ID, position: p.ID, kind: openBefore, memory: p}, err) {
				return
			}
		}
	}
}

// created finds the transactions, and the transactions of refunds and chargebacks, that were created in the time of the
// night.
func (n *night) created(ctx context.Context) candidates {
	return n.entries(n.Store.CreatedBetween(ctx, n.tenant, n.shards, n.since, n.proof.Until, n.progress.Night.Position),
		createdSince)
}

// changed finds the older transactions that changed since the last night, other than by a payout.
func (n *night) changed(ctx context.Context) candidates {
	return n.entries(n.Store.ChangedSince(ctx, n.tenant, n.shards, n.since, n.progress.Night.Position), changedSince)
}

// entries converts entries of an index. It leaves out changes of what was created since the last night, which created
// has found.
func (n *night) entries(all iter.Seq2[store.NightEntry, error], kind candidateKind) candidates {
	return func(yield func(candidate, error) bool) {
		for e, err := range all {
			c := candidate{id: e.Transaction, position: e.Position, kind: kind}
			switch {
			case kind == changedSince && !e.CreatedAt.Before(n.since):
				c.id = "" // but the walk goes on from its position
			case c.id == "":
				c.key, c.kind = e.Key, changedSince
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// payoutsBefore is the time by which the day of a payout may precede its creation: a payout is opened within days of
// its cut-off.
const payoutsBefore = 3 * 24 * time.Hour

// payouts finds the payouts that were opened in the last days, and those that have changed payments since the last
// night.
func (n *night) payouts(ctx context.Context) candidates {
	return func(yield func(candidate, error) bool) {
		all, err := n.nightPayouts(ctx)
		if err != nil {
			yield(candidate{}, err)
			return
		}
		for _, p := range all {
			if p.Records > n.progress.Night.Position &&
				!yield(candidate{id: p.ID, position: p.Records, kind: openedPayout}, nil) {
				return
			}
		}
	}
}

func (n *night) nightPayouts(ctx context.Context) ([]store.NightPayout, error) {
	day := n.since.Add(-payoutsBefore).Format(time.DateOnly)
	return n.Store.NightPayouts(ctx, n.tenant, day, n.since)
}

// parts finds the older transactions whose payouts have paid or returned them since the last night.
func (n *night) parts(ctx context.Context) candidates {
	return func(yield func(candidate, error) bool) {
		all, err := n.nightPayouts(ctx)
		if err != nil {
			yield(candidate{}, err)
			return
		}
		for _, p := range all {
			if !p.Changed || p.Records+afterRecords < n.progress.Night.Position {
				continue
			}
			for e, err := range n.Store.PartsOfPayout(ctx, n.tenant, p, n.progress.Night.Position) {
				if err == nil && !e.CreatedAt.Before(n.since) {
					continue
				}
				if !yield(candidate{id: e.Transaction, position: e.Position, kind: partOfPayout,
					key: e.Key, record: e.Record}, err) {
					return
				}
			}
		}
	}
}

// afterRecords sorts after the rest of each record's key.
const afterRecords = "~"

// endedBefore returns true if the payout was complete before the time. Such a payout has all its entries.
func endedBefore(p payout.Payout, at time.Time) bool {
	return (p.Status == payout.Paid || p.Status == payout.Failed) && p.UpdatedAt.Before(at)
}
