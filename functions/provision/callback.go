package provision

import (
	"context"
	"iter"
	"net/url"
	"time"

	"github.com/cashwrap/cashwrap/shared/deadline"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/outbox"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
)

// showCallback shows the state of a callback.
type showCallback struct {
	ID string `json:"id" validate:"required"`
}

type callbackView struct {
	ID            string                  `json:"id"`
	MerchantCode  string                  `json:"merchant_code"`
	Mode          string                  `json:"mode"`
	CheckoutID    string                  `json:"checkout_id"`
	Status        payments.CheckoutStatus `json:"status"` // of the checkout, reported on
	URL           string                  `json:"url"`    // without its query, which may hold a token
	State         string                  `json:"state"`  // owed, delivered, dead
	Tries         int                     `json:"tries"`
	CreatedAt     time.Time               `json:"created_at"`
	FirstFailedAt *time.Time              `json:"first_failed_at,omitempty"`
	NextTryAt     *time.Time              `json:"next_try_at,omitempty"`
	LastError     string                  `json:"last_error,omitempty"`
}

func (o operator) showCallback(ctx context.Context, c showCallback) (callbackView, error) {
	t, callback, err := o.Store.Callback(ctx, c.ID)
	if err != nil {
		return callbackView{}, err
	}
	view := callbackView{ID: callback.ID, MerchantCode: t.Merchant, Mode: t.Mode.Name(), CheckoutID: callback.CheckoutID,
		Status: callback.Status, URL: withoutQuery(callback.URL), State: callback.State, Tries: callback.Tries,
		CreatedAt: callback.CreatedAt, FirstFailedAt: callback.FirstFailedAt, LastError: callback.LastError}
	if callback.State == outbox.Pending {
		view.NextTryAt = &callback.NextAt
	}
	return view, nil
}

func withoutQuery(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// replayCallbacks sends callbacks again, under their old ids: one by its id,
// dead or delivered; or the dead ones of a merchant, of a time (from and to,
// RFC 3339, inclusive: when they were given up), or of both, those given up
// first before others within each shard.
type replayCallbacks struct {
	ID           string `json:"id"`
	MerchantCode string `json:"merchant_code"`
	From         string `json:"from" validate:"date-time"`
	To           string `json:"to" validate:"date-time"`
	Limit        *int   `json:"limit" validate:"min=1 max=1000"` // 100 unless given
}

type callbacksReplayed struct {
	Replayed int  `json:"replayed"`
	More     bool `json:"more"` // others remain: repeat the command
}

const (
	defaultReplays = 100
	// replyTime is kept free at the end of the function's time.
	replyTime = 5 * time.Second
)

func (o operator) replayCallbacks(ctx context.Context, c replayCallbacks) (callbacksReplayed, error) {
	if c.ID != "" {
		return o.replayOne(ctx, c)
	}
	wanted, err := c.selection(o.Now())
	if err != nil {
		return callbacksReplayed{}, err
	}
	ctx, cancel := deadline.Early(ctx, replyTime)
	defer cancel()
	return o.replay(ctx, wanted)
}

func (o operator) replayOne(ctx context.Context, c replayCallbacks) (callbacksReplayed, error) {
	if c.MerchantCode != "" || c.From != "" || c.To != "" || c.Limit != nil {
		return callbacksReplayed{}, failure.Invalid("id", "cannot be combined with a time range")
	}
	t, callback, err := o.Store.Callback(ctx, c.ID)
	if err != nil {
		return callbacksReplayed{}, err
	}
	if callback.State == outbox.Pending {
		return callbacksReplayed{}, failure.Conflict("The callback is still being tried.")
	}
	return callbacksReplayed{Replayed: 1}, o.resend(ctx, t, callback)
}

// selection is which dead callbacks to replay.
type selection struct {
	merchant string // "": all
	from, to time.Time
	limit    int
}

func (c replayCallbacks) selection(now time.Time) (selection, error) {
	s := selection{merchant: c.MerchantCode, to: now, limit: defaultReplays}
	if c.Limit != nil {
		s.limit = *c.Limit
	}
	if c.MerchantCode == "" && c.From == "" && c.To == "" {
		return s, failure.Missing("id")
	}
	if c.From == "" && c.To == "" {
		return s, nil
	}
	var err error
	if s.from, err = instant("from", c.From); err != nil {
		return s, err
	}
	if s.to, err = instant("to", c.To); err != nil {
		return s, err
	}
	if s.to.Before(s.from) {
		return s, failure.Invalid("to", "must not be before from")
	}
	return s, nil
}

func instant(param, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, failure.Missing(param)
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, failure.Invalid(param, "must be an RFC 3339 time")
	}
	return at, nil
}

// replay stops at the first callback beyond the limit, or when time is up.
func (o operator) replay(ctx context.Context, wanted selection) (callbacksReplayed, error) {
	var done callbacksReplayed
	for dead, err := range o.dead(ctx, wanted) {
		if ctx.Err() != nil || (err == nil && done.Replayed == wanted.limit) {
			done.More = true
			return done, nil
		}
		if err == nil {
			err = o.resend(context.WithoutCancel(ctx), dead.tenant, dead.callback)
		}
		if err != nil {
			return done, err
		}
		done.Replayed++
	}
	return done, nil
}

type deadCallback struct {
	tenant   identity.Tenant
	callback payments.Callback
}

// dead yields the selected callbacks, also those in shards beyond the setting, which
// nobody else looks into. The index only names them, and lags: the item says whose
// each is, and whether it is still dead.
func (o operator) dead(ctx context.Context, wanted selection) iter.Seq2[deadCallback, error] {
	return func(yield func(deadCallback, error) bool) {
		for shard := range store.MaxDueShards {
			for due, err := range o.Store.Dead(ctx, shard, wanted.from, wanted.to) {
				if err == nil && due.CallbackID == "" {
					continue
				}
				var found deadCallback
				if err == nil {
					found.tenant, found.callback, err = o.Store.Callback(ctx, due.CallbackID)
				}
				if failure.Is(err, failure.KindNotFound) || (err == nil && !wanted.includes(found)) {
					continue
				}
				if !yield(found, err) || err != nil {
					return
				}
			}
		}
	}
}

func (s selection) includes(d deadCallback) bool {
	return d.callback.State == outbox.Dead && (s.merchant == "" || s.merchant == d.tenant.Merchant)
}

func (o operator) resend(ctx context.Context, t identity.Tenant, callback payments.Callback) error {
	if err := o.Store.ReplayCallback(ctx, t, callback.Replayed(o.Now())); err != nil {
		return err
	}
	o.Log.InfoContext(ctx, "callback replayed", "callback", callback.ID, "checkout", callback.CheckoutID)
	return nil
}
