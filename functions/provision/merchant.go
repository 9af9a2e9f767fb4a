package provision

import (
	"context"
	"encoding/json"
	"time"

	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/app/banking"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/mail"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/optional"
	"github.com/cashwrap/cashwrap/shared/signin"
)

// createMerchant creates a merchant and its first key, with every scope. The key is for live mode, or for test mode if
// the merchant is a sandbox merchant.
//
// With a merchant_code the command may be repeated. If a merchant with that code and the same arguments exists, the
// answer has no key, because keys are shown once. create_api_key replaces a lost key. If the arguments differ, the
// answer is a CONFLICT.
type createMerchant struct {
	merchant.Registration
	merchant.Terms
	TestKey   bool            `json:"test_key"`   // also creates a key for test mode
	MailOwner bool            `json:"mail_owner"` // mails the owner a link to choose a password
	Account   json.RawMessage `json:"account"`    // account.Account; all optional
}

type merchantCreated struct {
	MerchantCode string   `json:"merchant_code"`
	Created      bool     `json:"created"`                // false: the merchant existed already
	OwnerMailed  bool     `json:"owner_mailed,omitempty"` // the owner gets, or got, a link to choose a password
	APIKey       *keyView `json:"api_key,omitempty"`
	TestAPIKey   *keyView `json:"test_api_key,omitempty"`
}

// codeAttempts limits the random codes to try. More collisions in a row could not be chance.
const codeAttempts = 5

func (o operator) createMerchant(ctx context.Context, c createMerchant) (merchantCreated, error) {
	var taken error
	for range codeAttempts {
		m, err := c.merchant(o.Now())
		if err != nil {
			return merchantCreated{}, err
		}
		var a account.Account
		if len(c.Account) > 0 {
			if a, _, err = o.mergeAccount(a, m, c.Account); err != nil {
				return merchantCreated{}, err
			}
			m.Copied = a.CopiedToMerchant()
		}
		var created merchantCreated
		created, taken = o.storeMerchant(ctx, m, a, c.TestKey)
		switch {
		case failure.Is(taken, failure.KindConflict) && c.Code == "":
			continue
		case failure.Is(taken, failure.KindConflict):
			created, taken = o.findSameMerchant(ctx, m, c.Account)
		}
		if taken == nil && c.MailOwner {
			created.OwnerMailed = o.mailFirstPassword(ctx, m)
		}
		return created, taken
	}
	return merchantCreated{}, taken
}

// findSameMerchant returns the merchant with the code if it equals m and its account has everything requested.
func (o operator) findSameMerchant(ctx context.Context, m merchant.Merchant, asked json.RawMessage) (merchantCreated,
	error) {
	existing, err := o.Store.Merchant(ctx, m.Code)
	if err != nil {
		return merchantCreated{}, err
	}
	recorded, err := o.Store.Account(ctx, m.Code)
	if err != nil {
		return merchantCreated{}, err
	}
	differs := false
	if len(asked) > 0 {
		if _, differs, err = o.mergeAccount(recorded, m, asked); err != nil {
			return merchantCreated{}, err
		}
	}
	if differs || !m.Same(existing) {
		return merchantCreated{}, failure.Conflict("Another merchant has this merchant_code.")
	}
	return merchantCreated{MerchantCode: m.Code}, nil
}

func (o operator) storeMerchant(ctx context.Context, m merchant.Merchant, a account.Account, testKey bool,
) (merchantCreated, error) {
	first, firstView, err := o.newKey(identity.Tenant{Mode: m.FirstMode(), Merchant: m.Code}, identity.BootstrapKey())
	if err != nil {
		return merchantCreated{}, err
	}
	created, keys := merchantCreated{MerchantCode: m.Code, Created: true, APIKey: &firstView}, []identity.APIKey{first}
	if testKey {
		second, secondView, err := o.newKey(identity.Tenant{Mode: identity.Test, Merchant: m.Code}, identity.BootstrapKey())
		if err != nil {
			return merchantCreated{}, err
		}
		created.TestAPIKey, keys = &secondView, append(keys, second)
	}
	if err := o.Store.CreateMerchant(ctx, o.by, m, a, keys...); err != nil {
		return merchantCreated{}, err
	}
	o.Log.InfoContext(ctx, "merchant created", "merchant", m.Code, "sandbox", m.Sandbox)
	return created, nil
}

// mailFirstPassword mails the merchant's owner a link to choose a password, once, unless the owner has a password. It
// returns true if the owner gets a mail. An error does not fail the command, whose answer has the only copy of a key.
func (o operator) mailFirstPassword(ctx context.Context, m merchant.Merchant) bool {
	owner, err := o.Store.UserByEmail(ctx, m.Email)
	if err == nil && len(owner.Passwords) > 0 {
		return false
	}
	if err == nil {
		link := signin.NewPasswordLink("owner of "+m.Code, owner, o.Now().Add(signin.FirstPasswordLasts))
		err = o.Store.MailPasswordLink(ctx, identity.Tenant{Mode: m.FirstMode(), Merchant: m.Code}, link,
			identity.Hash(o.PasswordToken(link.ID)), mail.NewFirstPassword(link.ID, owner.Email))
	}
	if err != nil {
		o.Log.ErrorContext(ctx, "owner not mailed", "merchant", m.Code, "error", err)
	}
	return err == nil
}

func (c createMerchant) merchant(now time.Time) (merchant.Merchant, error) {
	switch {
	case c.Name.Or("") == "":
		return merchant.Merchant{}, failure.Missing("name")
	case c.Email.Or("") == "":
		return merchant.Merchant{}, failure.Missing("email")
	}
	for _, standard := range []*optional.Of[string]{&c.FeeRate, &c.TimeZone, &c.MinimumBalance} {
		*standard = optional.Some(standard.Or(""))
	}
	m, err := merchant.New(c.Registration, c.Terms, now)
	if err == nil && c.Sandbox && c.TestKey {
		return m, failure.Invalid("test_key", "is not for a sandbox merchant, whose first key is always a test key")
	}
	return m, err
}

// updateMerchant changes the given terms. Country, currency and sandbox cannot change: stored data depends on them.
type updateMerchant struct {
	MerchantCode string `json:"merchant_code" validate:"required"`
	merchant.Terms
}

type merchantUpdated struct {
	MerchantCode string `json:"merchant_code"`
	Version      int    `json:"version"` // grows by one with each change
}

func (o operator) updateMerchant(ctx context.Context, c updateMerchant) (merchantUpdated, error) {
	state, err := banking.Open(o.App).ChangeMerchant(ctx, o.by, c.MerchantCode, func(s merchant.State) (merchant.State,
		error) {
		changed, err := c.Apply(s.Merchant)
		if changed != s.Merchant {
			changed.UpdatedAt = o.Now()
		}
		s.Merchant = changed
		return s, err
	})
	if err != nil {
		return merchantUpdated{}, err
	}
	o.Log.InfoContext(ctx, "merchant updated", "merchant", c.MerchantCode, "version", state.Merchant.Version)
	return merchantUpdated{MerchantCode: c.MerchantCode, Version: state.Merchant.Version}, nil
}

// updateSettings changes the given settings of a merchant in a mode.
type updateSettings struct {
	tenantArguments
	merchant.OperatorSettingsChange
}

// settingsOwner names the merchant whose settings, or bank account, an answer shows.
type settingsOwner struct {
	MerchantCode string         `json:"merchant_code"`
	Mode         string         `json:"mode"`
	Currency     money.Currency `json:"currency"`
	TimeZone     string         `json:"time_zone"`
}

func ownerOf(m merchant.Merchant, mode identity.Mode) settingsOwner {
	return settingsOwner{MerchantCode: m.Code, Mode: mode.Name(), Currency: m.Currency, TimeZone: m.TimeZone}
}

type settingsUpdated struct {
	settingsOwner
	merchant.SettingsView
	ExpectedMax money.Amount `json:"expected_max_transaction_amount,omitzero"`
	NextAt      time.Time    `json:"next_at,omitzero"` // as in payoutSet; absent without a bank account
}

func (o operator) updateSettings(ctx context.Context, t identity.Tenant, c updateSettings) (settingsUpdated, error) {
	state, err := banking.Open(o.App).ChangeMerchant(ctx, o.by, t.Merchant, func(s merchant.State) (merchant.State,
		error) {
		changed, refused := c.Apply(s.Merchant.Settings.Of(t.Mode), s.Merchant.Currency)
		return s.WithSettings(t.Mode, changed), refused
	})
	if err != nil {
		return settingsUpdated{}, err
	}
	settings := state.Merchant.Settings.Of(t.Mode)
	o.Log.InfoContext(ctx, "settings updated", "tenant", t.String(), "version", state.Merchant.Version)
	return settingsUpdated{settingsOwner: ownerOf(state.Merchant, t.Mode), SettingsView: settings.View(),
		ExpectedMax: settings.ExpectedMax, NextAt: state.Schedule(t.Mode).NextAt}, nil
}
