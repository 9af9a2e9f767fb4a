package access_test

import (
	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/member"
)

// sendMails sends an invitation. An operator shows and replays its mail.
func (e *everything) sendMails() {
	e.Helper()
	by := audit.ByPlatform(audit.Actor{Kind: audit.Command, Request: "request-1"}, "test")
	m, err := e.App.Store.CreateMember(e.Context(), by, e.Tenant(), "ada@example.com", "operation",
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
