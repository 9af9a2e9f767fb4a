package store_test

import (
	"context"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/outbox"
	"github.com/cashwrap/cashwrap/shared/signin"
	"github.com/cashwrap/cashwrap/shared/store"
)

var storedMails = map[string]stored{
	"UpdateMember, disabled": {
		sets: "the mail is due at once, under an id that follows from the member's version",
		write: func(w fixture) []storedtest.Read {
			m := w.storeDisabledMail()
			return []storedtest.Read{w.mail(m), w.dueItems(store.Due{MailID: m.ID}), w.expiries(),
				w.fastPath(map[store.Due]time.Time{{MailID: m.ID, Tenant: w.tenant}: m.NextAt})}
		},
		unseen: storedtest.NotRead{"MAIL write_id": notRead, "MAIL tries": "nothing is read as 0"},
	},
	"ReportSignIn": {
		sets: "the mail is due at once, under an id that follows from the account and the day",
		write: func(w fixture) []storedtest.Read {
			m := w.storeBlockedMail(signin.Account{Kind: identity.User, ID: "user", Name: "ada@example.com"})
			w.must(w.ReportSignIn(w.Context(), "ada@example.com", signin.Account{Kind: identity.User, ID: "user"})) // once a day
			return []storedtest.Read{w.mailOf(identity.Tenant{}, m), w.dueItems(store.Due{MailID: m.ID}), w.expiries(),
				w.fastPath(map[store.Due]time.Time{{MailID: m.ID}: m.NextAt})}
		},
		unseen: storedtest.NotRead{"MAIL write_id": notRead, "MAIL tries": "nothing is read as 0"},
	},
	"SpreadMail": {
		sets: "Version is the next; it expires after 31 days",
		write: func(w fixture) []storedtest.Read {
			before := w.storeBlockedMail(signin.Account{Kind: identity.User, ID: "user", Name: "ada@example.com"})
			m := storedtest.Fill(w, w.Filler, func(m *mail.Mail) { m.ID, m.State, m.Version = before.ID, outbox.Delivered, 1 })
			one := storedtest.Fill(w, w.Filler, func(m *mail.Mail) { m.State = outbox.Pending })
			w.must(w.SpreadMail(w.Context(), m, map[identity.Tenant]mail.Mail{w.tenant: one}))
			m.Version = 2
			return []storedtest.Read{w.mailOf(identity.Tenant{}, m), w.mail(one), w.expiries(start.AddDate(0, 0, 31)),
				w.dueItems(store.Due{MailID: one.ID}), w.fastPath(nil)}
		},
		unseen: storedtest.NotRead{"MAIL write_id": notRead},
	},
	"SaveMail, owed": {
		sets:   "Version is the next",
		write:  func(w fixture) []storedtest.Read { return w.storeMail(outbox.Pending, nil) },
		unseen: storedtest.NotRead{"MAIL write_id": notRead},
	},
	"SaveMail, sending": {
		sets:   "Version is the next",
		write:  func(w fixture) []storedtest.Read { return w.storeMail(outbox.Sending, nil) },
		unseen: storedtest.NotRead{"MAIL write_id": notRead},
	},
	"SaveMail, dropped": {
		sets: "Version is the next; it expires after 31 days",
		write: func(w fixture) []storedtest.Read {
			return w.storeMail(outbox.Dropped, []time.Time{start.AddDate(0, 0, 31)})
		},
		unseen: storedtest.NotRead{"MAIL write_id": notRead},
	},
	"SaveMail, dead": {
		sets: "Version is the next; it expires after 90 days",
		write: func(w fixture) []storedtest.Read {
			return w.storeMail(outbox.Dead, []time.Time{start.AddDate(0, 0, 90)})
		},
		unseen: storedtest.NotRead{"MAIL write_id": notRead},
	},
	"SaveMail, delivered to owners": {
		sets: "Version is the next; it expires after 31 days",
		write: func(w fixture) []storedtest.Read {
			m := storedtest.Fill(w, w.Filler, func(m *mail.Mail) { m.ID, m.State = w.storeDisabledMail().ID, outbox.Delivered })
			m.Version = 1
			one := storedtest.Fill(w, w.Filler, func(m *mail.Mail) { m.State = outbox.Pending })
			other := storedtest.Fill(w, w.Filler, func(m *mail.Mail) { m.State = outbox.Pending })
			got, err := w.SaveMail(w.Context(), w.tenant, m, one, other)
			m.Version = 2
			wantAnswer(w, m, got, err)
			return []storedtest.Read{w.mail(m), w.mail(one), w.mail(other), w.expiries(start.AddDate(0, 0, 31)),
				w.dueItems(store.Due{MailID: one.ID}, store.Due{MailID: other.ID}), w.fastPath(nil)}
		},
		unseen: storedtest.NotRead{"MAIL write_id": notRead},
	},
}

// storeDisabledMail leaves in the table only the mail to a disabled member.
func (w fixture) storeDisabledMail() mail.Mail {
	w.Helper()
	before := w.storeMember("operation")
	after, err := w.UpdateMember(w.Context(), w.actor(), w.tenant, before.Number(), "", member.EndKeys,
		func(m member.Member, _ member.Roles) (member.Member, error) { return m.Enabled(false, w.Now()), nil })
	w.must(err)
	return mail.Mail{Entry: outbox.New(w.keepDueMail(), w.Now()), Kind: mail.AccountDisabled, Member: after.Number(),
		Email: before.Email, Version: 1}
}

// storeBlockedMail leaves in the table only the mail that passwords for an account are refused.
func (w fixture) storeBlockedMail(a signin.Account) mail.Mail {
	w.Helper()
	w.must(w.ReportSignIn(w.Context(), "a name", a))
	return mail.Mail{Entry: outbox.New(w.keepDueMail(), w.Now()), Kind: mail.SignInBlocked, About: a.Name, User: a.ID,
		Version: 1}
}

// keepDueMail leaves in the table only the mail that is due.
func (w fixture) keepDueMail() (due string) {
	w.Helper()
	for shard := range w.DueShards() {
		found, walkErr := collect(w.Overdue(w.Context(), shard, forever))
		w.must(walkErr)
		for _, d := range found {
			due = d.MailID
		}
	}
	w.keepSortKey("MAIL")
	return due
}

// storeMail stores a mail in the state, after it was due, and returns the expected reads.
func (w fixture) storeMail(state string, expires []time.Time) []storedtest.Read {
	w.Helper()
	before := w.storeDisabledMail()
	m := storedtest.Fill(w, w.Filler, func(m *mail.Mail) { m.ID, m.State, m.Version = before.ID, state, 1 })
	got, err := w.SaveMail(w.Context(), w.tenant, m)
	m.Version = 2
	wantAnswer(w, m, got, err)
	var due []store.Due
	if m.Waits() || state == outbox.Dead {
		due = append(due, store.Due{MailID: m.ID})
	}
	return []storedtest.Read{w.mail(m), w.dueItems(due...), w.fastPath(nil), w.expiries(expires...)}
}

// keepSortKey deletes all items except those of a sort key.
func (w fixture) keepSortKey(but string) {
	w.Helper()
	_, table := w.Raw()
	var items []struct {
		PK string `dynamo:"pk"`
		SK string `dynamo:"sk"`
	}
	w.must(table.Scan().Filter("sk <> ?", but).All(w.Context(), &items))
	for _, item := range items {
		w.must(table.Delete("pk", item.PK).Range("sk", item.SK).Run(w.Context()))
	}
}

// mail expects the mail from Mail.
func (w fixture) mail(m mail.Mail) storedtest.Read { return w.mailOf(w.tenant, m) }

func (w fixture) mailOf(t identity.Tenant, m mail.Mail) storedtest.Read {
	type ofTenant struct {
		Tenant identity.Tenant
		Mail   mail.Mail
	}
	return storedtest.Expect("Mail", ofTenant{t, m}, func(ctx context.Context) (ofTenant, error) {
		of, found, err := w.Mail(ctx, m.ID)
		return ofTenant{of, found}, err
	})
}
