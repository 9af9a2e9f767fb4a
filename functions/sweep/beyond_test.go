package sweep_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/harness/world"
	"github.com/cashwrap/cashwrap/shared/bank/sandbox"
	"github.com/cashwrap/cashwrap/shared/payments"
	"github.com/cashwrap/cashwrap/shared/payout"
	"github.com/cashwrap/cashwrap/shared/store"
)

// TestTick_RolledBackShards checks a deployment that raises the number of due shards to the maximum, and is rolled
// back. Items in the shards beyond the setting are processed within the hour: checkouts expire, callbacks arrive, and
// payouts are opened. The tick also reports such items.
func TestTick_RolledBackShards(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	t.Cleanup(w.CheckPayouts)
	w.Set("DUE_SHARDS", fmt.Sprint(store.MaxDueShards))
	shop := w.Shop().WithCallbacks()
	const many = 8
	var shops []world.Shop
	var expiring []string
	for range many {
		s := shop.NewShop("DE", "EUR", nil)
		s.SetPayout(map[string]any{"holder": "Laden", "iban": sandbox.PaidIBAN})
		s.Sell("10")
		shops = append(shops, s)
		expiring = append(expiring, shop.Create("10", map[string]any{
			"valid_until": w.Clock.Now().Add(24 * time.Hour).Format(time.RFC3339)}))
	}
	w.Set("DUE_SHARDS", "4")
	w.Clock.Advance(24 * time.Hour)
	w.Tick("payoutplan") // opens payouts that happen to be in the four shards
	for range 60 {
		w.Tick("sweep")
		w.DrainQueues()
		w.Clock.Advance(time.Minute)
	}
	for _, id := range expiring {
		c, err := w.App.Store.Checkout(t.Context(), shop.Tenant(), id)
		if err != nil || c.Status != payments.CheckoutExpired || shop.CallbacksReceived(id) != 1 {
			t.Errorf("got a checkout %s (%v) and %d callbacks, want it EXPIRED and one", c.Status, err,
				shop.CallbacksReceived(id))
		}
	}
	for _, s := range shops {
		state := w.PayoutState(s.Merchant)
		if len(state.Payouts) != 1 || len(state.Payables) != 0 {
			t.Errorf("got payouts %v, want one of all payables", state.Payouts)
		}
		for _, p := range state.Payouts {
			if p.Status == payout.Collecting {
				t.Errorf("got %+v, want it sent", p)
			}
		}
	}
	if !strings.Contains(w.Logs.String(), `"due shard beyond the setting"`) {
		t.Error("got no line about a shard beyond the setting, want one")
	}
}
