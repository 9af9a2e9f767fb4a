// Package merchants is the family of contract §7: a merchant's account, as the
// merchant sees and changes it.
package merchants

import (
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/app/banking"
	"github.com/cashwrap/cashwrap/shared/payoutrunner"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/store"
)

// family is what the operations work with.
type family struct {
	store   *store.Store
	payouts *payoutrunner.Runner // changes what payouts depend on
}

// Routes of the family.
func Routes(a *app.App) []rest.Route {
	f := family{store: a.Store, payouts: banking.Open(a)}
	settings, operators := []string{"user.payout-settings"}, []string{"user.subaccounts"}
	const profile, accounts, account = "/v0.1/me/merchant-profile", "/v0.1/me/accounts", "/v0.1/me/accounts/{operator_id}"
	return []rest.Route{
		{Method: "GET", Path: profile + "/settings", Scopes: settings, Handle: rest.JSON(200, f.settings)},
		{Method: "PUT", Path: profile + "/settings", Scopes: settings, Handle: rest.JSON(200, f.updateSettings)},
		{Method: "GET", Path: accounts, Scopes: operators, Handle: rest.JSON(200, f.listOperators)},
		{Method: "POST", Path: accounts, Scopes: operators, Handle: rest.JSON(201, f.createOperator)},
		{Method: "GET", Path: account, Scopes: operators, Handle: rest.JSON(200, f.retrieveOperator)},
		{Method: "PUT", Path: account, Scopes: operators, Handle: rest.JSON(200, f.updateOperator)},
		{Method: "DELETE", Path: account, Scopes: operators, Handle: rest.JSON(200, f.deleteOperator)},
		{Method: "POST", Path: account + "/disable", Scopes: operators, Handle: rest.JSON(200, f.disableOperator)},
		{Method: "PUT", Path: account + "/reset", Scopes: operators, Handle: rest.JSON(200, f.resetOperatorPassword)},
	}
}
