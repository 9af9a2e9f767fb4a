package merchant

import (
	"reflect"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
)

// ForAudit returns the state as audit entries show it: without the platform's internal fields, and with only the last
// four characters of bank account numbers. Accounts that were not read are left out.
func (s State) ForAudit() any { return s.view() }

// ModeForAudit returns the mode of the change if the audit view differs from before in one mode only. It returns "" if
// both modes differ, if neither differs, or if the part that both modes share differs.
func (s State) ModeForAudit(before State) identity.Mode {
	now, then := s.view(), before.view()
	live, test := !reflect.DeepEqual(now.Live, then.Live), !reflect.DeepEqual(now.Test, then.Test)
	switch {
	case now.Merchant != then.Merchant || live == test:
		return ""
	case live:
		return identity.Live
	default:
		return identity.Test
	}
}

func (s State) view() stateView {
	m := s.Merchant
	return stateView{
		Merchant: termsView{m.Name, m.Email, m.Country, m.Currency, m.Sandbox, m.OnlinePayments, m.Onboarding, m.FeeRate,
			m.MinimumBalance, m.TimeZone, m.PayoutPlan, m.ShardCount(), m.Requests, m.PayPal,
			m.LowValue, m.AcquirerAccount, callbacksView{m.Callbacks.Version, m.Callbacks.RotatedAt}},
		Live: s.tenantView(identity.Live), Test: s.tenantView(identity.Test),
	}
}

type stateView struct {
	Merchant termsView  `json:"merchant"`
	Live     tenantView `json:"live"`
	Test     tenantView `json:"test"`
}

type termsView struct {
	Name           string         `json:"name"`
	Email          string         `json:"email"`
	Country        string         `json:"country"`
	Currency       money.Currency `json:"currency"`
	Sandbox        bool           `json:"sandbox"`
	OnlinePayments bool           `json:"online_payments"`
	Onboarding     bool           `json:"onboarding"`
	FeeRate        string         `json:"fee_rate"`
	MinimumBalance string         `json:"refund_floor"`
	TimeZone       string         `json:"time_zone"`
	PayoutPlan     PayoutPlan     `json:"payout_plan"`
	Shards         int            `json:"shards"`
	Requests       int            `json:"requests_per_second"`
	PayPal         bool           `json:"paypal"`
	LowValue       bool           `json:"low_value_exemption"`
	Acquirer       string         `json:"acquirer_account"`
	Callbacks      callbacksView  `json:"callback_secret"`
}

type callbacksView struct {
	Version   int       `json:"version"`
	RotatedAt time.Time `json:"rotated_at,omitzero"`
}

// tenantView is the part of a merchant that belongs to one mode.
type tenantView struct {
	Settings settingsView  `json:"settings"`
	Held     bool          `json:"held"`                   // an operator stopped payouts
	Accounts *accountsView `json:"bank_accounts,omitzero"` // nil: not read
}

type settingsView struct {
	SettingsView
	ExpectedMax string `json:"expected_max_transaction_amount"`
}

type accountsView struct {
	Primary string                 `json:"primary"`
	Paid    string                 `json:"paid"`
	All     map[string]accountView `json:"accounts"` // by id
}

type accountView struct {
	Holder     string            `json:"account_holder_name"`
	Ending     string            `json:"account_ending"`
	BIC        string            `json:"swift"`
	BankCode   string            `json:"bank_code"`
	BranchCode string            `json:"branch_code"`
	Type       AccountType       `json:"account_type"`
	Category   AccountCategory   `json:"account_category"`
	Status     BankAccountStatus `json:"status"`
}

func (s State) tenantView(mode identity.Mode) tenantView {
	settings := s.Merchant.Settings.Of(mode)
	view := tenantView{Settings: settingsView{settings.View(), settings.ExpectedMax.String()}, Held: s.Schedule(mode).Held}
	if read := s.Accounts.Of(mode); read != nil {
		view.Accounts = &accountsView{read.Primary, read.Paid, map[string]accountView{}}
		for _, a := range read.All {
			view.Accounts.All[a.ID] = accountView{a.Holder, a.Ending(), a.BIC, a.BankCode, a.BranchCode, a.Type, a.Category,
				a.Status}
		}
	}
	return view
}
