package simulator

import (
	"strings"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
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
		tenant, ok := strings.CutSuffix(i.text("pk"), "#PAYOUTSCHEDULE")
		if !ok {
			continue
		}
		t, _ := identity.ParseTenant(tenant)
		owner, next := merchants[t.Merchant], timeOf(i, "next_at")
		settings := owner.object("payouts").object(t.Mode.Name())
		onDemand, _ := settings["on_demand"].(bool)
		calendar := merchant.Merchant{TimeZone: owner.text("time_zone")}.Calendar(t.Mode)
		calendar.Payouts = merchant.PayoutSettings{Period: merchant.PayoutPeriod(settings.text("period")), OnDemand: onDemand}
		if want := calendar.NextCutoff(next.Add(-time.Microsecond)).At; !want.Equal(next) {
			m.find("", "%s waits until %s, which is no cut-off of %v in %s", tenant, next, settings, owner.text("time_zone"))
		}
	}
}
