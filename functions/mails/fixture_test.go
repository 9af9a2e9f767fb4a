package mails_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/ses"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/app/queue"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/member"
)

// owner is the owner of each world's merchant.
const owner = "kaffee@example.com"

// office is a shop and its mails.
type office struct{ world.Shop }

func newOffice(t *testing.T) office { return office{world.NewShop(t)} }

// changeBankAccount causes a mail to all owners.
func (o office) changeBankAccount() {
	o.Helper()
	o.SetPayout(map[string]any{"holder": "Kaffeehaus", "iban": "DE89370400440532013000"})
}

// employ creates an operator and returns its path.
func (o office) employ(username string) string {
	o.Helper()
	o.Secret("password", "correct horse battery")
	r := o.Send("POST", "/v0.1/me/accounts", map[string]any{"username": username, "password": "correct horse battery"})
	var made struct{ ID int32 }
	if err := r.Into(&made); err != nil || made.ID == 0 {
		o.Fatalf("create an operator: %d %s, error %v", r.Status, r.Body, err)
	}
	return fmt.Sprintf("/v0.1/me/accounts/%d", made.ID)
}

// appoint creates an owner who is a managed user.
func (o office) appoint(email string) {
	o.Helper()
	o.Secret("password", "correct horse battery")
	o.Must(201, o.Send("POST", "/v0.1/merchants/"+o.Merchant.Code+"/members", map[string]any{"email": email,
		"roles": []string{member.RoleOwner}, "is_managed_user": true, "password": "correct horse battery"}))
}

func (o office) disable(path string) {
	o.Helper()
	o.Must(200, o.Send("PUT", path, map[string]any{"disabled": true}))
}

// run makes everything happen that is due by now, without the sweep.
func (o office) run() {
	o.Helper()
	for o.Relay() > 0 {
	}
}

// sent returns the mails that were sent, each once.
func (o office) sent() []ses.Mail { return o.Mails.Sent() }

// onlyMail returns the only mail that was sent.
func (o office) onlyMail() ses.Mail {
	o.Helper()
	sent := o.sent()
	if len(sent) != 1 {
		o.Fatalf("got mails %+v, want one", sent)
	}
	return sent[0]
}

// dueMail returns the id of the only mail that is due.
func (o office) dueMail() (id string) {
	o.Helper()
	for shard := range o.App.Store.DueShards() {
		for d, err := range o.App.Store.Overdue(o.Context(), shard, o.Clock.Now().Add(1000*time.Hour)) {
			switch {
			case err != nil:
				o.Fatal(err)
			case d.MailID != "" && id != "":
				o.Fatalf("got mails %s and %s due, want one", id, d.MailID)
			case d.MailID != "":
				id = d.MailID
			}
		}
	}
	if id == "" {
		o.Fatal("got no mail due, want one")
	}
	return id
}

func (o office) readMail(id string) mail.Mail {
	o.Helper()
	_, m, err := o.App.Store.Mail(o.Context(), id)
	if err != nil {
		o.Fatal(err)
	}
	return m
}

// invite invites a person and returns the member's id.
func (o office) invite(email string) string {
	o.Helper()
	m, err := o.App.Store.CreateMember(o.Context(), world.ByTest, o.Tenant(), member.Address(email), email,
		func(id string, _ member.Roles) (member.Member, error) {
			return member.NewInvited(id, member.Invitation{Email: email, Roles: []string{member.RoleEmployee}}, email,
				o.App.InvitationToken, o.Clock.Now()), nil
		})
	if err != nil {
		o.Fatal(err)
	}
	o.Secret("token of an invitation", o.App.InvitationToken(m.ID, m.Invite.ID))
	return m.ID
}

func (o office) wantLog(text string) {
	o.Helper()
	if log := o.Logs.String(); !strings.Contains(log, text) {
		o.Errorf("got log %s, want %s in it", log, text)
	}
}

// sendMessage sends another queue message for the mail, as relay and sweep do.
func (o office) sendMessage(id string) {
	o.Helper()
	if err := queue.OpenMails(o.App).SendLater(o.Context(), o.Tenant(), app.MailMessage{ID: id}, 0); err != nil {
		o.Fatal(err)
	}
}
