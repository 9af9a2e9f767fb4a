package mails_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/mail"
)

// TestDailyBound_Strangers checks that a merchant can cause few mails a day to unconfirmed addresses.
func TestDailyBound_Strangers(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for i := range 210 {
		o.PutMail(o.Tenant(), mail.NewAccountDisabled(fmt.Sprint(i), 1, fmt.Sprintf("stranger-%d@example.com", i)))
	}
	o.run()
	if n := len(o.sent()); n != 200 {
		t.Errorf("got %d mails, want 200", n)
	}
	o.changeBankAccount() // this mail goes to the owner and does not count
	o.Clock.Advance(8 * time.Minute)
	o.PutMail(o.Tenant(), mail.NewAccountDisabled("later", 1, "ada@example.com"))
	o.run()
	if n := len(o.sent()); n != 202 {
		t.Errorf("got %d mails, want 202", n)
	}
}

// TestDailyBound_ManagedOwner checks that mails to a managed owner count against the bound like mails to a stranger. A
// merchant creates managed users with any address, and chooses the words of a key's name.
func TestDailyBound_ManagedOwner(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.appoint("stranger@example.com")
	for i := range 210 {
		o.PutMail(o.Tenant(), mail.NewKeyCreated(fmt.Sprint(i), "https://example.com"))
	}
	o.run()
	to := map[string]int{}
	for _, m := range o.sent() {
		to[m.To]++
	}
	if to["stranger@example.com"] != 200 || to[owner] != 210 {
		t.Errorf("got mails to %v, want 200 to the stranger and 210 to the owner", to)
	}
}

// TestDailyBound_BlockedSignIns checks the bound of mails about blocked sign-ins, which strangers cause. When this
// bound is reached, mails about bank accounts are still sent.
func TestDailyBound_BlockedSignIns(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for i := range 15 {
		o.PutMail(o.Tenant(), mail.NewSignInBlocked(fmt.Sprint(i), "ada@example.com", ""))
	}
	o.PutMail(o.Tenant(), mail.NewBankAccountChanged("one", "DE89370400440532013000"))
	o.run()
	if n := len(o.sent()); n != 11 {
		t.Errorf("got %d mails, want 11", n)
	}
}

// TestDailyBound_BankAccountChanges checks the bound of mails about bank accounts. Without it, a merchant could cause
// any number of mails, because each change is mailed to many owners.
func TestDailyBound_BankAccountChanges(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for i := range 60 {
		o.PutMail(o.Tenant(), mail.NewBankAccountChanged(fmt.Sprint(i), "DE89370400440532013000"))
	}
	o.run()
	if n := len(o.sent()); n != 50 {
		t.Errorf("got %d mails, want 50", n)
	}
	o.Clock.Advance(30 * time.Minute)
	o.PutMail(o.Tenant(), mail.NewBankAccountChanged("later", "DE89370400440532013000"))
	o.run()
	if n := len(o.sent()); n != 51 {
		t.Errorf("got %d mails, want 51", n)
	}
}
