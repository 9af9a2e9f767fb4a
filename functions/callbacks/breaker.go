package callbacks

import (
	"context"
	"errors"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
	"github.com/cashwrap/cashwrap/shared/webhook"
)

// destination is where a callback goes, with the breaker of its merchant's
// callbacks there. All workers share it through the table: in memory each would have to
// learn which hosts hang, by tries that do.
type destination struct {
	tenant    identity.Tenant
	host      string
	breaker   payments.Breaker
	probe     bool      // the breaker is open, and this try finds out
	openUntil time.Time // the breaker lets nothing pass before
}

// destination reads the breaker and, when it is time for a probe, claims that.
func (c *courier) destination(ctx context.Context, t identity.Tenant, callback payments.Callback) (destination, error) {
	to := destination{tenant: t, host: webhook.Host(callback.URL)}
	var err error
	if to.breaker, err = c.Store.Breaker(ctx, t, to.host); err != nil {
		return to, err
	}
	now := c.Now()
	switch {
	case !to.breaker.Tripped() || callback.PostponedTooLong(now):
		return to, nil
	case to.breaker.Open(now):
		to.openUntil = to.breaker.OpenUntil
		return to, nil
	}
	probed := to.breaker.ProbeStarted(now)
	switch err := c.Store.SaveBreaker(ctx, t, to.host, probed); {
	case errors.Is(err, store.ErrStale): // somebody else probes
		to.openUntil = probed.OpenUntil
		return to, nil
	case err != nil:
		return to, err
	}
	probed.Version++
	to.breaker, to.probe = probed, true
	return to, nil
}

// learn tells the breaker whether the host answered. What is lost of that
// costs another try that hangs, or a probe; so an error is only logged.
func (c *courier) learn(ctx context.Context, to destination, timedOut bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	before := to.breaker
	after, err := store.Retry(func(again bool) (after payments.Breaker, err error) {
		if again {
			if before, err = c.Store.Breaker(ctx, to.tenant, to.host); err != nil {
				return before, err
			}
		}
		after = before.Succeeded()
		if timedOut {
			after = before.Failed(to.probe, c.Now())
		}
		if after == before { // a host that always answers has no breaker stored
			return after, nil
		}
		return after, c.Store.SaveBreaker(ctx, to.tenant, to.host, after)
	})
	switch {
	case err != nil:
		c.Log.WarnContext(ctx, "callback breaker not saved", "merchant", to.tenant.Merchant, "error", err)
	case after != before && after.Tripped():
		c.Log.WarnContext(ctx, "callback breaker open", "merchant", to.tenant.Merchant,
			"timed_out", after.TimedOut, "next_probe", after.OpenUntil)
	}
}
