package merchants_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
)

// TestPayout_VerifiedAccount checks that a payout goes to a verified account, and that no log has an account number.
func TestPayout_VerifiedAccount(t *testing.T) {
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

// TestPayout_AccountVerifiedMeanwhile has an account that the sandbox has verified, but no request has read. Payouts
// run by an operator ask the sandbox. Other payouts wait until the sweep has asked.
func TestPayout_AccountVerifiedMeanwhile(t *testing.T) {
	t.Parallel()
	for name, pay := range map[string]func(world.Shop){
		"by schedule": func(s world.Shop) {
			s.Clock.Advance(24 * time.Hour)
			addAccount(s, anotherOfHolder)
			s.RunPayouts()
			s.PassMinute()
			s.Clock.Advance(15 * time.Minute)
			s.RunPayouts()
		},
		"by the operator, at a later time": func(s world.Shop) {
			s.Send("POST", bankAccounts, anotherOfHolder)
			s.Operate(fields{"command": "run_payouts", "at": s.Clock.Now().Add(24 * time.Hour).Format(time.RFC3339)}, nil)
		},
		"on demand": func(s world.Shop) {
			addAccount(s, anotherOfHolder)
			s.Operate(fields{"command": "run_payouts", "merchant_code": s.Merchant.Code, "on_demand": true}, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := world.NewShop(t)
			s.SetPayout(fields{"holder": "Café GmbH", "iban": sandbox.PaidIBAN})
			s.Sell("10")
			pay(s)
			if got := paidTo(s); got != sandbox.LostAnswerIBAN {
				t.Errorf("got a payout to %s, want to the new account", got)
			}
		})
	}
	t.Run("a first one, on demand", func(t *testing.T) {
		t.Parallel()
		s := world.NewShop(t)
		s.Sell("10")
		addAccount(s, holderWithIBAN)
		s.Operate(fields{"command": "run_payouts", "merchant_code": s.Merchant.Code, "on_demand": true}, nil)
		if got := paidTo(s); got != sandbox.PaidIBAN {
			t.Errorf("got a payout to %s, want to the new account", got)
		}
	})
}

// paidTo returns the account of the shop's only payout.
func paidTo(s world.Shop) string {
	s.Helper()
	all := s.PayoutState(s.Merchant).Payouts
	if len(all) != 1 {
		s.Fatalf("got %d payouts, want one", len(all))
	}
	for _, p := range all {
		return p.To.IBAN
	}
	return ""
}
