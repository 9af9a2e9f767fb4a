package provision

import (
	"context"
	"net/url"
	"time"

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

func (o operator) replayCallbacks(ctx context.Context, c replay) (replayed, error) {
	return o.replay(ctx, c, outboxKind{"callback", func(d store.Due) string { return d.CallbackID }, o.sentCallback})
}

func (o operator) sentCallback(ctx context.Context, id string) (sendable, error) {
	t, c, err := o.Store.Callback(ctx, id)
	return sendable{t, c.Entry, func(ctx context.Context) error {
		return o.Store.ReplayCallback(ctx, t, c.Replayed(o.Now()))
	}}, err
}
