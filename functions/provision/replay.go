package provision

import (
	"context"
	"errors"
	"iter"
	"net/url"
	"time"

	"github.com/cashwrap/cashwrap/shared/deadline"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/outbox"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/store"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// replay sends callbacks or mails again, under their old ids. With an id it sends that entry, except an entry whose
// state is still "owed". Without an id it sends the dead entries of a merchant, or of a time span, or of both. from and
// to (RFC 3339, inclusive) select entries by the time at which the platform gave them up. Each shard's earliest entries
// are sent first.
type replay struct {
	ID           string `json:"id"`
	MerchantCode string `json:"merchant_code"`
	From         string `json:"from" validate:"date-time"`
	To           string `json:"to" validate:"date-time"`
	Limit        *int   `json:"limit" validate:"min=1 max=1000"` // 100 unless given
}

type replayed struct {
	Replayed int  `json:"replayed"`
	More     bool `json:"more"` // others remain: repeat the command
}

const (
	defaultReplays = 100
	// replyTime is reserved at the end of the function's time.
	replyTime = 5 * time.Second
)

// outboxKind describes the callbacks or mails that a command replays.
type outboxKind struct {
	name string
	id   func(store.Due) string // returns "" for an entry of another kind
	read func(ctx context.Context, id string) (sendable, error)
}

type sendable struct {
	tenant identity.Tenant
	entry  outbox.Entry
	resend func(context.Context) error // makes the callback or mail due again
}

func (o operator) replay(ctx context.Context, c replay, of outboxKind) (replayed, error) {
	if c.ID != "" {
		return o.replayOne(ctx, c, of)
	}
	wanted, err := c.selection(o.Now())
	if err != nil {
		return replayed{}, err
	}
	ctx, cancel := deadline.Early(ctx, replyTime)
	defer cancel()
	return o.replayDead(ctx, wanted, of)
}

func (o operator) replayOne(ctx context.Context, c replay, of outboxKind) (replayed, error) {
	if c.MerchantCode != "" || c.From != "" || c.To != "" || c.Limit != nil {
		return replayed{}, failure.Invalid("id", "cannot be combined with a time range")
	}
	found, err := of.read(ctx, c.ID)
	if err != nil {
		return replayed{}, err
	}
	if found.entry.Waits() {
		return replayed{}, failure.Conflict("The " + of.name + " is still being tried.")
	}
	return replayed{Replayed: 1}, o.resend(ctx, of, found)
}

type selection struct {
	merchant string // code; "" for all merchants
	from, to time.Time
	limit    int
}

func (c replay) selection(now time.Time) (selection, error) {
	s := selection{merchant: c.MerchantCode, to: now, limit: limitOr(c.Limit, defaultReplays)}
	if c.MerchantCode == "" && c.From == "" && c.To == "" {
		return s, failure.Missing("id")
	}
	if c.From == "" && c.To == "" {
		return s, nil
	}
	var err error
	if s.from, err = parseTime("from", c.From); err != nil {
		return s, err
	}
	if s.to, err = parseTime("to", c.To); err != nil {
		return s, err
	}
	if s.to.Before(s.from) {
		return s, failure.Invalid("to", "must not be before from")
	}
	return s, nil
}

func parseTime(param, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, failure.Missing(param)
	}
	at, ok := validate.Time(text)
	if !ok {
		return at, failure.Invalid(param, "must be an RFC 3339 time")
	}
	return at, nil
}

// replayDead resends the selected entries, up to the limit or until time is up.
func (o operator) replayDead(ctx context.Context, wanted selection, of outboxKind) (replayed, error) {
	var done replayed
	for dead, err := range o.findDead(ctx, wanted, of) {
		if ctx.Err() != nil || (err == nil && done.Replayed == wanted.limit) {
			done.More = true
			return done, nil
		}
		if err == nil {
			err = o.resend(context.WithoutCancel(ctx), of, dead)
		}
		if err != nil {
			return done, err
		}
		done.Replayed++
	}
	return done, nil
}

// findDead yields the selected entries. It also searches the shards beyond the configured number, which may have dead
// entries too. The index lags, so findDead takes tenant and state from the item.
func (o operator) findDead(ctx context.Context, wanted selection, of outboxKind) iter.Seq2[sendable, error] {
	return func(yield func(sendable, error) bool) {
		for shard := range store.MaxDueShards {
			for due, err := range o.Store.Dead(ctx, shard, wanted.from, wanted.to) {
				if err == nil && of.id(due) == "" {
					continue
				}
				var found sendable
				if err == nil {
					found, err = of.read(ctx, of.id(due))
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

func (s selection) includes(d sendable) bool {
	return d.entry.State == outbox.Dead && (s.merchant == "" || s.merchant == d.tenant.Merchant)
}

func (o operator) resend(ctx context.Context, of outboxKind, found sendable) error {
	err := found.resend(ctx)
	if errors.Is(err, store.ErrStale) {
		return failure.Conflict("The " + of.name + " has changed meanwhile. Try again.")
	}
	if err != nil {
		return err
	}
	o.Log.InfoContext(ctx, of.name+" replayed", of.name, found.entry.ID, "tenant", found.tenant.String())
	return nil
}

// outboxID names the callback or mail that a command shows.
type outboxID struct {
	ID string `json:"id" validate:"required"`
}

type callbackView struct {
	ID           string                  `json:"id"`
	MerchantCode string                  `json:"merchant_code"`
	Mode         string                  `json:"mode"`
	CheckoutID   string                  `json:"checkout_id"`
	Status       payments.CheckoutStatus `json:"status"` // status of the checkout, as reported
	URL          string                  `json:"url"`    // the URL without its query, which may hold a token
	entryView
}

// entryView is the state of a callback or a mail in the outbox.
type entryView struct {
	State         string     `json:"state"` // owed, delivered or dead; for a mail also sending or dropped
	Tries         int        `json:"tries"`
	CreatedAt     time.Time  `json:"created_at"`
	FirstFailedAt *time.Time `json:"first_failed_at,omitempty"`
	NextTryAt     *time.Time `json:"next_try_at,omitempty"`
	LastError     string     `json:"last_error,omitempty"`
}

func viewEntry(e outbox.Entry) entryView {
	view := entryView{State: e.State, Tries: e.Tries, CreatedAt: e.CreatedAt, FirstFailedAt: e.FirstFailedAt,
		LastError: e.LastError}
	if e.Waits() {
		view.NextTryAt = &e.NextAt
	}
	return view
}

func (o operator) showCallback(ctx context.Context, c outboxID) (callbackView, error) {
	t, callback, err := o.Store.Callback(ctx, c.ID)
	if err != nil {
		return callbackView{}, err
	}
	return callbackView{callback.ID, t.Merchant, t.Mode.Name(), callback.CheckoutID, callback.Status,
		withoutQuery(callback.URL), viewEntry(callback.Entry)}, nil
}

func withoutQuery(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

func (o operator) replayCallbacks(ctx context.Context, c replay) (replayed, error) {
	return o.replay(ctx, c, outboxKind{"callback", func(d store.Due) string { return d.CallbackID }, o.readCallback})
}

func (o operator) readCallback(ctx context.Context, id string) (sendable, error) {
	t, c, err := o.Store.Callback(ctx, id)
	return sendable{t, c.Entry, func(ctx context.Context) error {
		return o.Store.ReplayCallback(ctx, t, c.Replayed(o.Now()))
	}}, err
}

type mailView struct {
	ID           string    `json:"id"`
	MerchantCode string    `json:"merchant_code"`
	Mode         string    `json:"mode"`
	Kind         mail.Kind `json:"kind"`
	To           string    `json:"to,omitempty"` // an address; absent for a mail to all owners, who each get a copy
	entryView
}

func (o operator) showMail(ctx context.Context, c outboxID) (mailView, error) {
	t, m, err := o.Store.Mail(ctx, c.ID)
	if err != nil {
		return mailView{}, err
	}
	return mailView{m.ID, t.Merchant, t.Mode.Name(), m.Kind, m.Email, viewEntry(m.Entry)}, nil
}

func (o operator) replayMails(ctx context.Context, c replay) (replayed, error) {
	return o.replay(ctx, c, outboxKind{"mail", func(d store.Due) string { return d.MailID }, o.readMail})
}

func (o operator) readMail(ctx context.Context, id string) (sendable, error) {
	t, m, err := o.Store.Mail(ctx, id)
	return sendable{t, m.Entry, func(ctx context.Context) error {
		_, refused := o.Store.SaveMail(ctx, t, m.Replayed(o.Now()))
		return refused
	}}, err
}
