package mails_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/aws/ses"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/signin"
)

const adaAddress = "ada@example.com"

// blockSignIn stores the mail that tells that passwords for a sign-in name are refused, and sends all mails that
// result.
func (o office) blockSignIn(name, merchant string) {
	o.Helper()
	n := signin.ParseName(name, merchant)
	account, err := o.App.Store.SignInAccount(o.Context(), n, identity.Test)
	if err == nil {
		err = o.App.Store.ReportSignIn(o.Context(), n.Subject(identity.Test), account)
	}
	if err != nil {
		o.Fatal(err)
	}
	o.run()
}

// recipients returns the addresses of all mails so far.
func (o office) recipients() []string {
	to := []string{}
	for _, m := range o.sent() {
		to = append(to, m.To)
	}
	return to
}

// TestSignInBlocked_MailToOwners checks that owners get one mail a day for each account, and none for an unknown name.
func TestSignInBlocked_MailToOwners(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.Person(adaAddress, member.RoleEmployee)
	o.employ("till@example.com")
	profile := o.TestProfile("Card")
	o.run()
	before := len(o.sent())
	for range 2 {
		o.blockSignIn("eve@example.com", "")
		o.blockSignIn("till@example.com", "") // an unknown name without the merchant's code
		o.blockSignIn(adaAddress, "")
		o.blockSignIn(adaAddress, o.Merchant.Code) // the same account
		o.blockSignIn("till@example.com", o.Merchant.Code)
		o.blockSignIn(profile.Username(o.Tenant()), "")
	}
	about := map[string]int{}
	for _, m := range o.sent()[before:] {
		for _, name := range []string{adaAddress, "till@example.com", profile.Username(o.Tenant()), "eve@example.com"} {
			if strings.Contains(m.Subject, name) {
				about[name+" to "+m.To]++
			}
		}
	}
	want := map[string]int{adaAddress + " to " + owner: 1, "till@example.com to " + owner: 1,
		profile.Username(o.Tenant()) + " to " + owner: 1}
	if diff := cmp.Diff(want, about); diff != "" || len(o.sent())-before != 3 {
		t.Errorf("got %d mails (-want +got):\n%s", len(o.sent())-before, diff)
	}
	o.Clock.Advance(24 * time.Hour)
	o.blockSignIn(adaAddress, "")
	if n := len(o.sent()) - before; n != 4 {
		t.Errorf("the next day: got %d mails, want 4", n)
	}
}

// TestSignInBlocked_UserOfManyMerchants checks that the owners of only five of the user's merchants get a mail.
func TestSignInBlocked_UserOfManyMerchants(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	m := o.Person(adaAddress, member.RoleEmployee)
	for range 6 {
		other := o.NewShop("DE", "EUR", nil)
		o.Join(other, m, member.RoleEmployee)
	}
	o.run()
	before := len(o.sent())
	o.blockSignIn(adaAddress, "")
	if got := o.recipients()[before:]; len(got) != 5 {
		t.Errorf("got mails to %v, want 5", got)
	}
}

// TestSignInBlocked_UserOfBothModes checks that only the owners in live mode get a mail.
func TestSignInBlocked_UserOfBothModes(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.Person(adaAddress, member.RoleEmployee)
	o.PersonWith(identity.Tenant{Mode: identity.Live, Merchant: o.Merchant.Code}, adaAddress, "correct horse battery")
	o.run()
	before := len(o.sent())
	o.blockSignIn(adaAddress, "")
	got := o.sent()[before:]
	if len(got) == 0 || slices.ContainsFunc(got, func(m ses.Mail) bool { return strings.HasPrefix(m.Subject, "[Test]") }) {
		t.Errorf("got mails %+v, want some of live mode only", got)
	}
}

// TestSignInBlocked_FormerMember checks that no owner gets a mail about a person who was a member before.
func TestSignInBlocked_FormerMember(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	m := o.Person(adaAddress, member.RoleEmployee)
	if r := o.Send("DELETE", "/v0.1/merchants/"+o.Merchant.Code+"/members/"+m.ID, nil); r.Status >= 300 {
		t.Fatalf("got %d %s", r.Status, r.Body)
	}
	o.run()
	before := len(o.sent())
	o.blockSignIn(adaAddress, "")
	if got := o.recipients()[before:]; len(got) != 0 {
		t.Errorf("got mails to %v, want none", got)
	}
}

// TestSignInBlocked_FaultAtEachStep kills the process at each step in turn, and checks that each mail is sent once.
func TestSignInBlocked_FaultAtEachStep(t *testing.T) {
	t.Parallel()
	for step, more := 1, true; more; step++ {
		o := newOffice(t)
		o.Person(adaAddress, member.RoleEmployee)
		o.run()
		before := o.recipients()
		account, err := o.App.Store.SignInAccount(t.Context(), signin.ParseName(adaAddress, ""), identity.Test)
		if err == nil {
			err = o.App.Store.ReportSignIn(t.Context(), adaAddress, account)
		}
		if err != nil {
			t.Fatal(err)
		}
		p := o.Process()
		p.Steps.Plan(step, faults.DieBefore)
		_, _ = p.DrainStream(t.Context())
		_, _ = p.DrainQueues(t.Context())
		more = len(p.Steps.Taken()) >= step
		for range 4 {
			o.PassMinute()
		}
		if got := o.recipients()[len(before):]; !slices.Equal(got, []string{owner}) {
			t.Errorf("step %d: got mails to %v, want one to %s", step, got, owner)
		}
	}
}
