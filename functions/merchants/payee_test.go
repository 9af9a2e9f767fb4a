package merchants_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/world"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
)

// TestAPayoutGoesToTheVerifiedAccount, and no log has a number.
func TestAPayoutGoesToTheVerifiedAccount(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	t.Cleanup(s.CheckPayouts)
	paidTo := map[string]int{}
	for _, step := range []struct {
		account fields
		to      string
	}{{holderWithIBAN, sandbox.PaidIBAN}, {rejectedOfHolder, sandbox.PaidIBAN},
		{anotherOfHolder, sandbox.LostAnswerIBAN}} {
		addAccount(s, step.account)
		s.PassMinute()
		s.Sell("10")
		s.Clock.Advance(24 * time.Hour)
		s.RunPayouts()
		s.Clock.Advance(time.Hour)
		s.RunPayouts()
		paidTo[step.to]++
	}
	got := map[string]int{}
	for _, p := range s.PayoutState(s.Merchant).Payouts {
		if got[p.To.IBAN]++; p.Status != "PAID" {
			t.Errorf("got %+v, want it PAID", p)
		}
	}
	if !maps.Equal(got, paidTo) {
		t.Errorf("got payouts to %v, want %v", got, paidTo)
	}
	for _, number := range []string{sandbox.PaidIBAN, sandbox.RejectedIBAN, sandbox.LostAnswerIBAN} {
		if strings.Contains(s.Logs.String(), number) {
			t.Errorf("got a log with %s, want none", number)
		}
	}
}
