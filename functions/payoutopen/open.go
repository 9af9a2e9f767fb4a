// Package payoutopen opens the payouts that are due in one shard of the due index. It also resumes payouts that were
// interrupted or whose bank must be polled. Open handles one message. The table decides what is due, so lost, doubled
// or late messages do no harm.
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
	// Timeout limits the time of a call. If a call cannot open all payouts of the shard, another message continues.
	Timeout = time.Minute
	// reservedTime is reserved at the end of a call. In that time the call begins no other merchant. It only finishes the
	// merchants in progress, and sends the message that continues the walk.
	reservedTime = 15 * time.Second
)

// Open handles one message. An error leaves the message in the queue.
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

// errNoTime leaves a message in the queue if its call had no time to begin.
var errNoTime = errors.New("no time to open a payout")

// open opens and resumes the payouts that are due in the shard. After the first entries the walk takes the shard's
// lease. If another walk has the lease, this walk ends, and the other walk or the next tick handles the remaining
// payouts. Walks that are too short to take the lease may overlap, which does no harm.
//
// If the call's time runs out, a message continues the walk. The chain of messages ends, because each call starts after
// the last entry of the call before, and all calls use the same due time.
func (o opener) open(ctx context.Context, _ identity.Tenant, m app.PayoutShardMessage) error {
	starting, cancel := deadline.Early(ctx, reservedTime)
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

// batch collects messages, one for each payout to run. When the messages fill one call of the queue, it sends them. It
// is safe for concurrent use.
type batch struct {
	send func([]app.PayoutMessage) error

	mu      sync.Mutex
	waiting []app.PayoutMessage
}

// add collects the payout's message, and sends the batch if it is full. If sending fails, a later tick sends the
// messages.
func (b *batch) add(p run.Planned) error {
	if full := b.collect(app.PayoutMessage{Tenant: p.Tenant.String(), ID: p.ID}); full != nil {
		return b.sendSorted(full)
	}
	return nil
}

// sendSorted sends messages in the order of their payouts. Messages are added in random order, and the simulation's
// history must not depend on that order.
func (b *batch) sendSorted(all []app.PayoutMessage) error {
	slices.SortFunc(all, func(one, other app.PayoutMessage) int { return strings.Compare(one.ID, other.ID) })
	return b.send(all)
}

// collect adds a message, and returns all waiting messages if they now fill one call of the queue.
func (b *batch) collect(m app.PayoutMessage) (full []app.PayoutMessage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting = append(b.waiting, m); len(b.waiting) == queue.AtOnce {
		full, b.waiting = b.waiting, nil
	}
	return full
}

// flush sends the waiting messages after the last add.
func (b *batch) flush() error { return b.sendSorted(b.waiting) }
