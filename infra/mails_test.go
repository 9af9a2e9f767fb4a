package main

import (
	"strings"
	"testing"

	"github.com/cashwrap/cashwrap/functions"
)

// TestAllowMails checks that only one function may send mails, and only from the stage's address. In a stage without an
// address, no function may send mails.
func TestAllowMails(t *testing.T) {
	t.Parallel()
	for stage, s := range map[string]*synthesis{dev: inDev(t), prod: inProd(t)} {
		for _, f := range functions.All {
			_, allowed := s.roleOf(t, stage, f.Name)
			rights := allowed["ses:SendEmail"]
			_, function := s.function(t, stage, f.Name)
			from := asObject(asObject(function.Properties["Environment"])["Variables"])["MAIL_FROM"]
			if stage == dev || f.Name != "mails" {
				if len(rights) > 0 || from != nil {
					t.Errorf("%s %s: got rights %v and sender %v, want none", stage, f.Name, rights, from)
				}
				continue
			}
			const address, condition = "Cashwrap <no-reply@mail.example.com>",
				`if {"StringEquals":{"ses:FromAddress":"no-reply@mail.example.com"}}`
			if len(rights) != 1 || !strings.HasSuffix(rights[0], condition) ||
				!strings.Contains(rights[0], "identity/mail.example.com") || from != address {
				t.Errorf("got rights %v and sender %v, want that of mail.example.com %s and %s", rights, from, condition, address)
			}
		}
	}
	for action := range func() map[string][]string { _, all := inProd(t).roleOf(t, prod, "mails"); return all }() {
		if strings.HasPrefix(action, "ses:") && action != "ses:SendEmail" {
			t.Errorf("got the right to %s, want only ses:SendEmail", action)
		}
	}
}
