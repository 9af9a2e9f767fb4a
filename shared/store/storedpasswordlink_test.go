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

var storedPasswordLinks = map[string]stored{
	"MailPasswordLink": {
		sets: "ExpiresAt is to the second, and the mail is due at once",
		write: func(w fixture) []storedtest.Read {
			m := w.invite(member.RoleOwner)
			passwords := storedtest.Fill[member.User](w, w.Filler).Passwords
			_, err := w.AcceptInvitation(w.Context(), w.actor(), invitationToken(m.ID, m.Invite.ID),
				func(store.Invitation) (member.Passwords, error) { return passwords, nil })
			w.must(err)
			u, err := w.UserByEmail(w.Context(), m.Email)
			w.must(err)
			w.keepKinds("USER", "EMAIL")
			l := signin.NewPasswordLink("operation", u, w.Now().Add(time.Hour))
			sent := mail.NewPasswordLink(l.ID, u.Email, u.ID)
			w.must(w.MailPasswordLink(w.Context(), identity.Tenant{}, l, "hash", sent))
			sent.Entry, sent.Version = outbox.New(sent.ID, w.Now()), 1
			type linkOf struct {
				Link signin.PasswordLink
				User member.User
			}
			return []storedtest.Read{w.user(u), w.expiries(l.ExpiresAt), w.mailOf(identity.Tenant{}, sent),
				w.dueItems(store.Due{MailID: sent.ID}),
				w.fastPath(map[store.Due]time.Time{{MailID: sent.ID}: sent.NextAt}),
				storedtest.Expect("PasswordLink", linkOf{l, u}, func(ctx context.Context) (linkOf, error) {
					link, user, err := w.PasswordLink(ctx, "hash")
					return linkOf{link, user}, err
				})}
		},
		unseen: storedtest.NotRead{"MAIL write_id": notRead, "MAIL tries": "nothing is read as 0"},
	},
}
