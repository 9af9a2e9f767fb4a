package sweep

import (
	"context"
	"errors"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/store"
)

// walkBeyond looks into shards beyond the setting, which must never be lowered
// (store.Config). If it was, as by a deployment that raised it and was rolled back,
// nobody else reads what was stored there meanwhile. So that is a failure, which an
// alarm reports, and it is processed. Of all shards that there may be each has its
// minute of the hour.
func (t *tick) walkBeyond(ctx, reading context.Context) {
	for shard := t.at.Minute(); shard < store.MaxDueShards; shard += 60 {
		if shard < t.Store.DueShards() {
			continue
		}
		found, err := t.walk(ctx, reading, shard)
		payouts, failed := t.openPayouts(ctx, reading, shard)
		if err = errors.Join(err, failed); found > 0 || payouts || err != nil {
			t.failures.Add(1)
			t.Log.ErrorContext(ctx, "due shard beyond the setting", "shard", shard, "items", found, "payouts", payouts,
				"error", err)
		}
	}
}

// openPayouts has payoutopen handle a shard if any payout is due in it.
func (t *tick) openPayouts(ctx, reading context.Context, shard int) (bool, error) {
	for _, err := range t.Store.DuePayouts(reading, shard, "", t.at) {
		if err != nil {
			return false, err
		}
		return true, t.payouts.Send(ctx, app.PayoutShardMessage{Shard: &shard})
	}
	return false, nil
}
