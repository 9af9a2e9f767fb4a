package provision

import (
	"context"
	"time"

	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/store"
)

// showMail shows the state of a mail.
type showMail struct {
	ID string `json:"id" validate:"required"`
}

type mailView struct {
	ID            string     `json:"id"`
	MerchantCode  string     `json:"merchant_code"`
	Mode          string     `json:"mode"`
	Kind          mail.Kind  `json:"kind"`
	To            string     `json:"to,omitempty"` // an address; absent: all owners, each of whom gets a mail of its own
	State         string     `json:"state"`        // owed, sending, delivered, dropped, dead
	Tries         int        `json:"tries"`
	CreatedAt     time.Time  `json:"created_at"`
	FirstFailedAt *time.Time `json:"first_failed_at,omitempty"`
	NextTryAt     *time.Time `json:"next_try_at,omitempty"`
	LastError     string     `json:"last_error,omitempty"`
}

func (o operator) showMail(ctx context.Context, c showMail) (mailView, error) {
	t, m, err := o.Store.Mail(ctx, c.ID)
	if err != nil {
		return mailView{}, err
	}
	view := mailView{ID: m.ID, MerchantCode: t.Merchant, Mode: t.Mode.Name(), Kind: m.Kind, To: m.Email, State: m.State,
		Tries: m.Tries, CreatedAt: m.CreatedAt, FirstFailedAt: m.FirstFailedAt, LastError: m.LastError}
	if m.Waits() {
		view.NextTryAt = &m.NextAt
	}
	return view, nil
}

func (o operator) replayMails(ctx context.Context, c replay) (replayed, error) {
	return o.replay(ctx, c, outboxKind{"mail", func(d store.Due) string { return d.MailID }, o.sentMail})
}

func (o operator) sentMail(ctx context.Context, id string) (sendable, error) {
	t, m, err := o.Store.Mail(ctx, id)
	return sendable{t, m.Entry, func(ctx context.Context) error {
		_, refused := o.Store.SaveMail(ctx, t, m.Replayed(o.Now()))
		return refused
	}}, err
}
