package store

import (
	"context"
	"errors"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
)

// copyTries bounds how often a copy is made anew because the merchant changed.
const copyTries = 10

// CopyPayoutSettings brings the settings of a tenant's payout schedule into
// its merchant and from there into its credentials, so that no reader of a
// transaction has to read the schedule. The schedule is read after the
// merchant whose version the write is bound to: of two copies at the same time
// the later settings hold. Whoever is cut off may repeat it. Failures: NotFound
// without a merchant or schedule; ErrStale when others keep changing the
// merchant.
func (s *Store) CopyPayoutSettings(ctx context.Context, t identity.Tenant) error {
	for range copyTries {
		m, err := s.copyIntoMerchant(ctx, t)
		if errors.Is(err, ErrStale) {
			continue
		}
		if err != nil {
			return err
		}
		return s.RewriteCopies(ctx, m)
	}
	return ErrStale
}

func (s *Store) copyIntoMerchant(ctx context.Context, t identity.Tenant) (merchant.Merchant, error) {
	m, profile, err := s.MerchantProfile(ctx, t.Merchant)
	if err != nil {
		return m, err
	}
	schedule, err := s.PayoutSchedule(ctx, t)
	if err != nil {
		return m, err
	}
	settings := m.Payouts.With(t.Mode, schedule.Settings)
	if settings == m.Payouts {
		return m, nil
	}
	m.Payouts = settings
	return s.UpdateMerchant(ctx, m, profile)
}
