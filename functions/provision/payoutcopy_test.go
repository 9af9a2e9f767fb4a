package provision_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/localstack/world"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// carried are the payout settings that a key carries.
func (d desk) carried(plaintext string) merchant.PayoutsByMode {
	d.Helper()
	c, err := d.App.Store.Credential(d.Context(), identity.Hash(plaintext))
	if err != nil {
		d.Fatal(err)
	}
	return c.Merchant.Payouts
}

func TestKeysCarryThePayoutSettings(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	m := d.create(fields{"sandbox": false, "test_key": true})
	weekly, onDemand := merchant.PayoutSettings{Period: merchant.Weekly}, merchant.PayoutSettings{Period: merchant.Daily, OnDemand: true}
	run[fields](d, fields{"command": "set_payout", "merchant_code": m.Code, "period": "weekly"})
	run[fields](d, fields{"command": "set_payout", "merchant_code": m.Code, "mode": "test", "on_demand": true})
	run[fields](d, fields{"command": "update_merchant", "merchant_code": m.Code, "fee_rate": "0.01"})
	later := d.createKey(fields{"merchant_code": m.Code, "name": "till", "scopes": []string{"payments"}})
	want := merchant.PayoutsByMode{Live: weekly, Test: onDemand}
	for name, plaintext := range map[string]string{"live": m.Key.Plaintext, "test": m.TestKey.Plaintext, "later": later.Plaintext} {
		if got := d.carried(plaintext); got != want {
			t.Errorf("the %s key carries %+v", name, got)
		}
	}
}

// The settings are no facts of the command that makes a merchant.
func TestAMerchantIsTheSameWhateverItsPayoutSettings(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	m := d.create(fields{"merchant_code": "MC0000PAYS"})
	run[fields](d, fields{"command": "set_payout", "merchant_code": m.Code, "period": "monthly"})
	if again := d.create(fields{"merchant_code": m.Code}); again.Created {
		t.Errorf("%+v", again)
	}
}

// Wherever the command is cut off, repeating it brings the settings to the keys.
func TestSettingsThatWereCutOffAreCompletedByRepeating(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	cut := 0
	for step := 1; ; step++ {
		m := d.create(nil)
		command := fields{"command": "set_payout", "merchant_code": m.Code, "period": "weekly"}
		p := d.Process()
		p.Steps.Plan(step, world.Crash)
		if _, err := p.Invoke(t.Context(), "provision", encoded(t, command)); err == nil {
			break
		}
		cut++
		run[fields](d, command)
		if got, want := d.carried(m.Key.Plaintext), (merchant.PayoutsByMode{Test: merchant.PayoutSettings{Period: merchant.Weekly}}); got != want {
			t.Errorf("cut off at step %d: %+v", step, got)
		}
	}
	if cut < 6 {
		t.Errorf("cut off %d times", cut)
	}
}
