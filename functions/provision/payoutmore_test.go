package provision_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/payout"
)

// TestRunPayouts_NoTimeLeft checks that the answer says that payouts remain. A repetition, also at the same pretended
// time, runs the remaining payouts, each once.
func TestRunPayouts_NoTimeLeft(t *testing.T) {
	enginetest.InMemory(t)
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newOperator(t)
		t.Cleanup(d.CheckPayouts)
		const merchants = 17 // one of the four shards has five of them, and four are paid at a time
		for i := range merchants {
			m := d.createMerchant(fields{"email": fmt.Sprintf("shop-%d@example.com", i)})
			d.setPayout(m, fields{"holder": "Buch", "iban": sandbox.PaidIBAN})
			d.sell(m, "order", 10, "")
		}
		command, err := json.Marshal(fields{"command": "run_payouts", "mode": "test",
			"at": d.Clock.Now().Add(24 * time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		d.Main().Steps.Slow(faults.Latency{Table: 100 * time.Millisecond, Transaction: 100 * time.Millisecond})
		paid := map[string]bool{}
		const payoutTime = 40 * time.Second // no payout begins in this time
		for calls := 1; ; calls++ {
			ctx, cancel := context.WithTimeout(t.Context(), payoutTime+2*time.Second)
			reply, err := d.Main().Invoke(ctx, "provision", command)
			cancel()
			var answer payoutsAnswer
			if err == nil {
				err = json.Unmarshal(reply, &answer)
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range answer.Payouts {
				if paid[p.Tenant] || p.Status != string(payout.Paid) {
					t.Errorf("got payout %+v, want it paid, and once", p)
				}
				paid[p.Tenant] = true
			}
			if answer.More {
				continue
			}
			if calls == 1 || len(paid) != merchants {
				t.Errorf("got %d payouts in %d calls, want %d in several", len(paid), calls, merchants)
			}
			return
		}
	})
}

// TestRunPayouts_OneFails checks that the command continues with the other shards and reports the failure in the end.
func TestRunPayouts_OneFails(t *testing.T) {
	t.Parallel()
	d := newOperator(t)
	const merchants = 8
	var codes []string
	for i := range merchants {
		m := d.createMerchant(fields{"email": fmt.Sprintf("shop-%d@example.com", i)})
		d.setPayout(m, fields{"holder": "Buch", "iban": sandbox.PaidIBAN})
		d.sell(m, "order", 10, "")
		codes = append(codes, m.Code)
	}
	for i := range 4 * d.App.Store.DueShards() { // so many payouts that the first shards have some
		nobody := identity.Tenant{Mode: identity.Test, Merchant: fmt.Sprintf("MC0000000%d", i)}
		if err := d.App.Store.OpenPayout(t.Context(), nobody, merchant.PayoutSchedule{NextAt: d.Clock.Now()},
			nil); err != nil {
			t.Fatal(err)
		}
	}
	d.Clock.Advance(24 * time.Hour)
	if got := d.runRefused(fields{"command": "run_payouts", "mode": "test"}); got.Code != "NOT_FOUND" {
		t.Errorf("got %+v, want that a merchant was not found", got)
	}
	for _, code := range codes {
		if got := d.PayoutState(world.Merchant{Code: code}).Payouts; len(got) != 1 {
			t.Errorf("%s: got payouts %v, want one", code, got)
		}
	}
}
