package store_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/clock"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/store"
)

// setPayouts changes a tenant's schedule, however often somebody else is faster, and copies it.
func setPayouts(ctx context.Context, s *store.Store, t identity.Tenant, settings merchant.PayoutSettings) error {
	for {
		schedule, err := s.PayoutSchedule(ctx, t)
		if err != nil && !failure.Is(err, failure.NotFound) {
			return err
		}
		schedule.Currency, schedule.Settings, schedule.NextAt = "EUR", settings, settings.NextCutoff(start, schedule.Location()).At
		err = s.SavePayoutSchedule(ctx, t, schedule)
		if errors.Is(err, store.ErrStale) {
			continue
		}
		if err != nil {
			return err
		}
		for {
			if err = s.CopyPayoutSettings(ctx, t); !errors.Is(err, store.ErrStale) {
				return err
			}
		}
	}
}

func TestPayoutSettingsReachTheCopies(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	first := opened(t, s)
	weekly, onDemand := merchant.PayoutSettings{Period: merchant.Weekly}, merchant.PayoutSettings{Period: merchant.Monthly, OnDemand: true}
	live := identity.Tenant{Mode: identity.Live, Merchant: shop.Code}
	for _, err := range []error{setPayouts(t.Context(), s, tenant, weekly), setPayouts(t.Context(), s, live, onDemand),
		s.CopyPayoutSettings(t.Context(), live)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := shop
	want.Payouts, want.Version = merchant.PayoutsByMode{Live: onDemand, Test: weekly}, 2
	if got := copyIn(t, s, first); got != want {
		t.Errorf("the key has %+v", got)
	}
	if m, p, err := s.MerchantProfile(t.Context(), shop.Code); err != nil || m != want || p.VATID != "DE1" {
		t.Errorf("%+v, %+v, %v", m, p, err)
	}
	stranger := identity.Tenant{Mode: identity.Test, Merchant: "MC00000000"}
	if err := s.CopyPayoutSettings(t.Context(), stranger); !failure.Is(err, failure.NotFound) {
		t.Errorf("of nobody: %v", err)
	}
}

func TestWithoutAScheduleNothingIsCopied(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	first := opened(t, s)
	if err := s.CopyPayoutSettings(t.Context(), tenant); !failure.Is(err, failure.NotFound) {
		t.Errorf("%v", err)
	}
	if got := copyIn(t, s, first); got != shop {
		t.Errorf("the key has %+v", got)
	}
}

// Whoever was cut off before the credentials had their copies repeats it.
func TestACopyThatWasCutOffIsRepeated(t *testing.T) {
	t.Parallel()
	const tries = 3 // of the SDK
	wire := &unreliable{}
	s := emptyTable(t, clock.New(), wire)
	first := opened(t, s)
	monthly := merchant.PayoutSettings{Period: merchant.Monthly}
	wire.lose("UpdateItem", tries, false)
	if err := setPayouts(t.Context(), s, tenant, monthly); err == nil {
		t.Fatal("a copy that never arrived succeeded")
	}
	wire.lose("UpdateItem", 1, true)
	if err := s.CopyPayoutSettings(t.Context(), tenant); err != nil {
		t.Fatal(err)
	}
	if got := copyIn(t, s, first).Payouts.Test; got != monthly {
		t.Errorf("the key has %+v", got)
	}
}

// TestTheLastSettingsAreCopied: whoever changes settings at the same time, the copies are as the schedule in the end.
func TestTheLastSettingsAreCopied(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), context.Background()
	first := opened(t, s)
	var all sync.WaitGroup
	for _, period := range []merchant.PayoutPeriod{merchant.Daily, merchant.Weekly, merchant.Monthly} {
		for _, onDemand := range []bool{false, true} {
			all.Go(func() {
				if err := setPayouts(ctx, s, tenant, merchant.PayoutSettings{Period: period, OnDemand: onDemand}); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	schedule, err := s.PayoutSchedule(ctx, tenant)
	if err != nil {
		t.Fatal(err)
	}
	if got := copyIn(t, s, first).Payouts.Test; got != schedule.Settings {
		t.Errorf("the key has %+v, the schedule %+v", got, schedule.Settings)
	}
}
