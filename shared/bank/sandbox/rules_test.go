package sandbox_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jacoelho/banking/iban"

	"github.com/cashwrap/cashwrap/localstack/harness/banktest"
	"github.com/cashwrap/cashwrap/shared/bank"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
)

func TestTransfer_AccountRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		iban  string
		first bank.Outcome
		after time.Duration // time of the outcome
		last  bank.Outcome
		times int // number of payments
	}{
		{"paid", sandbox.PaidIBAN, accepted, 2 * time.Second, paid, 1},
		{"closed", sandbox.ClosedIBAN, rejected("AC04"), 0, rejected("AC04"), 0},
		{"unknown", sandbox.UnknownIBAN, accepted, 30 * time.Second, rejected("AC01"), 0},
		{"bad check digits", "DE00100100100000005678", rejected("AC01"), 0, rejected("AC01"), 0},
		{"no such country", "ZZ17100100100000005678", rejected("AC01"), 0, rejected("AC01"), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newFixture(t)
			o := transferTo("p", c.iban)
			w.mustTransfer(t, o, c.first)
			if c.after > 0 {
				w.Advance(c.after - time.Nanosecond)
				w.mustTransfer(t, o, c.first)
				w.mustHavePaid(t, "p", 0)
				w.Advance(time.Nanosecond)
				w.mustHavePaid(t, "p", 0) // the next call settles the transfer
			}
			for range 2 {
				w.mustTransfer(t, o, c.last)
				w.mustHavePaid(t, "p", c.times)
			}
			w.Advance(24 * time.Hour)
			w.Bank = w.restart()
			w.mustTransfer(t, o, c.last)
			w.mustHavePaid(t, "p", c.times)
		})
	}
}

func TestTransfer_LostAnswer(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	o := transferTo("p", sandbox.LostAnswerIBAN)
	banktest.Unknown(t)(w.Transfer(t.Context(), o))
	w.mustHavePaid(t, "p", 1)
	w.mustTransfer(t, o, accepted)
	w.Advance(30*time.Second - time.Nanosecond)
	w.mustTransfer(t, o, accepted)
	w.Advance(time.Nanosecond)
	for range 2 {
		w.mustTransfer(t, o, paid)
		w.mustHavePaid(t, "p", 1)
	}
}

func TestTransfer_NotTaken(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	none, less := transferTo("p", sandbox.PaidIBAN), transferTo("p", sandbox.PaidIBAN)
	none.Amount, less.Amount = money.Zero("EUR"), money.MustParse("-1", "EUR")
	for name, o := range map[string]bank.Transfer{"4444": transferTo("p", sandbox.NotTakenIBAN), "no money": none,
		"less": less, "no id": transferTo("", sandbox.PaidIBAN)} {
		for range 2 {
			if got, err := w.Transfer(t.Context(), o); !errors.Is(err, bank.ErrNotTaken) || got != (bank.Outcome{}) {
				t.Errorf("%s: got %+v, %v, want no outcome and ErrNotTaken", name, got, err)
			}
		}
	}
	var items []map[string]any
	if err := w.Table.Scan().All(t.Context(), &items); err != nil || len(items) != 0 {
		t.Errorf("got %d items, %v, want none", len(items), err)
	}
	w.mustTransfer(t, transferTo("p", sandbox.PaidIBAN), accepted) // the id is still free
}

func TestTransfer_AccountNumber(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for number, want := range map[string]bank.Outcome{
		"00015678": accepted, "00011111": rejected("AC04"), "00012222": accepted, "": rejected("AC01"),
	} {
		o := transferTo("p"+number, "")
		o.To.AccountNumber, o.To.BankCode = number, "001"
		w.mustTransfer(t, o, want)
	}
	both := transferTo("both", sandbox.PaidIBAN)
	both.To.AccountNumber = "00011111"
	w.mustTransfer(t, both, accepted)
}

func TestTransfer_VerificationEndings(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for _, number := range []string{sandbox.RejectedIBAN, sandbox.UnverifiedIBAN} {
		w.mustTransfer(t, transferTo(number, number), accepted)
		w.Advance(2 * time.Second)
		w.mustTransfer(t, transferTo(number, number), paid)
	}
}

func TestIBANs_ValidAndPayable(t *testing.T) {
	t.Parallel()
	for number, ending := range map[string]string{
		sandbox.PaidIBAN: "5678", sandbox.ClosedIBAN: "1111", sandbox.UnknownIBAN: "2222",
		sandbox.LostAnswerIBAN: "3333", sandbox.NotTakenIBAN: "4444",
		sandbox.RejectedIBAN: "0000", sandbox.UnverifiedIBAN: "9999",
	} {
		a := merchant.BankAccount{IBAN: number, Status: merchant.BankAccountVerified}
		if err := iban.Validate(number); err != nil || !strings.HasSuffix(number, ending) || !a.CanReceive() {
			t.Errorf("%s: got error %v, payable %t, want a valid IBAN that ends in %s and is payable", number, err,
				a.CanReceive(), ending)
		}
	}
}

// TestVerify_AccountRules checks that the account's number determines the verdict, which the bank gives from two
// seconds after the account was added and never changes.
func TestVerify_AccountRules(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for number, want := range map[string]merchant.BankAccountStatus{
		sandbox.PaidIBAN: merchant.BankAccountVerified, sandbox.RejectedIBAN: merchant.BankAccountRejected,
		sandbox.UnverifiedIBAN: merchant.BankAccountPending, sandbox.ClosedIBAN: merchant.BankAccountVerified,
		"": merchant.BankAccountVerified, "0000": merchant.BankAccountRejected, "000": merchant.BankAccountVerified,
	} {
		for _, a := range []merchant.BankAccount{{IBAN: number}, {AccountNumber: number}} {
			for age, want := range map[time.Duration]merchant.BankAccountStatus{0: merchant.BankAccountPending,
				2*time.Second - time.Nanosecond: merchant.BankAccountPending, 2 * time.Second: want, time.Hour: want} {
				of := a
				of.CreatedAt = w.Now().Add(-age)
				if got, err := w.Verify(t.Context(), bank.Verification{Tenant: "T#MC1", Account: of}); err != nil || got != want {
					t.Errorf("%+v after %s: got %s, %v, want %s", a, age, got, err, want)
				}
			}
		}
	}
}
