package payments_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/payments"
)

// payableFrom returns the times from which twelve instalments of a payment may be paid out.
func payableFrom(t rapid.TB, at time.Time) []time.Time {
	c := newCheckout()
	c.Amount, c.Payee.PayoutPlan = money.MustParse("120", "BRL"), merchant.TrueInstallment
	a := attemptFor("attempt-1", payments.CardMethod)
	a.Installments = 12
	c, err := c.Begin(a, payments.Source{}, at)
	if err != nil {
		t.Fatal(err)
	}
	change, _ := c.Settle(a.ID, payments.Outcome{Decision: payments.Approved}, "msg", payments.Session{}, at)
	times := make([]time.Time, len(change.Payables))
	for i, payable := range change.Payables {
		times[i] = payable.EligibleAt
	}
	return times
}

// TestPayoutParts_EndOfMonth checks that an instalment falls on the last day of a month that is too short. No month is
// without an instalment, and no month has two.
func TestPayoutParts_EndOfMonth(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ paid, want string }{
		{"2027-01-31", "01-31 02-28 03-31 04-30 05-31 06-30 07-31 08-31 09-30 10-31 11-30 12-31"},
		{"2028-01-30", "01-30 02-29 03-30 04-30 05-30 06-30 07-30 08-30 09-30 10-30 11-30 12-30"},
		{"2026-08-29", "08-29 09-29 10-29 11-29 12-29 01-29 02-28 03-29 04-29 05-29 06-29 07-29"},
		{"2026-12-31", "12-31 01-31 02-28 03-31 04-30 05-31 06-30 07-31 08-31 09-30 10-31 11-30"},
		{"2027-02-28", "02-28 03-28 04-28 05-28 06-28 07-28 08-28 09-28 10-28 11-28 12-28 01-28"},
	} {
		at, err := time.Parse(time.RFC3339, c.paid+"T22:15:30Z")
		if err != nil {
			t.Fatal(err)
		}
		var got string
		for i, due := range payableFrom(t, at) {
			if i > 0 {
				got += " "
			}
			got += due.Format("01-02")
			if due.Format(time.TimeOnly) != "22:15:30" {
				t.Errorf("paid %s: got %s, want it at 22:15:30", c.paid, due)
			}
		}
		if got != c.want {
			t.Errorf("paid %s:\ngot  %s\nwant %s", c.paid, got, c.want)
		}
	}
}

// TestPayoutParts_OnePerMonth checks that each month has one instalment, for any time of payment.
func TestPayoutParts_OnePerMonth(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(1_700_000_000, 2_200_000_000).Draw(t, "at"), 0).UTC()
		due := payableFrom(t, at)
		for i := range due {
			if months := 12*(due[i].Year()-at.Year()) + int(due[i].Month()-at.Month()); months != i {
				t.Fatalf("instalment %d of %s: got it due on %s, want %d months later, not %d", i+1, at, due[i], i, months)
			}
		}
		if !slices.IsSortedFunc(due, time.Time.Compare) {
			t.Fatalf("got instalments due %v, want them in order", due)
		}
	})
}
