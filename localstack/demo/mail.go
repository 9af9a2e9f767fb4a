package demo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/ses"
)

// member is what the demo checks in a member.
type member struct{ ID, Status string }

// invite invites a colleague, reads the mail with the link, and takes the invitation back, so that the demo may be run
// again and again.
func (s *scenario) invite(ctx context.Context) error {
	members := "/v0.1/merchants/" + s.MerchantCode + "/members"
	address := "colleague-" + s.run + "@example.com"
	var m member
	if err := s.call(ctx, "POST", members, object{"email": address, "roles": []string{"role_accountant"}},
		http.StatusCreated, &m); err != nil {
		return err
	}
	if err := s.expect(m.Status == "pending", "a member who is invited"); err != nil {
		return err
	}
	if err := s.readMail(ctx, address); err != nil {
		return err
	}
	return s.call(ctx, "DELETE", members+"/"+m.ID, nil, http.StatusOK, nil)
}

// mailInterval is how often the demo looks for a mail that it waits for.
const mailInterval = 100 * time.Millisecond

// readMail waits for the mail to the address and prints it. In a deployment it is sent to the colleague alone.
func (s *scenario) readMail(ctx context.Context, to string) error {
	if s.Mails == "" {
		s.print.line("  (SES sends its mail.)")
		return nil
	}
	tick := time.NewTicker(mailInterval)
	defer tick.Stop()
	for {
		found, err := s.findMail(to)
		if err != nil || found {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no mail to %s in %s: %w", to, s.Mails, ctx.Err())
		case <-tick.C:
		}
	}
}

// findMail prints the mail to the address, if it is in the folder.
func (s *scenario) findMail(to string) (found bool, err error) {
	files, err := filepath.Glob(filepath.Join(s.Mails, "*.eml"))
	for _, file := range files {
		mail, mailErr := ses.Read(file)
		if mailErr != nil || mail.To != to {
			err = errors.Join(err, mailErr)
			continue
		}
		s.print.line("✉ " + file + "\n  " + mail.Subject + "\n\n" + indented(mail.Text))
		return true, s.expect(strings.Contains(mail.Text, s.API.BaseURL+"/invitations/"),
			"a mail with a link that is valid once")
	}
	return false, err
}
