// Package payoutplan runs on a schedule. Tick sends functions/payoutopen one message for each shard of the due index,
// so that one call works on each shard. The calls open payouts, and resume waiting payouts. The table decides which
// payouts are due, so a missed, doubled or late tick does no harm.
package payoutplan

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/app/queue"
)

// Tick sends a message for each shard. It fails only if sending fails.
func Tick(a *app.App) func(context.Context) error {
	shards := queue.OpenPayoutShards(a)
	return func(ctx context.Context) error {
		all := make([]app.PayoutShardMessage, a.Store.DueShards())
		for shard := range all {
			all[shard].Shard = &shard
		}
		return shards.Send(ctx, all...)
	}
}
