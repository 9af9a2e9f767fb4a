package store

import (
	"context"
	"strconv"

	"github.com/guregu/dynamo/v2"

	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/signin"
)

type mailItem struct {
	identity.Tenant
	mail.Mail
}

func (s *Store) newMailItem(t identity.Tenant, m mail.Mail) storedItem {
	return s.outboxItem(newItem(mailKey(m.ID), mailItem{t, m}, m.Version), m.Entry)
}

// putMail returns the put of a mail, for the transaction of the change that the mail reports. The mail's id follows
// from that change, which is made once, so the put needs no condition.
func (s *Store) putMail(t identity.Tenant, m mail.Mail) *dynamo.Put {
	return s.table.Put(s.newMailItem(t, m.Due(s.now())))
}

// ReportSignIn stores the mail that tells the owners that passwords for the account are refused, one mail a day (UTC).
// For an unknown name (the zero account) it stores a mail without recipients, because the duration must not show which
// names exist.
func (s *Store) ReportSignIn(ctx context.Context, name string, a signin.Account) error {
	operation, user := "name "+name, ""
	if a.ID != "" {
		operation = "account " + a.ID + " " + a.Tenant.String()
	}
	if a.Kind == identity.User {
		user = a.ID
	}
	m := mail.NewSignInBlocked(operation+s.now().UTC().Format(" 2006-01-02"), a.Name, user).Due(s.now())
	err := s.table.Put(s.newMailItem(a.Tenant, m)).If("attribute_not_exists(pk)").Run(ctx)
	return ifRefused(err, nil) // today's mail is stored already
}

// Mail reads one mail and its tenant, consistently. Failure: NotFound.
func (s *View) Mail(ctx context.Context, id string) (identity.Tenant, mail.Mail, error) {
	item, err := readOne[mailItem](ctx, s, mailKey(id), failure.NotFound("There is no such mail."))
	return item.Tenant, item.Mail, err
}

// SaveMail replaces a mail, and stores the copies for each owner that the mail was divided into, all or nothing. It
// returns the mail with its next version. Error: ErrStale when the mail changed since it was read.
func (s *Store) SaveMail(ctx context.Context, t identity.Tenant, m mail.Mail,
	copies ...mail.Mail) (mail.Mail, error) {
	var items []storedItem
	for _, one := range copies {
		items = append(items, s.newMailItem(t, one))
	}
	return s.replaceMail(ctx, t, m, items)
}

// SpreadMail replaces a mail without a tenant, and stores one mail for each of the tenants, in one transaction. Error:
// ErrStale when the mail changed since it was read.
func (s *Store) SpreadMail(ctx context.Context, m mail.Mail, to map[identity.Tenant]mail.Mail) error {
	var items []storedItem
	for t, one := range to {
		items = append(items, s.newMailItem(t, one))
	}
	_, err := s.replaceMail(ctx, identity.Tenant{}, m, items)
	return err
}

// replaceMail replaces a mail and stores its copies. Nothing else writes the copies, so they have no condition.
func (s *Store) replaceMail(ctx context.Context, t identity.Tenant, m mail.Mail,
	copies []storedItem) (mail.Mail, error) {
	before := m.Version
	m.Version++
	item := s.newMailItem(t, m)
	tx := s.db.WriteTx().Idempotent(true).Put(s.table.Put(item).If("version = ?", before))
	for _, one := range copies {
		tx.Put(s.table.Put(one))
	}
	return m, s.resolve(ctx, item, ErrStale, tx.Run(ctx))
}

// versionOf names the change that made a version of an item, for the id of the mail that reports the change.
func versionOf(k key, version int) string { return k.PK + " " + k.SK + " " + strconv.Itoa(version) }
