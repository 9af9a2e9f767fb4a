// Package mails sends e-mails to a merchant's people and to its payers: one message of the queue is one try. The mail's
// stored item decides, so repeated, late and lost messages do no harm.
//
// A try is recorded before it is made, so no two processes make it, and an interrupted one is repeated no earlier than
// one that failed. A mail is sent twice only if the process dies, or the service's reply is lost, after the service has
// taken it. Both have the mail's id as a header.
package mails

import (
	"context"
	"errors"
	"time"

	"github.com/aws/smithy-go"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/deadline"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/mail/ses"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/metric"
	"github.com/cashwrap/cashwrap/shared/outbox"
	"github.com/cashwrap/cashwrap/shared/store"
)

const (
	// saveTime is kept free at the end of the function's time, to record the outcome of a try.
	saveTime = 3 * time.Second
	// sendTime bounds a call of the service.
	sendTime = 10 * time.Second
)

// Send makes the try that a message of the mail queue requests. An error leaves the message in the queue: the store
// failed. A service's failure is an outcome, which sets the time of the next try.
func Send(a *app.App) func(ctx context.Context, body string) error {
	p := &postman{App: a}
	if a.MailFrom != "" {
		p.sender = ses.New(a.AWS(a.SESEndpoint), a.MailFrom)
	}
	return app.Consume(a, p.sendIfDue)
}

type postman struct {
	*app.App
	sender mail.Sender // nil: the stage has none
}

func (p *postman) sendIfDue(ctx context.Context, _ identity.Tenant, message app.MailMessage) error {
	t, m, err := p.Store.Mail(ctx, message.ID)
	if failure.Is(err, failure.KindNotFound) { // finished so long ago that its item expired
		p.Log.WarnContext(ctx, "message of an unknown mail dropped", "mail", message.ID)
		return nil
	}
	if err != nil || !m.IsDue(p.Now()) {
		return err
	}
	if dead, is := m.Expired(p.Now()); is {
		m.Entry = dead
		return p.record(ctx, t, m)
	}
	if t == (identity.Tenant{}) {
		return p.spread(ctx, m)
	}
	if m.ToOwners() {
		return p.divide(ctx, t, m)
	}
	if p.sender == nil {
		return p.hold(ctx, t, m)
	}
	return p.try(ctx, t, m)
}

// divide writes a mail for each of the tenant's owners in place of the one to all.
func (p *postman) divide(ctx context.Context, t identity.Tenant, m mail.Mail) error {
	refused, err := p.tooManyToOwners(ctx, t, m)
	if err != nil {
		return err
	}
	if refused != "" {
		return p.record(ctx, t, m.Dropped(refused))
	}
	owners, err := p.owners(ctx, t)
	if err != nil {
		return err
	}
	var copies []mail.Mail
	for _, o := range owners {
		one := m.To(o.Number(), o.Email, p.Store.Now())
		one.Managed = o.Type == member.TypeManaged
		copies = append(copies, one)
	}
	_, err = p.Store.SaveMail(ctx, t, m.Delivered(), copies...)
	return store.UnlessStale(err)
}

// spread replaces a mail without a tenant by copies: one for each of maxMerchants of the user's merchants if it is to
// the owners, one if it is to the user.
func (p *postman) spread(ctx context.Context, m mail.Mail) error {
	most := maxMerchants
	if !m.ToOwners() { // to the user, in the name of one merchant
		most = 1
	}
	tenants, err := p.readTenants(ctx, m.User, most)
	if err != nil {
		return err
	}
	copies := map[identity.Tenant]mail.Mail{}
	for _, t := range tenants {
		copies[t] = m.At(t, p.Store.Now())
	}
	return store.UnlessStale(p.Store.SpreadMail(ctx, m.Delivered(), copies))
}

// hold leaves a mail for later, because the stage has no address to send from.
func (p *postman) hold(ctx context.Context, t identity.Tenant, m mail.Mail) error {
	p.Log.WarnContext(ctx, "mail held: no sender is set", "mail", m.ID, "kind", m.Kind)
	p.Metrics.Write(ctx, p.Now(), t.Mode.Name(), metric.HeldMails.Once())
	return p.record(ctx, t, m.Held(p.Now()))
}

// try sends the mail, unless it is obsolete.
func (p *postman) try(ctx context.Context, t identity.Tenant, m mail.Mail) error {
	message, obsolete, err := p.message(ctx, t, m)
	if err != nil {
		return err
	}
	if obsolete == "" {
		obsolete, err = p.tooMany(ctx, t, m)
	}
	if err != nil {
		return err
	}
	if obsolete != "" {
		return p.record(ctx, t, m.Dropped(obsolete))
	}
	begun, err := p.Store.SaveMail(ctx, t, m.Begun(p.Now()))
	if errors.Is(err, store.ErrStale) { // another call makes the try
		return nil
	}
	if err != nil {
		return err
	}
	after := p.outcome(ctx, m, message)
	after.Version = begun.Version
	return p.record(ctx, t, after)
}

// outcome sends the message and returns the mail as it is afterwards.
func (p *postman) outcome(ctx context.Context, m mail.Mail, message mail.Message) mail.Mail {
	ctx, cancel := deadline.Early(ctx, saveTime)
	defer cancel()
	ctx, cancel = context.WithTimeout(ctx, sendTime)
	defer cancel()
	err := p.sender.Send(ctx, message)
	switch {
	case err == nil:
		return m.Delivered()
	case errors.Is(err, mail.ErrRefused):
		return m.Dropped(reason(err))
	default:
		return m.Undelivered(reason(err), p.Now())
	}
}

// reason says why a mail was not sent, without the service's words, which may name an address.
func reason(err error) string {
	var answer smithy.APIError
	switch {
	case errors.As(err, &answer):
		return answer.ErrorCode()
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	default:
		return "unreachable"
	}
}

// record stores the outcome even if ctx has ended, because the mail may have been sent.
func (p *postman) record(ctx context.Context, t identity.Tenant, after mail.Mail) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	_, err := p.Store.SaveMail(ctx, t, after)
	if errors.Is(err, store.ErrStale) {
		return nil
	}
	if err == nil {
		p.report(ctx, t, after)
	}
	return err
}

// report never logs an address: the mail's item has it.
func (p *postman) report(ctx context.Context, t identity.Tenant, after mail.Mail) {
	log := p.Log.With("mail", after.ID, "kind", after.Kind, "tenant", t.String(), "try", after.Tries)
	switch after.State {
	case outbox.Delivered:
		log.InfoContext(ctx, "mail sent")
	case outbox.Dropped:
		log.WarnContext(ctx, "mail dropped", "reason", after.LastError)
		p.Metrics.Write(ctx, p.Now(), t.Mode.Name(), metric.DroppedMails.Once())
	case outbox.Dead:
		log.ErrorContext(ctx, "mail given up", "reason", after.LastError)
		p.Metrics.Write(ctx, p.Now(), t.Mode.Name(), metric.DeadMails.Once())
	default:
		log.WarnContext(ctx, "mail not sent", "reason", after.LastError, "next_try", after.NextAt)
	}
}
