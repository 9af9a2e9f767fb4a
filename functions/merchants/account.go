package merchants

import (
	"context"
	"slices"

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/member"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// part is a value of include[], which adds that part to the response of retrieveMyAccount (contract §7.1).
type part string

const (
	withOperators       part = "operators"
	withSettings        part = "settings"
	withDoingBusinessAs part = "doing_business_as"
	withBankAccounts    part = "bank_accounts"
	withAppSettings     part = "app_settings"
	withVATRates        part = "vat_rates"
	withSignupFlows     part = "signup_flows"
	withShelves         part = "shelves"
	withCountry         part = "country_details"
	withTimeOffset      part = "timeoffset_details"
	withPermissions     part = "permissions"
)

func (part) Values() []string {
	return []string{string(withOperators), string(withSettings), string(withDoingBusinessAs), string(withBankAccounts),
		string(withAppSettings), string(withVATRates), string(withSignupFlows), string(withShelves), string(withCountry),
		string(withTimeOffset), string(withPermissions)}
}

type parts []part

func (p parts) has(one part) bool { return slices.Contains(p, one) }

type accountRequest struct {
	Include parts `query:"include"`
}

type accountView struct {
	Account     userView             `json:"account"`
	Personal    personalView         `json:"personal_profile"`
	Profile     *profileView         `json:"merchant_profile,omitempty"`
	Operators   []operatorNameView   `json:"operators,omitzero"`
	SignupFlows []account.SignupFlow `json:"signup_flows,omitzero"`
	Shelves     []shelfView          `json:"shelves,omitzero"`
	AppSettings *appSettingsView     `json:"app_settings,omitempty"`
	Permissions *permissionsView     `json:"permissions,omitempty"`
}

type userView struct {
	Username string `json:"username"`
	Type     string `json:"type"`
}

type operatorNameView struct {
	Username string `json:"username"`
}

type appSettingsView struct {
	merchant.AppSettings
	ExpectedMax *money.Amount `json:"expected_max_transaction_amount"`
}

type permissionsView struct {
	CreateMOTOPayments         bool `json:"create_moto_payments"`
	FullTransactionHistoryView bool `json:"full_transaction_history_view"`
	RefundTransactions         bool `json:"refund_transactions"`
	CreateReferral             bool `json:"create_referral"`
}

// allowed returns the parts that the caller may see. Some need the permissions of separate operations (contract §13.9).
func (p parts) allowed(caller identity.Principal) parts {
	return slices.DeleteFunc(slices.Clone(p), func(one part) bool {
		switch one {
		case withBankAccounts, withSettings:
			return !caller.Has(identity.FullTransactionHistoryView)
		case withOperators:
			return !caller.Has(identity.MembersRead)
		default:
			return false
		}
	})
}

// retrieveMyAccount returns the account with the parts that the request includes.
func (f family) retrieveMyAccount(ctx context.Context, req accountRequest) (accountView, error) {
	m, caller := rest.Merchant(ctx), rest.Caller(ctx)
	t := caller.Tenant
	req.Include = req.Include.allowed(caller)
	show, err := f.readPresenter(ctx, req.Include...)
	if err != nil {
		return accountView{}, err
	}
	a := show.account
	v := accountView{Account: userOf(caller, m), Personal: show.personal()}
	if !m.Onboarding {
		profile := show.profile(m.Settings.Of(t.Mode))
		if req.Include.has(withBankAccounts) {
			var accounts merchant.BankAccounts
			if accounts, err = f.payouts.RefreshBankAccounts(ctx, rest.By(ctx), t); err != nil {
				return v, err
			}
			profile.BankAccounts = bankAccountViews(accounts, m.Country, false)
		}
		v.Profile = &profile
	}
	if req.Include.has(withOperators) {
		if v.Operators, err = f.listOperatorNames(ctx, t); err != nil {
			return v, err
		}
	}
	if req.Include.has(withSignupFlows) {
		v.SignupFlows = append([]account.SignupFlow{}, a.SignupFlows...)
	}
	if req.Include.has(withShelves) {
		v.Shelves = shelves(a.Profile)
	}
	if req.Include.has(withAppSettings) {
		if v.AppSettings, err = f.readCallerAppSettings(ctx, a); err != nil {
			return v, err
		}
	}
	if req.Include.has(withPermissions) {
		v.Permissions = &permissionsView{CreateMOTOPayments: caller.Has(identity.CreateMOTOPayments),
			FullTransactionHistoryView: caller.Has(identity.FullTransactionHistoryView),
			RefundTransactions:         caller.Has(identity.RefundTransactions),
			CreateReferral:             caller.Has(identity.CreateReferral)}
	}
	return v, nil
}

// userOf returns the user of the caller's token. For any other caller it returns the merchant's owner (contract §13.9).
func userOf(caller identity.Principal, m merchant.Merchant) userView {
	switch caller.Actor.Kind {
	case identity.Operator:
		return userView{Username: caller.Email, Type: "operator"}
	case identity.User:
		return userView{Username: caller.Email, Type: "normal"}
	default:
		return userView{Username: m.Email, Type: "normal"}
	}
}

// readCallerAppSettings returns the app settings of the token's user. For any other caller it returns the owner's app
// settings.
func (f family) readCallerAppSettings(ctx context.Context, a account.Account) (*appSettingsView, error) {
	caller, settings := rest.Caller(ctx), rest.Merchant(ctx).Settings.Of(rest.Caller(ctx).Tenant.Mode)
	if member.ActsAsOwner(caller) {
		return viewAppSettings(a.AppSettings, settings), nil
	}
	m, err := f.store.Member(ctx, caller.Tenant, member.NumberOf(caller.Actor.ID))
	return viewAppSettings(m.AppSettings, settings), err
}

// listOperatorNames returns the names of the tenant's operators, for GET me.
func (f family) listOperatorNames(ctx context.Context, t identity.Tenant) ([]operatorNameView, error) {
	members, err := f.store.Members(ctx, t)
	names := []operatorNameView{}
	for _, m := range members {
		if m.Operator() {
			names = append(names, operatorNameView{m.Email})
		}
	}
	return names, err
}

// viewAppSettings shows app settings. The largest expected transaction is a setting of the merchant (contract §13.9).
func viewAppSettings(a merchant.AppSettings, s merchant.Settings) *appSettingsView {
	v := appSettingsView{AppSettings: a.OrDefaults()}
	if s.ExpectedMax.Currency() != "" {
		v.ExpectedMax = &s.ExpectedMax
	}
	return &v
}

// retrieveMySettings returns the settings of the credential's mode, as read during authentication.
func (f family) retrieveMySettings(ctx context.Context, _ struct{}) (merchant.SettingsView, error) {
	m := rest.Merchant(ctx)
	return m.Settings.Of(rest.Caller(ctx).Tenant.Mode).View(), m.CheckProfileForRead()
}

// updateMySettings overwrites the settings in the request, for the credential's mode.
func (f family) updateMySettings(ctx context.Context, change merchant.SettingsChange) (merchant.SettingsView, error) {
	t := rest.Caller(ctx).Tenant
	state, err := f.payouts.ChangeMerchant(ctx, rest.By(ctx), t.Merchant, func(s merchant.State) (merchant.State, error) {
		if err := s.Merchant.CheckProfileForWrite(); err != nil {
			return s, err
		}
		settings, err := change.Apply(s.Merchant.Settings.Of(t.Mode), s.Merchant.Currency)
		return s.WithSettings(t.Mode, settings), err
	})
	return state.Merchant.Settings.Of(t.Mode).View(), err
}
