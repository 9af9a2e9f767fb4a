package merchant

import (
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
)

// PayoutsByMode are the payout settings of a merchant's tenants; the zero
// settings are contract §7.2's.
type PayoutsByMode struct {
	Live PayoutSettings `dynamo:"live"`
	Test PayoutSettings `dynamo:"test"`
}

// With are these with the settings of one mode.
func (p PayoutsByMode) With(mode identity.Mode, s PayoutSettings) PayoutsByMode {
	if mode == identity.Live {
		p.Live = s
	} else {
		p.Test = s
	}
	return p
}

// Calendar tells a tenant's days.
type Calendar struct {
	Payouts PayoutSettings
	Where   *time.Location // the merchant is
}

// Calendar is that of the tenant whose data the credential sees.
func (c Credential) Calendar() Calendar {
	settings := c.Merchant.Payouts.Test
	if c.Tenant.Mode == identity.Live {
		settings = c.Merchant.Payouts.Live
	}
	return Calendar{settings, c.Merchant.Location()}
}

// PayoutDay is that of the first payout which may include what is eligible
// from then on, YYYY-MM-DD (contract §6.7); "" when only an operator's command
// pays it out.
func (c Calendar) PayoutDay(eligible time.Time) string {
	if c.Payouts.OnDemand {
		return ""
	}
	return c.Payouts.NextCutoff(eligible, c.Where).Day
}
