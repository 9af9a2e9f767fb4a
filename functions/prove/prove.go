// Package prove carries on the proofs that reconcile begins: of the whole table, or of what has changed since the last
// night. Each message of the queue proofs names a segment of a proof. Consume proves a part of the segment, well within
// its time, and sends the message again until the segment is proven. After the last segment it logs the report of the
// proof, like reconcile.
package prove

import (
	"context"
	"errors"
	"time"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/app/queue"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/reconcile"
	"github.com/cashwrap/cashwrap/shared/store"
)

// Timeout limits a call. A part of a segment ends before it.
const Timeout = 2 * time.Minute

// prover proves segments.
type prover struct {
	*app.App
	queue *queue.Proofs
}

// Consume returns a handler of messages. An error leaves the message in the queue; the next call then goes on where the
// last finished part of the segment has ended.
func Consume(a *app.App) func(ctx context.Context, body string) error {
	return app.Consume(a, prover{a, queue.OpenProofs(a)}.prove)
}

// prove proves a part of a segment. The next message goes on after this part. So the chain of messages ends with the
// segment.
func (p prover) prove(ctx context.Context, _ identity.Tenant, m app.ProofMessage) error {
	whole, err := reconcile.Segment(ctx, reconcile.Config{Store: p.Store}, m.Run, *m.Segment)
	switch {
	case errors.Is(err, store.ErrStale): // another message about the segment was faster, and goes on
		return nil
	case failure.Is(err, failure.KindNotFound):
		p.Log.WarnContext(ctx, "message of an unknown proof dropped")
		return nil
	case err != nil:
		return err
	case !whole:
		return p.queue.Send(ctx, m)
	}
	report, proven, err := reconcile.ReportOf(ctx, p.Store.View, m.Run)
	if err != nil || !proven {
		return err
	}
	report.Write(ctx, p.Log, p.Metrics)
	return nil
}
