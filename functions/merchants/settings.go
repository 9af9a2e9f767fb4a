package merchants

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/rest"
)

// settings is retrieveMySettings: those of the credential's mode, as read when it
// was authenticated.
func (f family) settings(ctx context.Context, _ struct{}) (merchant.SettingsView, error) {
	m := rest.Merchant(ctx)
	return m.Settings.Of(rest.Caller(ctx).Tenant.Mode).View(), m.CheckProfileForRead()
}

// updateSettings is updateMySettings: only what is sent is overwritten, in the
// credential's mode.
func (f family) updateSettings(ctx context.Context, change merchant.SettingsChange) (merchant.SettingsView, error) {
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
