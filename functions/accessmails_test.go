package functions_test

import (
	"github.com/cashwrap/cashwrap/localstack/world"
	"github.com/cashwrap/cashwrap/shared/app/queue"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/member"
)

// putMail stores a mail and sends its message, as what writes it and relay do.
func putMail(w *world.World, t identity.Tenant, m mail.Mail) {
	w.Helper()
	_, table := w.App.Store.Raw()
	item := struct {
		PK string `dynamo:"pk"`
		SK string `dynamo:"sk"`
		identity.Tenant
		mail.Mail
	}{"MAIL#" + m.ID, "MAIL", t, m.Due(w.Clock.Now())}
	if err := table.Put(item).Run(w.Context()); err != nil {
		w.Fatal(err)
	}
	if err := queue.OpenMails(w.App).Send(w.Context(), t, m.ID, 0); err != nil {
		w.Fatal(err)
	}
}

// invitation is a mail with a link, to the tenant's owner.
func invitation(t identity.Tenant) mail.Mail {
	return mail.NewInvitation("operation", member.NumberOf(member.OwnerID(t)), "ada@example.com", "invite-1")
}

// mails sends an invitation, and has an operator look at it and send it again.
func (e *everything) mails() {
	e.Helper()
	t := e.Tenant()
	m := invitation(t)
	putMail(e.World, t, m)
	e.RunUntilIdle()
	e.Operate(fields{"command": "show_mail", "id": m.ID}, nil)
	e.Operate(fields{"command": "replay_mails", "id": m.ID}, nil)
	e.RunUntilIdle()
}
