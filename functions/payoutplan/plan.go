// Package payoutplan runs on a schedule. It sends functions/payoutopen one message for each shard of the due index, to
// open payouts and resume those that wait, so that as many functions work as there are shards. The table says what is
// due, so a missed, doubled or late tick does no harm.
package payoutplan

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/app/queue"
)

// Tick names all shards. Error: the queue's.
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
