// Package merchants serves contract §7: a merchant's account, as the merchant sees it. Routes lists the routes.
package merchants

import (
	"context"
	"time"

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/app/banking"
	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/payout/run"
	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/store"
)

type storage interface {
	Account(ctx context.Context, code string) (account.Account, error)
	CreateMember(ctx context.Context, by audit.By, t identity.Tenant, address, operation string,
		create func(id string, roles member.Roles) (member.Member, error)) (member.Member, error)
	DeleteMember(ctx context.Context, by audit.By, t identity.Tenant, number int32, operation string, keys member.Keys,
		check func(member.Member, member.Roles) error) (member.Member, error)
	Member(ctx context.Context, t identity.Tenant, number int32) (member.Member, error)
	Members(ctx context.Context, t identity.Tenant) ([]member.Member, error)
	Now() time.Time
	PasswordOf(t identity.Tenant, operation string, text secret.Text) *store.NewPassword
	RolesOf(ctx context.Context, t identity.Tenant, members ...member.Member) (member.Roles, error)
	UpdateMember(ctx context.Context, by audit.By, t identity.Tenant, number int32, address string, keys member.Keys,
		change func(member.Member, member.Roles) (member.Member, error)) (member.Member, error)
}

type family struct {
	store   storage
	payouts *run.Runner // runs changes that payouts depend on
}

// Routes returns the routes of the family.
func Routes(a *app.App) []rest.Route {
	f := family{store: a.Store, payouts: banking.Open(a)}
	settings, operators := []string{"user.payout-settings"}, []string{"user.subaccounts"}
	read := []string{"user.profile", "user.profile_readonly"}
	bankAccounts := append([]string{"user.payout-settings"}, read...)
	const profile, accounts, account = "/v0.1/me/merchant-profile", "/v0.1/me/accounts", "/v0.1/me/accounts/{operator_id}"
	const view, manage = identity.FullTransactionHistoryView, identity.MembersWrite
	const merchant = "/v1/merchants/{merchant_code}"
	const people = identity.MembersRead // this permission also covers the persons behind the merchant
	persons := []identity.Permission{people}
	return []rest.Route{
		{Method: "GET", Path: "/v0.1/me", Scopes: read, Partial: []identity.Permission{view, people},
			Handle: rest.JSON(200, f.retrieveMyAccount)},
		{Method: "GET", Path: "/v0.1/me/personal-profile", Scopes: read, Partial: persons,
			Handle: rest.JSON(200, f.retrieveMyPersonalProfile)},
		{Method: "GET", Path: profile, Scopes: read, Partial: persons, Handle: rest.JSON(200, f.retrieveMyMerchantProfile)},
		{Method: "GET", Path: profile + "/doing-business-as", Scopes: read, Partial: persons,
			Handle: rest.JSON(200, f.retrieveMyDoingBusinessAs)},
		{Method: "GET", Path: merchant, Scopes: read, Handle: rest.JSON(200, f.retrieveMerchant)},
		{Method: "GET", Path: merchant + "/persons", Scopes: read, Permission: people, Handle: rest.JSON(200, f.listPersons)},
		{Method: "GET", Path: merchant + "/persons/{person_id}", Scopes: read, Permission: people,
			Handle: rest.JSON(200, f.retrievePerson)},
		{Method: "GET", Path: profile + "/settings", Scopes: settings, Permission: view,
			Handle: rest.JSON(200, f.retrieveMySettings)},
		{Method: "PUT", Path: profile + "/settings", Scopes: settings, Permission: manage,
			Handle: rest.JSON(200, f.updateMySettings)},
		{Method: "GET", Path: profile + "/bank-accounts", Scopes: bankAccounts, Permission: view,
			Handle: rest.JSON(200, f.listMyBankAccounts)},
		{Method: "POST", Path: profile + "/bank-accounts", Scopes: settings, Permission: manage,
			Handle: rest.JSON(201, f.createMyBankAccount)},
		{Method: "GET", Path: "/v1.1/merchants/{merchant_code}/bank-accounts", Scopes: bankAccounts, Permission: view,
			Handle: rest.JSON(200, f.listBankAccounts)},
		{Method: "GET", Path: accounts, Scopes: operators, Permission: people,
			Handle: rest.JSON(200, f.listOperators)},
		{Method: "POST", Path: accounts, Scopes: operators, Permission: manage,
			Handle: rest.JSON(201, f.createOperator)},
		{Method: "GET", Path: account, Scopes: operators, Permission: people,
			Handle: rest.JSON(200, f.retrieveOperator)},
		{Method: "PUT", Path: account, Scopes: operators, Permission: manage,
			Handle: rest.JSON(200, f.updateOperator)},
		{Method: "DELETE", Path: account, Scopes: operators, Permission: manage,
			Handle: rest.JSON(200, f.deleteOperator)},
		{Method: "POST", Path: account + "/disable", Scopes: operators, Permission: manage,
			Handle: rest.JSON(200, f.disableOperator)},
		{Method: "PUT", Path: account + "/reset", Scopes: operators, Permission: manage,
			Handle: rest.JSON(200, f.resetOperatorPassword)},
	}
}
