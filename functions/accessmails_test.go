package functions_test

import (
	"github.com/cashwrap/cashwrap/localstack/world"
	"github.com/cashwrap/cashwrap/shared/app/queue"
	"github.com/cashwrap/cashwrap/shared/audit"
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

// toStranger is a mail that goes to an address alone.
func toStranger() mail.Mail { return mail.NewAccountDisabled("operation", 1, "ada@example.com") }

// mails sends an invitation, and has an operator look at it and send it again.
func (e *everything) mails() {
	e.Helper()
	ctx := audit.As(e.Context(), audit.Actor{Kind: audit.Command, Request: "request-1"}, "test")
	m, err := e.App.Store.CreateMember(ctx, e.Tenant(), "ada@example.com", "operation",
		func(id string, _ member.Roles) (member.Member, error) {
			return member.NewInvited(id, member.Invitation{Email: "ada@example.com", Roles: []string{member.RoleEmployee}},
				"operation", e.App.InvitationToken, e.Clock.Now()), nil
		})
	if err != nil {
		e.Fatal(err)
	}
	e.RunUntilIdle()
	sent := mail.NewInvitation(m.Invite.ID, m.Number(), m.Email, m.Invite.ID)
	e.Operate(fields{"command": "show_mail", "id": sent.ID}, nil)
	e.Operate(fields{"command": "replay_mails", "id": sent.ID}, nil)
	e.RunUntilIdle()
}
