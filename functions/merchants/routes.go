// Package merchants is the family of contract §7: a merchant's account, as the
// merchant sees and changes it.
package merchants

import (
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/app/banking"
	"github.com/cashwrap/cashwrap/shared/payoutrunner"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// family is what the operations work with.
type family struct {
	payouts *payoutrunner.Runner // changes what payouts depend on
}

// Routes of the family.
func Routes(a *app.App) []rest.Route {
	f := family{payouts: banking.Open(a)}
	settings := []string{"user.payout-settings"}
	const profile = "/v0.1/me/merchant-profile"
	return []rest.Route{
		{Method: "GET", Path: profile + "/settings", Scopes: settings, Handle: rest.JSON(200, f.settings)},
		{Method: "PUT", Path: profile + "/settings", Scopes: settings, Handle: rest.JSON(200, f.updateSettings)},
	}
}
