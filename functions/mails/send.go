// Package mails sends e-mails to a merchant's people and to its payers. Send handles one message of the queue, which
// asks for one try. The mail's stored item decides, so repeated, late and lost messages do no harm.
//
// A try is recorded before it is made, under the version of the mail that was read. So no two processes make the same
// try. An interrupted try counts as failed, so the next try comes no earlier than after a failed try. A mail is sent
// twice only if the process dies, or the service's reply is lost, after the service has taken the mail. Both copies
// have the mail's id as a header. TestSend_FaultAtEachStep kills the process at each step.
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
	// saveTime is reserved at the end of the function's time to record the outcome of a try.
	saveTime = 3 * time.Second
	// sendTime limits a call of the mail service.
	sendTime = 10 * time.Second
)

// Send returns a handler that makes the try requested by a message. If the store fails, the handler returns an error,
// which leaves the message in the queue. A failure of the mail service is an outcome, which sets the time of the next
// try.
func Send(a *app.App) func(ctx context.Context, body string) error {
	p := &postman{App: a}
	if a.MailFrom != "" {
		p.sender = ses.New(a.AWS(a.SESEndpoint), a.MailFrom)
	}
	return app.Consume(a, p.sendIfDue)
}

type postman struct {
	*app.App
	sender mail.Sender // nil if the stage has no sender
}

func (p *postman) sendIfDue(ctx context.Context, _ identity.Tenant, message app.MailMessage) error {
	t, m, err := p.Store.Mail(ctx, message.ID)
	if failure.Is(err, failure.KindNotFound) { // finished so long ago that its item has expired
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
		return p.copyToTenants(ctx, m)
	}
	if m.ToOwners() {
		return p.copyToOwners(ctx, t, m)
	}
	if p.sender == nil {
		return p.hold(ctx, t, m)
	}
	return p.sendOnce(ctx, t, m)
}

// copyToOwners replaces a mail to all owners by a mail to each of the tenant's owners.
func (p *postman) copyToOwners(ctx context.Context, t identity.Tenant, m mail.Mail) error {
	refused, err := p.countOwnersMail(ctx, t, m)
	if err != nil {
		return err
	}
	if refused != "" {
		return p.record(ctx, t, m.Dropped(refused))
	}
	owners, err := p.readOwners(ctx, t)
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

// copyToTenants replaces a mail without a tenant by copies, each for one of the user's merchants. A mail to owners gets
// up to maxMerchants copies. A mail to the user gets at most one.
func (p *postman) copyToTenants(ctx context.Context, m mail.Mail) error {
	most := maxMerchants
	if !m.ToOwners() { // the mail goes to the user, in the name of one merchant
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

// hold postpones a mail, because the stage has no address to send from.
func (p *postman) hold(ctx context.Context, t identity.Tenant, m mail.Mail) error {
	p.Log.WarnContext(ctx, "mail held: no sender is set", "mail", m.ID, "kind", m.Kind)
	p.Metrics.Write(ctx, p.Now(), t.Mode.Name(), metric.HeldMails.Once())
	return p.record(ctx, t, m.Held(p.Now()))
}

// sendOnce sends the mail, unless it is obsolete or beyond its merchant's bound.
func (p *postman) sendOnce(ctx context.Context, t identity.Tenant, m mail.Mail) error {
	message, obsolete, err := p.compose(ctx, t, m)
	if err != nil {
		return err
	}
	if obsolete == "" {
		obsolete, err = p.countMail(ctx, t, m)
	}
	if err != nil {
		return err
	}
	if obsolete != "" {
		return p.record(ctx, t, m.Dropped(obsolete))
	}
	begun, err := p.Store.SaveMail(ctx, t, m.Begun(p.Now()))
	if errors.Is(err, store.ErrStale) { // another call makes this try
		return nil
	}
	if err != nil {
		return err
	}
	after := p.deliver(ctx, m, message)
	after.Version = begun.Version
	return p.record(ctx, t, after)
}

// deliver sends the message and returns the mail with the outcome.
func (p *postman) deliver(ctx context.Context, m mail.Mail, message mail.Message) mail.Mail {
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

// reason returns the reason why a mail was not sent. It omits the service's text, which may contain an address.
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

// report logs and counts the outcome. It never logs the address, which stays in the mail's item.
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
