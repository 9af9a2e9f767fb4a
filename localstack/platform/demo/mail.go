package demo

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/ses"
	"github.com/cashwrap/cashwrap/localstack/platform/steps"
)

type member struct{ ID, Status string }

// invite invites a colleague, reads the mail's link and withdraws the invitation, so that the demo can run again.
func (s *scenario) invite() {
	members := "/v0.1/merchants/" + s.MerchantCode + "/members"
	address := "colleague-" + s.run + "@example.com"
	var m member
	s.call("POST", members, object{"email": address, "roles": []string{"role_accountant"}}, http.StatusCreated, &m)
	s.expect(m.Status == "pending", "a member who is invited")
	s.readMail(address)
	s.call("DELETE", members+"/"+m.ID, nil, http.StatusOK, nil)
}

const mailInterval = 100 * time.Millisecond

// readMail waits for the mail to an address and prints it. In a deployment only the colleague gets that mail.
func (s *scenario) readMail(to string) {
	if s.Mails == "" {
		s.print.line("  (SES sends its mail.)")
		return
	}
	tick := time.NewTicker(mailInterval)
	defer tick.Stop()
	for !s.findMail(to) {
		select {
		case <-s.ctx.Done():
			steps.Check(fmt.Errorf("no mail to %s in %s: %w", to, s.Mails, s.ctx.Err()))
		case <-tick.C:
		}
	}
}

func (s *scenario) findMail(to string) (found bool) {
	files, err := filepath.Glob(filepath.Join(s.Mails, "*.eml"))
	for _, file := range files {
		mail, mailErr := ses.Read(file)
		if mailErr != nil || mail.To != to {
			err = errors.Join(err, mailErr)
			continue
		}
		s.print.line("✉ " + file + "\n  " + mail.Subject + "\n\n" + indented(mail.Text))
		s.expect(strings.Contains(mail.Text, s.API.BaseURL+"/invitations/"), "a mail with a link that is valid once")
		return true
	}
	steps.Check(err)
	return false
}
