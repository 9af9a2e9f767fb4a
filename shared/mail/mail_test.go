package mail_test

import (
	"slices"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/outbox"
)

var start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// TestNewMail_RepeatedOperation checks that a repeated operation makes the same mail, and that another operation makes
// another mail.
func TestNewMail_RepeatedOperation(t *testing.T) {
	t.Parallel()
	ids := func(operation string) []string {
		parent := mail.NewKeyCreated(operation, "till")
		return []string{mail.NewInvitation(operation, 1, "a@b.c", "i").ID,
			mail.NewAccountDisabled(operation, 1, "a@b.c").ID, parent.ID,
			mail.NewBankAccountChanged(operation, "DE89370400440532013000").ID, parent.To(1, "a@b.c", start).ID,
			parent.To(2, "a@b.c", start).ID, mail.NewReceipt(operation, mail.Receipt, "a@b.c", "1").ID}
	}
	first := ids("1")
	if again := ids("1"); !slices.Equal(first, again) {
		t.Errorf("got %v, then %v, want the same", first, again)
	}
	all := append(slices.Clone(first), ids("2")...)
	slices.Sort(all)
	if len(slices.Compact(all)) != 14 {
		t.Errorf("got %v, want 14 ids", all)
	}
}

// TestNewReceipt_RepeatedOperation checks that an operation makes the same mail when it is repeated after the payment
// was paid.
func TestNewReceipt_RepeatedOperation(t *testing.T) {
	t.Parallel()
	before := mail.NewReceipt("1", mail.PaymentState, "a@b.c", "1")
	after := mail.NewReceipt("1", mail.Receipt, "a@b.c", "1")
	if before.ID != after.ID || before.Kind != mail.PaymentState || after.Kind != mail.Receipt {
		t.Errorf("got %+v and %+v, want one id and two kinds", before, after)
	}
}

func TestNewBankAccountChanged_Number(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]string{"DE89370400440532013000": "3000", "123": "123", "": ""} {
		if got := mail.NewBankAccountChanged("1", number).About; got != want {
			t.Errorf("%q: got %q, want %q", number, got, want)
		}
	}
}

func TestMail_Held(t *testing.T) {
	t.Parallel()
	m := mail.NewAccountDisabled("1", 1, "a@b.c").Due(start)
	for hours, want := range map[int]string{0: outbox.Pending, 167: outbox.Pending, 168: outbox.Dead} {
		if got := m.Held(start.Add(time.Duration(hours) * time.Hour)); got.State != want {
			t.Errorf("after %d h: got %s, want %s", hours, got.State, want)
		}
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{"ada@example.com": true, "jürgen@example.com": true, "": false,
		"a@b.c\r\nBcc: x@y.z": false, "a@b.c, x@y.z": false, "Ada <a@b.c>": false, "a b@c.d": false} {
		if got := mail.Plain(address); got != want {
			t.Errorf("%q: got %t, want %t", address, got, want)
		}
	}
}

// TestMail_ToOwners checks which mails go to all owners. A receipt goes to a payer, who is not a member.
func TestMail_ToOwners(t *testing.T) {
	t.Parallel()
	for want, all := range map[bool][]mail.Mail{
		true: {mail.NewKeyCreated("1", "till"), mail.NewBankAccountChanged("1", "123")},
		false: {mail.NewReceipt("1", mail.Receipt, "a@b.c", "1"), mail.NewInvitation("1", 1, "a@b.c", "i"),
			mail.NewAccountDisabled("1", 1, ""), mail.NewKeyCreated("1", "till").To(1, "a@b.c", start)},
	} {
		for _, m := range all {
			if got := m.ToOwners(); got != want {
				t.Errorf("%+v: got %t, want to all owners: %t", m, got, want)
			}
		}
	}
}
