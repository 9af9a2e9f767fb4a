package mails_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/functions/mails"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/outbox"
	"github.com/cashwrap/cashwrap/shared/signin"
)

func TestSend_BankAccountChanged(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.employ("till@example.com")
	o.changeBankAccount()
	o.run()
	m := o.onlyMail()
	if m.To != owner || m.From != "Cashwrap <no-reply@cashwrap.example>" || m.Times != 1 ||
		m.Subject != "[Test] Bankkonto von Kaffeehaus geändert" || !strings.Contains(m.Text, "3000") {
		t.Errorf("got %+v, want the end of the account's number, once, for %s, in German", m, owner)
	}
	if strings.Contains(m.Text, "0532013000") {
		t.Errorf("got %s, want only the end of the number", m.Text)
	}
	o.changeBankAccount() // the second change is back to the same account
	o.run()
	o.onlyMail()
}

func TestSend_RecordedLanguage(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.Operate(map[string]any{"command": "update_account", "merchant_code": o.Merchant.Code, "account": map[string]any{
		"merchant_profile": map[string]any{"language": "pt-BR"}}}, nil)
	o.changeBankAccount()
	o.run()
	if m := o.onlyMail(); m.Subject != "[Teste] A conta bancária de Kaffeehaus mudou" {
		t.Errorf("got %q, want it in Portuguese", m.Subject)
	}
}

func TestSend_AccountDisabled(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	path := o.employ("till@example.com")
	o.run()
	o.disable(path)
	o.disable(path)
	o.run()
	if m := o.onlyMail(); m.To != "till@example.com" || !strings.Contains(m.Text, "gesperrt") {
		t.Errorf("got %+v, want it for the operator", m)
	}
}

// TestSend_AddressBeforeChange checks that the mail about a changed account goes to the former address. So a person who
// takes over an account cannot hide this from the member.
func TestSend_AddressBeforeChange(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	path := o.employ("till@example.com")
	o.Must(200, o.Send("PUT", path, map[string]any{"disabled": true, "username": "thief@example.com"}))
	o.run()
	if m := o.onlyMail(); m.To != "till@example.com" {
		t.Errorf("got a mail to %s, want till@example.com", m.To)
	}
}

func TestSend_Invitation(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	id := o.invite("ada@example.com")
	invited, err := o.App.Store.Member(t.Context(), o.Tenant(), member.NumberOf(id))
	if err != nil {
		t.Fatal(err)
	}
	o.run()
	m, token := o.onlyMail(), o.App.InvitationToken(id, invited.Invite.ID)
	if identity.Hash(token) != invited.Invite.TokenHash {
		t.Errorf("got the token %s, want that of the hash %s", token, invited.Invite.TokenHash)
	}
	link := "http://cashwrap.test/invitations/" + token
	if m.To != "ada@example.com" || !strings.Contains(m.Text, link+"\n") ||
		!strings.Contains(m.HTML, `<a href="`+link+`">`) || len(token) != 43 {
		t.Errorf("got %+v, want the link %s", m, link)
	}
}

// TestSend_PasswordLinkOver checks that no mail with a link to set a password is sent after the link has expired.
func TestSend_PasswordLinkOver(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	owner := o.Owner()
	u, err := o.App.Store.UserByEmail(t.Context(), owner.Email)
	if err != nil {
		t.Fatal(err)
	}
	for _, after := range []time.Duration{0, signin.PasswordLinkLasts} {
		link := signin.NewPasswordLink("asked for "+after.String(), u, o.Clock.Now().Add(signin.PasswordLinkLasts))
		token := o.App.PasswordToken(link.ID)
		o.Secret("token to set a password", token)
		err := o.App.Store.MailPasswordLink(t.Context(), identity.Tenant{}, link, identity.Hash(token),
			mail.NewPasswordLink(link.ID, u.Email, u.ID))
		if err != nil {
			t.Fatal(err)
		}
		o.Clock.Advance(after)
		before := len(o.sent())
		o.RunUntilIdle()
		got := o.sent()[before:]
		if want := after == 0; len(got) > 0 != want || want && !strings.Contains(got[0].Text, "/password/"+token) {
			t.Errorf("%s later: got mails %+v, want one with the link: %t", after, got, want)
		}
	}
}

// TestSend_InvitationOver checks that no mail is sent once the member was deleted or has accepted, or the invitation
// has expired.
func TestSend_InvitationOver(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for want, end := range map[string]func(o office, number int32) error{
		"invitation withdrawn": func(o office, number int32) error {
			_, err := o.App.Store.DeleteMember(ctx, world.ByTest, o.Tenant(), number, "deletion", member.EndKeys,
				func(member.Member, member.Roles) error { return nil })
			return err
		},
		"invitation accepted": func(o office, number int32) error {
			_, err := o.App.Store.UpdateMember(ctx, world.ByTest, o.Tenant(), number, "", member.EndKeys,
				func(m member.Member, _ member.Roles) (member.Member, error) {
					return m.Accepted(member.User{ID: member.UserID("user")}, o.Clock.Now()), nil
				})
			return err
		},
		"invitation expired": func(o office, _ int32) error {
			o.Clock.Advance(member.InviteLasts)
			return nil
		},
	} {
		o := newOffice(t)
		number, id := member.NumberOf(o.invite("ada@example.com")), o.dueMail()
		if err := end(o, number); err != nil {
			t.Fatal(err)
		}
		o.sendMessage(id)
		o.run()
		if got := o.readMail(id); len(o.sent()) != 0 || got.State != outbox.Dropped || got.LastError != want {
			t.Errorf("%s: got %d mails and %+v, want none, and it dropped", want, len(o.sent()), got)
		}
	}
}

// TestSend_FaultAtEachStep checks that no mail is lost when a call fails, or when the process dies after a call. A mail
// is sent twice only if no process can know that the service took it.
func TestSend_FaultAtEachStep(t *testing.T) {
	t.Parallel()
	world.Everywhere(t, 6, func(step int, fault faults.Fault) []string { return crashAt(t, step, fault) })
}

// crashAt runs a process with the fault at one step, checks how often the mail is sent, and returns the steps.
func crashAt(t *testing.T, step int, fault faults.Fault) []string {
	t.Helper()
	o := newOffice(t)
	o.changeBankAccount()
	p := o.Process()
	p.Steps.Plan(step, fault)
	for range 3 { // the change, the mail to all, the mail to one
		_, _ = p.DrainStream(t.Context())
		_, _ = p.DrainQueues(t.Context())
	}
	taken := p.Steps.Taken()
	for range 4 {
		o.PassMinute()
	}
	last := ""
	if len(taken) >= step {
		last = taken[step-1]
	}
	m, unknown := o.onlyMail(), last == "SendEmail" && (fault == faults.LoseReply || fault == faults.DieAfter)
	if m.To != owner || m.Times > 1 != unknown || m.Times > 2 {
		t.Errorf("%s at step %d (%s): got it %d times to %s, want it once, or twice if nobody knows", fault, step, last,
			m.Times, m.To)
	}
	return taken
}

// TestSend_RepeatedMessages checks that a mail is sent once, even if its messages are repeated before and after that.
func TestSend_RepeatedMessages(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.changeBankAccount()
	parent := o.dueMail()
	for range 3 {
		o.sendMessage(parent)
	}
	o.run()
	for range 3 {
		o.sendMessage(parent)
		o.sendMessage(o.onlyMail().ID)
	}
	o.run()
	o.PassMinute()
	if m := o.onlyMail(); m.Times != 1 {
		t.Errorf("got it %d times, want once", m.Times)
	}
}

// TestSend_LostByStream checks that the sweep sends a mail whose message was lost.
func TestSend_LostByStream(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.changeBankAccount()
	for range 2 { // the mail to all, the mail to one
		o.Clock.Advance(time.Minute)
		o.Tick("sweep")
		o.DrainQueues()
	}
	o.onlyMail()
}

// TestSend_Outage checks that a mail is tried at the times of contract §11.3, until it is dead. An operator can replay
// a dead mail.
func TestSend_Outage(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"TooManyRequestsException", "SendingPausedException", "MessageRejected",
		"InternalServiceErrorException"} {
		o := newOffice(t)
		o.RefuseMails(func(string) string { return code })
		o.disable(o.employ("till@example.com"))
		id := o.dueMail()
		o.run()
		began := o.Clock.Now()
		if m := o.readMail(id); m.State != outbox.Pending || m.Tries != 1 || m.LastError != code ||
			!m.NextAt.Equal(began.Add(time.Minute)) {
			t.Errorf("%s: got %+v, want it owed in a minute", code, m)
		}
		for o.Clock.Now().Before(began.Add(73 * time.Hour)) {
			o.Clock.Advance(time.Hour)
			o.RunUntilIdle()
		}
		if m := o.readMail(id); m.State != outbox.Dead || m.LastError != code || len(o.sent()) != 0 {
			t.Errorf("%s: got %+v and %d mails, want it dead and none", code, m, len(o.sent()))
		}
		o.wantLog("mail given up")
		o.RefuseMails(func(string) string { return "" })
		var done struct{ Replayed int }
		o.Operate(map[string]any{"command": "replay_mails", "id": id}, &done)
		o.run()
		if m := o.onlyMail(); done.Replayed != 1 || m.ID != id || o.readMail(id).State != outbox.Delivered {
			t.Errorf("%s: got %d replayed and %+v, want the same mail", code, done.Replayed, m)
		}
	}
}

// TestSend_Refused checks that a refused mail is not sent again, and raises no alarm of dead mails.
func TestSend_Refused(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.RefuseMails(func(string) string { return "BadRequestException" })
	o.disable(o.employ("till@example.com"))
	id := o.dueMail()
	o.run()
	m := o.readMail(id)
	if m.State != outbox.Dropped || m.LastError != "BadRequestException" || m.IsDue(o.Clock.Now().Add(1000*time.Hour)) {
		t.Errorf("got %+v, want it dropped", m)
	}
	if o.wantLog("mail dropped"); strings.Contains(o.Logs.String(), "till@example.com") {
		t.Errorf("got the address in the log %s, want it only in the table", o.Logs)
	}
}

// TestSend_InterruptedTry checks that an interrupted try counts as failed. Otherwise a mail that kills each process
// would be tried without end.
func TestSend_InterruptedTry(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.disable(o.employ("till@example.com"))
	id, began := o.dueMail(), o.Clock.Now()
	cutOff := func() {
		p, step := o.Process(), sendStep
		if o.readMail(id).Tries > 0 { // a later try does not count against the bound
			step--
		}
		p.Steps.Plan(step, faults.DieAfter)
		_, _ = p.DrainQueues(t.Context())
	}
	o.ReadStream()
	cutOff()
	if m := o.readMail(id); m.State != outbox.Sending || m.Tries != 1 {
		t.Fatalf("got %+v, want a try of unknown outcome", m)
	}
	o.sendMessage(id)
	o.run()
	if got := o.onlyMail().Times; got != 1 {
		t.Errorf("while the try may still run: got it %d times, want once", got)
	}
	for o.Clock.Now().Before(began.Add(100 * time.Hour)) {
		o.Clock.Advance(10 * time.Minute)
		o.Tick("sweep")
		cutOff()
	}
	if m := o.readMail(id); m.State != outbox.Dead || m.Tries > 11 || o.onlyMail().Times > 11 {
		t.Errorf("got it %d times and %+v, want it dead after at most 11 tries", o.onlyMail().Times, m)
	}
}

// sendStep is the number of the step that sends one mail to a member. The five steps before it read the mail, its
// merchant and the merchant's account, take a token of the bound, and record the try.
const sendStep = 6

// TestSend_WithoutSender checks that mails are held until a sender is set.
func TestSend_WithoutSender(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.Set("MAIL_FROM", "")
	o.disable(o.employ("till@example.com"))
	id := o.dueMail()
	o.run()
	if m := o.readMail(id); m.State != outbox.Pending || m.Tries != 0 || len(o.sent()) != 0 {
		t.Errorf("got %+v and %d mails, want it owed and none", m, len(o.sent()))
	}
	o.wantLog("mail held")
	o.Set("MAIL_FROM", "no-reply@cashwrap.example")
	o.Clock.Advance(time.Hour)
	o.RunUntilIdle()
	if m := o.onlyMail(); m.Times != 1 {
		t.Errorf("got it %d times, want once", m.Times)
	}
}

// TestSend_HeldForAWeek checks that a mail held for a week is dead, which raises an alarm.
func TestSend_HeldForAWeek(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.Set("MAIL_FROM", "")
	o.disable(o.employ("till@example.com"))
	id := o.dueMail()
	for range 8 * 24 / 4 {
		o.Clock.Advance(4 * time.Hour)
		o.RunUntilIdle()
	}
	if m := o.readMail(id); m.State != outbox.Dead {
		t.Errorf("got %+v, want it dead", m)
	}
}

// TestSend_MoreThanMaxOwners checks that only the oldest owners get a mail.
func TestSend_MoreThanMaxOwners(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for i := range mail.MaxOwners + 3 {
		o.Clock.Advance(time.Millisecond)
		address := fmt.Sprintf("owner-%d@example.com", i)
		_, err := o.App.Store.CreateMember(o.Context(), world.ByTest, o.Tenant(), address, fmt.Sprint("op", i),
			func(id string, _ member.Roles) (member.Member, error) {
				m := member.NewOwner(o.Tenant(), address, member.User{}, o.Clock.Now())
				m.ID = id
				return m, nil
			})
		if err != nil {
			t.Fatal(err)
		}
	}
	o.changeBankAccount()
	o.run()
	sent := o.sent()
	for _, m := range sent {
		if strings.HasPrefix(m.To, fmt.Sprintf("owner-%d@", mail.MaxOwners-1)) {
			t.Errorf("got a mail to %s, want only to the first %d", m.To, mail.MaxOwners)
		}
	}
	if len(sent) != mail.MaxOwners {
		t.Errorf("got %d mails, want %d", len(sent), mail.MaxOwners)
	}
}

func TestSend_UnknownMail(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.sendMessage("mail_unknown")
	o.run()
	o.wantLog("message of an unknown mail dropped")
	if err := mails.Send(app.New(o.App.Config, app.Overrides{}))(t.Context(), `{"mail":""}`); err != nil {
		t.Errorf("got error %v, want the message dropped", err)
	}
}
