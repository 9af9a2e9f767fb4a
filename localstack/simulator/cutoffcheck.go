package simulator

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/store"
)

// checkCutoffs sees that each schedule waits for a cut-off of the settings and
// the time zone that its merchant has: they always change together.
func (m *month) checkCutoffs(items []item) {
	merchants := map[string]item{}
	for _, i := range items {
		if i.text("sk") == "MERCHANT" {
			merchants[i.text("code")] = i
		}
	}
	for _, i := range items {
		if i.kind() != store.KindPayoutSchedule {
			continue
		}
		t := partition(i.text("pk")).Tenant
		owner, next := merchants[t.Merchant], timeOf(i, "next_at")
		settings := owner.object("settings").object(t.Mode.Name())
		calendar := merchant.Merchant{TimeZone: owner.text("time_zone")}.Calendar(t.Mode)
		calendar.Settings = merchant.Settings{Period: merchant.PayoutPeriod(settings.text("payout_period"))}
		if want := calendar.NextCutoff(next.Add(-time.Microsecond)).At; !want.Equal(next) {
			m.find("", "%s waits until %s, which is no cut-off of %v in %s", t, next, settings, owner.text("time_zone"))
		}
	}
}
