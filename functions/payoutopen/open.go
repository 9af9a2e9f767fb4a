// Package payoutopen opens the payouts that are due in one shard of the due index, and has them run; it also resumes
// those that were cut off or whose bank has to be polled. The table decides: lost, doubled or late messages do no harm.
package payoutopen

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/app/queue"
	"github.com/cashwrap/cashwrap/shared/deadline"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payout/run"
)

const (
	// Timeout of a call. A shard of more than it can open goes on with another one.
	Timeout = time.Minute
	// lastStart is kept free at the end of it, for the merchants in progress and the message that goes on.
	lastStart = 15 * time.Second
)

// Open handles one message. An error leaves it in the queue.
func Open(a *app.App) func(ctx context.Context, body string) error {
	return app.Consume(a, opener{App: a, shards: queue.OpenPayoutShards(a), payouts: queue.OpenPayouts(a),
		runner: run.New(run.Config{Store: a.Store, Log: a.Log, Metrics: a.Metrics})}.open)
}

type opener struct {
	*app.App
	shards  *queue.PayoutShards
	payouts *queue.Payouts
	runner  *run.Runner
}

// errNoTime leaves a message in the queue whose call had no time to begin.
var errNoTime = errors.New("no time to open a payout")

// open opens and resumes what is due in the shard, as the shard's only walk: what another finds is due for this one
// too, or for the next tick. Where the call's time does not suffice, a message goes on. The chain ends: each call
// begins after the one before it, with the same time by which entries are due.
func (o opener) open(ctx context.Context, _ identity.Tenant, m app.PayoutShardMessage) error {
	starting, cancel := deadline.Early(ctx, lastStart)
	defer cancel()
	if m.By.IsZero() {
		m.By = o.Now()
	}
	batch := batch{send: func(full []app.PayoutMessage) error { return o.payouts.Send(ctx, full...) }}
	walk := run.Walk{Shard: *m.Shard, After: m.After, By: m.By, Lease: Timeout}
	rest, err := o.runner.WalkDue(ctx, starting, walk, batch.add)
	err = errors.Join(err, batch.flush())
	switch {
	case rest == nil:
		return err
	case rest.After == m.After:
		return errors.Join(err, errNoTime)
	}
	m.After = rest.After
	return errors.Join(err, o.shards.Send(ctx, m))
}

// batch collects the messages of payouts to run until they fill a call. It is safe for concurrent use.
type batch struct {
	send func([]app.PayoutMessage) error

	mu      sync.Mutex
	waiting []app.PayoutMessage
}

// add sends the messages that fill a call. Error: they were not sent, and a later tick sends them.
func (b *batch) add(p run.Planned) error {
	if full := b.collect(app.PayoutMessage{Tenant: p.Tenant.String(), ID: p.ID}); full != nil {
		return b.sendSorted(full)
	}
	return nil
}

// sendSorted sends messages in the order of their payouts: the order in which they were added is chance, and a history
// of the simulation must not depend on it.
func (b *batch) sendSorted(all []app.PayoutMessage) error {
	slices.SortFunc(all, func(one, other app.PayoutMessage) int { return strings.Compare(one.ID, other.ID) })
	return b.send(all)
}

// collect returns what fills a call, if the message does so.
func (b *batch) collect(m app.PayoutMessage) (full []app.PayoutMessage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting = append(b.waiting, m); len(b.waiting) == queue.AtOnce {
		full, b.waiting = b.waiting, nil
	}
	return full
}

// flush sends what waits when all have been added.
func (b *batch) flush() error { return b.sendSorted(b.waiting) }
