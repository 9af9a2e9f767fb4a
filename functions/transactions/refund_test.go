package transactions_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/ledger"
)

// checkBalances checks the balances of two accounts: the merchant's and the acquirer's.
func checkBalances(s world.Shop, payable, receivable string) {
	s.Helper()
	for account, want := range map[ledger.Account]string{ledger.MerchantPayable: payable,
		ledger.AcquirerReceivable: receivable} {
		if got := s.Balance(s.Merchant, account, "EUR").String(); got != want {
			s.Errorf("%s: got %s, want %s", account, got, want)
		}
	}
}

func TestRefund_Full(t *testing.T) {
	t.Parallel()
	withEach(t, func(t *testing.T, s world.Shop, f form) {
		p := s.Sell("10.10")
		checkBalances(s, "-9.90", "10.10")
		f.checkDone(t, f.send(s, p, ""))
		wantSummary(s, p, "REFUNDED, REFUND REFUNDED 10.10, PAYOUT_DEDUCTION PENDING 0.20")
		checkBalances(s, "0.20", "0.00")
		conflict.Check(t, f.send(s, p, ""))
		conflict.Check(t, f.send(s, p, "0.01"))
		if got := s.Transaction("id=" + p.ID); got.Text("status") != "SUCCESSFUL" {
			t.Errorf("status: got %s, want SUCCESSFUL", got.Text("status"))
		}
	})
}

func TestRefund_PartialUpToAmount(t *testing.T) {
	t.Parallel()
	withEach(t, func(t *testing.T, s world.Shop, f form) {
		p := s.Sell("10.10")
		f.checkDone(t, f.send(s, p, "0.01"))
		wantSummary(s, p, "REFUNDED, REFUND REFUNDED 0.01, left 10.09")
		f.checkDone(t, f.send(s, p, "10"))
		wantSummary(s, p, "REFUNDED, REFUND REFUNDED 0.01, REFUND REFUNDED 10.00, PAYOUT_DEDUCTION PENDING 0.11, left 0.09")
		if over := f.send(s, p, "0.10"); over.Status != 409 && over.Status != 422 {
			t.Errorf("over the rest: got %d %s, want 409 or 422", over.Status, over.Body)
		}
		f.checkDone(t, f.send(s, p, "0.09"))
		conflict.Check(t, f.send(s, p, "0.01"))
		checkBalances(s, "0.20", "0.00")
	})
}

// TestRefundTransaction_Bodies checks bodies with the amount as a string or null, and bodies with only unknown fields.
func TestRefundTransaction_Bodies(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	for body, left := range map[string]string{
		`{"amount":"2.50"}`: ", left 7.60", `{"amount":2.5}`: ", left 7.60",
		`{"amount":null}`:     ", PAYOUT_DEDUCTION PENDING 0.20",
		`{"reason":"broken"}`: ", PAYOUT_DEDUCTION PENDING 0.20", `{}`: ", PAYOUT_DEDUCTION PENDING 0.20",
		``: ", PAYOUT_DEDUCTION PENDING 0.20",
	} {
		p := s.Sell("10.10")
		s.Want(body, 204, s.Send("POST", "/v0.1/me/refund/"+p.Code, body))
		if seen := summary(s, p); !strings.HasSuffix(seen, left) {
			t.Errorf("%s: got %s, want %s at its end", body, seen, left)
		}
	}
}

// TestRefund_ByCode checks a refund by transaction code instead of id (contract §6.4).
func TestRefund_ByCode(t *testing.T) {
	t.Parallel()
	withEach(t, func(t *testing.T, s world.Shop, f form) {
		p := s.Sell("10.10")
		f.checkDone(t, f.send(s, world.Payment{ID: p.Code}, "1"))
		wantSummary(s, p, "REFUNDED, REFUND REFUNDED 1.00, left 9.10")
	})
}

func TestRefund_InvalidAmount(t *testing.T) {
	t.Parallel()
	withEach(t, func(t *testing.T, s world.Shop, f form) {
		p := s.Sell("10.10")
		for _, amount := range []string{"0", "-1", "0.00", "1.001", "1e1", `"1E+1"`, `"x"`, `""`, "true", "{}",
			strings.Repeat("9", 30)} {
			invalid("amount").Check(t, f.send(s, p, amount))
		}
		wantSummary(s, p, "SUCCESSFUL, left 10.10")
	})
}

func TestRefund_AmountAboveRest(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p := s.Sell("10.10")
	s.Must(204, refundV0(s, p, "2.5"))
	for _, amount := range []string{"7.61", "999999999999.99"} {
		conflict.Check(t, refundV0(s, p, amount))
		world.Refused(422, "INVALID_AMOUNT", "", "unprocessable-entity").Check(t, refundV1(s, p, amount))
		world.Holds(t, refundV1(s, p, amount).Body, map[string]string{
			"errors": `[{"code":"INVALID_AMOUNT","detail":"The amount exceeds what is left to refund.",` +
				`"reason":"amount_too_high","max_refundable_amount":760,"min_refundable_amount":1}]`})
	}
	wantSummary(s, p, "REFUNDED, REFUND REFUNDED 2.50, left 7.60")
}

// TestRefund_CurrencyWithoutDecimals checks that in a currency without decimals the minor unit is the whole unit.
func TestRefund_CurrencyWithoutDecimals(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	hungary := s.NewShop("HU", "HUF", nil)
	p := hungary.Sell("1010")
	var refused struct{ Errors []map[string]any }
	if err := refundV1(hungary, p, "1011").Into(&refused); err != nil || len(refused.Errors) != 1 ||
		refused.Errors[0]["max_refundable_amount"] != 1010.0 || refused.Errors[0]["min_refundable_amount"] != 1.0 {
		t.Errorf("errors: got %v, %v, want one, of 1010 at most and 1 at least", refused.Errors, err)
	}
	invalid("amount").Check(t, refundV0(hungary, p, "0.5"))
}

func TestRefund_UnknownTransaction(t *testing.T) {
	t.Parallel()
	withEach(t, func(t *testing.T, s world.Shop, f form) {
		p := s.Sell("10.10")
		for _, id := range []string{"x", "T000000000", "8c5e7a3e-1111-4111-8111-111111111111", strings.Repeat("x", 900)} {
			notFound.Check(t, f.send(s, world.Payment{ID: id}, ""))
		}
		notFound.Check(t, f.send(s.OtherShop(), p, ""))
		notFound.Check(t, f.send(s.OtherShop(), world.Payment{ID: p.Code}, ""))
		wantSummary(s, p, "SUCCESSFUL, left 10.10")
	})
}

func TestCreateRefund_OtherMerchantsPath(t *testing.T) {
	t.Parallel()
	s := world.NewShop(t)
	p := s.Sell("10.10")
	notFound.Check(t, s.Send("POST", "/v1.0/merchants/"+s.Other.Code+"/payments/"+p.ID+"/refunds", nil))
	wantSummary(s, p, "SUCCESSFUL, left 10.10")
}

func TestRefund_Scope(t *testing.T) {
	t.Parallel()
	withEach(t, func(t *testing.T, s world.Shop, f form) {
		p := s.Sell("10.10")
		for _, scope := range []string{"transactions.read", "transactions.history", "checkouts.write", "payouts.read"} {
			denied.Check(t, f.send(withScope(s, scope), p, "1"))
		}
		for _, scope := range []string{"payments", "refunds.write"} {
			f.checkDone(t, f.send(withScope(s, scope), p, "1"))
		}
	})
}

// TestRefund_UnpaidTransaction checks that only successful transactions can be refunded (contract §6.4).
func TestRefund_UnpaidTransaction(t *testing.T) {
	t.Parallel()
	withEach(t, func(t *testing.T, s world.Shop, f form) {
		failed := s.Pay(s.Create("42.01", nil), s.Card(world.Frictionless))
		waiting := s.Create("10.10", map[string]any{"redirect_url": "https://shop.example/done"})
		pending := s.Pay(waiting, s.Card(world.Challenged))
		conflict.Check(t, f.send(s, failed, ""))
		conflict.Check(t, f.send(s, pending, "1"))
		s.Deactivate(waiting)
		conflict.Check(t, f.send(s, pending, ""))
		wantSummary(s, failed, "FAILED")
		wantSummary(s, pending, "CANCELLED")
	})
}

// TestRefund_Declined checks that money can be refunded after its first refund was declined (42.91, contract §12).
func TestRefund_Declined(t *testing.T) {
	t.Parallel()
	withEach(t, func(t *testing.T, s world.Shop, f form) {
		p := s.Sell("100")
		conflict.Check(t, f.send(s, p, "42.91"))
		wantSummary(s, p, "REFUND_FAILED, REFUND FAILED 42.91, left 100.00")
		checkBalances(s, "-98.05", "100.00")
		f.checkDone(t, f.send(s, p, "100"))
		wantSummary(s, p, "REFUNDED, REFUND FAILED 42.91, REFUND REFUNDED 100.00, PAYOUT_DEDUCTION PENDING 1.95")
		checkBalances(s, "1.95", "0.00")
	})
}

// TestRefund_AcquirerDown checks that a refund changes nothing if the acquirer accepts no requests (42.24, contract
// §12).
func TestRefund_AcquirerDown(t *testing.T) {
	t.Parallel()
	withEach(t, func(t *testing.T, s world.Shop, f form) {
		p := s.Sell("100")
		before := string(s.Transaction("id=" + p.ID).Body)
		got := f.send(s, p, "42.24")
		unavailable.Check(t, got)
		if got.Header.Get("Retry-After") == "" {
			t.Errorf("headers: got %v, want a Retry-After", got.Header)
		}
		if after := string(s.Transaction("id=" + p.ID).Body); after != before {
			t.Errorf("transaction: got\n%s\nwant it unchanged\n%s", after, before)
		}
		f.checkDone(t, f.send(s, p, ""))
		checkBalances(s, "1.95", "0.00")
	})
}

// TestRefund_UnknownOutcome checks that money cannot be refunded again while the outcome of its refund is unknown. With
// the amount 42.25 this lasts 30 s (contract §12).
func TestRefund_UnknownOutcome(t *testing.T) {
	t.Parallel()
	withEach(t, func(t *testing.T, s world.Shop, f form) {
		p := s.Sell("50")
		f.checkDone(t, f.send(s, p, "42.25"))
		wantSummary(s, p, "SUCCESSFUL, REFUND PENDING 42.25, left 7.75")
		if over := f.send(s, p, "7.76"); over.Status < 400 {
			t.Errorf("more than the rest: got %d %s, want 400 or more", over.Status, over.Body)
		}
		f.checkDone(t, f.send(s, p, "7.75"))
		conflict.Check(t, f.send(s, p, ""))
		s.RunUntilIdle()
		wantSummary(s, p, "REFUNDED, REFUND PENDING 42.25, REFUND REFUNDED 7.75")
		s.Clock.Advance(30 * time.Second)
		s.PassMinute()
		wantSummary(s, p, "REFUNDED, REFUND REFUNDED 42.25, REFUND REFUNDED 7.75, PAYOUT_DEDUCTION PENDING 0.98")
		checkBalances(s, "0.98", "0.00")
	})
}
