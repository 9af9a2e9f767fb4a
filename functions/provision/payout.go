package provision

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jacoelho/banking/bic"
	"github.com/jacoelho/banking/iban"

	"github.com/cashwrap/cashwrap/shared/app/banking"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/store"
)

// setPayout stores where and when a merchant is paid out: what is given of it,
// until merchants have endpoints for that. A number given replaces the account
// whole, and is taken for verified, because the operator vouches for it.
//
// The merchant's credentials carry copies of the settings, which are rewritten
// after the schedule itself. Should the command fail in between, transactions
// show the due dates of before until it is repeated.
type setPayout struct {
	MerchantCode  string                 `json:"merchant_code"`
	Mode          string                 `json:"mode"`           // live or test; the first key's unless given
	Holder        *string                `json:"holder"`         // 1-70 characters
	IBAN          *string                `json:"iban"`           // or, where there is none:
	AccountNumber *string                `json:"account_number"` // national, with bank_code or bic
	BankCode      *string                `json:"bank_code"`
	BIC           *string                `json:"bic"`
	Verified      *bool                  `json:"verified"` // false: payouts wait
	Period        *merchant.PayoutPeriod `json:"period"`   // daily, weekly or monthly
	OnDemand      *bool                  `json:"on_demand"`
}

type payoutSet struct {
	MerchantCode string                     `json:"merchant_code"`
	Mode         string                     `json:"mode"`
	Currency     money.Currency             `json:"currency"`
	TimeZone     string                     `json:"time_zone"`
	Period       merchant.PayoutPeriod      `json:"period"`
	OnDemand     bool                       `json:"on_demand"`
	Holder       string                     `json:"holder,omitempty"`
	Ending       string                     `json:"account_ending,omitempty"` // the last four characters of the number
	Status       merchant.BankAccountStatus `json:"account_status,omitempty"`
	NextAt       time.Time                  `json:"next_at"` // when the period ends that is paid out next
}

func (o operator) setPayout(ctx context.Context, c setPayout) (payoutSet, error) {
	t, err := o.tenantOf(ctx, c.MerchantCode, c.Mode)
	if err != nil {
		return payoutSet{}, err
	}
	m, _, err := o.merchant(ctx, c.MerchantCode)
	if err != nil {
		return payoutSet{}, err
	}
	id := uuid.NewString()
	s, err := banking.Open(o.App).SetSchedule(ctx, t, func(s merchant.PayoutSchedule) (merchant.PayoutSchedule, error) {
		s.Currency, s.TimeZone = m.Currency, m.TimeZone
		return c.apply(s, id)
	})
	if err == nil {
		err = o.Store.CopyPayoutSettings(ctx, t)
	}
	if errors.Is(err, store.ErrStale) {
		err = errContended
	}
	if err != nil {
		return payoutSet{}, err
	}
	o.Log.InfoContext(ctx, "payout settings changed", "tenant", t.String(), "period", s.Settings.Period, "account", s.To.Status)
	return payoutSet{MerchantCode: t.Merchant, Mode: modeName(t.Mode), Currency: s.Currency, TimeZone: s.TimeZone,
		Period: s.Settings.Period, OnDemand: s.Settings.OnDemand, Holder: s.To.Holder, Ending: ending(s.To.Number()),
		Status: s.To.Status, NextAt: s.NextAt}, nil
}

func ending(number string) string { return number[max(0, len(number)-4):] }

// apply is the schedule with what is given. id is that of a new account.
func (c setPayout) apply(s merchant.PayoutSchedule, id string) (merchant.PayoutSchedule, error) {
	if s.Settings.Period == "" {
		s.Settings = merchant.DefaultPayoutSettings
	}
	if c.Period != nil {
		s.Settings.Period = *c.Period
	}
	if c.OnDemand != nil {
		s.Settings.OnDemand = *c.OnDemand
	}
	if s.Settings.Check() != nil {
		return s, failure.Invalid("period", "must be daily, weekly or monthly")
	}
	var err error
	s.To, err = c.account(s.To, id)
	return s, err
}

// maxHolder is as much of a name as a SEPA order carries.
const maxHolder = 70

// account is the account with what is given, each of which is checked.
func (c setPayout) account(to merchant.BankAccount, id string) (merchant.BankAccount, error) {
	if c.IBAN != nil || c.AccountNumber != nil {
		to = merchant.BankAccount{ID: id, Holder: to.Holder, Status: merchant.BankAccountVerified}
	}
	for _, given := range []struct{ from, to *string }{
		{c.Holder, &to.Holder}, {c.IBAN, &to.IBAN}, {c.AccountNumber, &to.AccountNumber}, {c.BankCode, &to.BankCode}, {c.BIC, &to.BIC},
	} {
		if given.from != nil {
			*given.to = strings.TrimSpace(*given.from)
		}
	}
	to.IBAN, to.BIC = strings.ToUpper(strings.ReplaceAll(to.IBAN, " ", "")), strings.ToUpper(to.BIC)
	if to.ID == "" { // settings without an account yet
		if to != (merchant.BankAccount{Holder: to.Holder}) || c.Verified != nil {
			return to, failure.Missing("iban")
		}
		return to, nil
	}
	if c.Verified != nil {
		to.Status = merchant.BankAccountPending
		if *c.Verified {
			to.Status = merchant.BankAccountVerified
		}
	}
	return to, checkAccount(to)
}

func checkAccount(a merchant.BankAccount) error {
	_, bicErr := bic.Parse(a.BIC)
	switch {
	case a.Holder == "":
		return failure.Missing("holder")
	case utf8.RuneCountInString(a.Holder) > maxHolder:
		return failure.Invalid("holder", "must be at most 70 characters")
	case a.IBAN != "" && a.AccountNumber != "":
		return failure.Invalid("account_number", "is instead of an iban")
	case a.IBAN == "" && a.AccountNumber == "":
		return failure.Missing("iban")
	case a.IBAN != "" && iban.Validate(a.IBAN) != nil:
		return failure.Invalid("iban", "must be a valid IBAN")
	case a.BIC != "" && bicErr != nil:
		return failure.Invalid("bic", "must be a valid BIC of 8 or 11 characters")
	case a.AccountNumber != "" && a.BankCode == "" && a.BIC == "":
		return failure.Missing("bank_code")
	default:
		return nil
	}
}

// moveCutoffs lets the merchant's payouts begin their days by its time zone,
// after that has changed.
func (o operator) moveCutoffs(ctx context.Context, m merchant.Merchant) error {
	for _, mode := range []identity.Mode{identity.Live, identity.Test} {
		t := identity.Tenant{Mode: mode, Merchant: m.Code}
		s, err := o.Store.PayoutSchedule(ctx, t)
		if failure.Is(err, failure.NotFound) || err == nil && s.TimeZone == m.TimeZone {
			continue
		}
		if err == nil {
			_, err = banking.Open(o.App).SetSchedule(ctx, t, func(s merchant.PayoutSchedule) (merchant.PayoutSchedule, error) {
				s.TimeZone = m.TimeZone
				return s, nil
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}
