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

// destination is the host of a callback, with its merchant's circuit breaker. Breakers are stored in the table, so all
// workers share them. With breakers in memory, each worker would have to find out first which hosts hang.
type destination struct {
	tenant    identity.Tenant
	host      string
	breaker   payments.Breaker
	probe     bool      // the breaker is open, and this try is its probe
	openUntil time.Time // time of the earliest try; zero if a try may be made now
}

// findDestination reads the breaker. When it is time for a probe, it claims the probe for this try.
func (d *deliverer) findDestination(ctx context.Context, t identity.Tenant,
	callback payments.Callback) (destination, error) {
	to := destination{tenant: t, host: webhook.Host(callback.URL)}
	var err error
	if to.breaker, err = d.Store.Breaker(ctx, t, to.host); err != nil {
		return to, err
	}
	now := d.Now()
	switch {
	case !to.breaker.Tripped() || callback.PostponedTooLong(now):
		return to, nil
	case to.breaker.Open(now):
		to.openUntil = to.breaker.OpenUntil
		return to, nil
	}
	probed := to.breaker.ProbeStarted(now)
	switch err := d.Store.SaveBreaker(ctx, t, to.host, probed); {
	case errors.Is(err, store.ErrStale): // another worker makes the probe
		to.openUntil = probed.OpenUntil
		return to, nil
	case err != nil:
		return to, err
	}
	probed.Version++
	to.breaker, to.probe = probed, true
	return to, nil
}

// updateBreaker records whether the host timed out. If the store fails, it only logs the error. The harm is small: one
// more try may hang, or a probe's result is lost.
func (d *deliverer) updateBreaker(ctx context.Context, to destination, timedOut bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	before := to.breaker
	after, err := store.Retry(func(again bool) (after payments.Breaker, err error) {
		if again {
			if before, err = d.Store.Breaker(ctx, to.tenant, to.host); err != nil {
				return before, err
			}
		}
		after = before.Succeeded()
		if timedOut {
			after = before.Failed(to.probe, d.Now())
		}
		if after == before { // a host that always answers needs no stored breaker
			return after, nil
		}
		return after, d.Store.SaveBreaker(ctx, to.tenant, to.host, after)
	})
	switch {
	case err != nil:
		d.Log.WarnContext(ctx, "callback breaker not saved", "merchant", to.tenant.Merchant, "error", err)
	case after != before && after.Tripped():
		d.Log.WarnContext(ctx, "callback breaker open", "merchant", to.tenant.Merchant,
			"timed_out", after.TimedOut, "next_probe", after.OpenUntil)
	}
}
