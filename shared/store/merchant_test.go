package store_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/cashwrap/cashwrap/localstack/clock"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/store"
)

var shop = merchant.Merchant{Code: tenant.Merchant, Name: "Shop", Email: "shop@example.com", Country: "DE", Currency: "EUR",
	Sandbox: true, OnlinePayments: true, FeeRate: "0.0195", TimeZone: "Europe/Berlin", CreatedAt: start}

// newKey is a key that carries a copy of the merchant.
func newKey(m merchant.Merchant) store.APIKey {
	id := rand.Text()
	return store.APIKey{TokenHash: "hash of " + id, Name: "till", Credential: merchant.Credential{ID: id, Kind: identity.SecretKey,
		Tenant: identity.Tenant{Mode: identity.Test, Merchant: m.Code}, Scopes: []string{"payments"}, Merchant: m, CreatedAt: start}}
}

// opened is a store with the shop and one key of it.
func opened(t *testing.T, s *store.Store) store.APIKey {
	t.Helper()
	first := newKey(shop)
	profile := merchant.Profile{VATID: "DE1", Address: merchant.Address{City: "Berlin"}}
	if err := s.CreateMerchant(t.Context(), shop, profile, first); err != nil {
		t.Fatal(err)
	}
	return first
}

func copyIn(t *testing.T, s *store.Store, k store.APIKey) merchant.Merchant {
	t.Helper()
	c, err := s.Credential(t.Context(), k.TokenHash)
	if err != nil {
		t.Fatal(err)
	}
	return c.Merchant
}

func TestAMerchantIsReadWithItsProfile(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	first := opened(t, s)
	m, p, err := s.MerchantProfile(t.Context(), shop.Code)
	if err != nil || m != shop || p.VATID != "DE1" || p.Address.City != "Berlin" || p.BusinessName != "" {
		t.Errorf("read %+v, %+v, %v", m, p, err)
	}
	if got := copyIn(t, s, first); got != shop {
		t.Errorf("the key has %+v", got)
	}
	if _, _, err := s.MerchantProfile(t.Context(), "MC00000000"); !failure.Is(err, failure.NotFound) {
		t.Errorf("nobody: %v", err)
	}
}

func TestAnUpdateReachesTheCopies(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), context.Background()
	keys := []store.APIKey{opened(t, s)}
	for range 3 {
		k := newKey(shop)
		if err := s.AddAPIKey(ctx, k); err != nil {
			t.Fatal(err)
		}
		keys = append(keys, k)
	}
	revoked := keys[1].Credential
	if err := s.RevokeAPIKey(ctx, revoked.Tenant, revoked.ID); err != nil {
		t.Fatal(err)
	}
	secret, err := s.RotateCallbackSecret(ctx, shop.Code, merchant.CallbackSecret{}, start)
	if err != nil {
		t.Fatal(err)
	}
	changed := shop
	changed.Name, changed.TimeZone, changed.RefundFloor, changed.OnlinePayments = "Laden", "Europe/Vienna", "-5", false
	updated, err := s.UpdateMerchant(ctx, changed, merchant.Profile{VATID: "AT1"})
	if err != nil || updated.Version != 1 {
		t.Fatalf("updated to version %d, %v", updated.Version, err)
	}
	if err := s.RewriteCopies(ctx, updated); err != nil {
		t.Fatal(err)
	}
	m, p, err := s.MerchantProfile(ctx, shop.Code)
	if err != nil || m != updated || p != (merchant.Profile{VATID: "AT1"}) {
		t.Errorf("read %+v, %+v, %v", m, p, err)
	}
	if _, kept, err := s.Merchant(ctx, shop.Code); err != nil || kept.Version != secret.Version {
		t.Errorf("the callback secret is %+v, %v", kept, err)
	}
	for i, k := range keys {
		if i == 1 {
			if _, err := s.Credential(ctx, k.TokenHash); !failure.Is(err, failure.Unauthorized) {
				t.Errorf("the revoked key: %v", err)
			}
		} else if got := copyIn(t, s, k); got != updated {
			t.Errorf("key %d has %+v", i, got)
		}
	}
	other := shop
	other.Name = "Geschäft"
	if _, err := s.UpdateMerchant(ctx, other, p); !errors.Is(err, store.ErrStale) {
		t.Errorf("a change of what was read before: %v", err)
	}
	if err := s.RewriteCopies(ctx, changed); err != nil {
		t.Fatal(err)
	}
	if got := copyIn(t, s, keys[0]); got != updated {
		t.Errorf("an older copy came back: %+v", got)
	}
}

func TestAKeyOfAnOutdatedMerchantIsRefused(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), context.Background()
	opened(t, s)
	updated, err := s.UpdateMerchant(ctx, shop, merchant.Profile{})
	if err != nil {
		t.Fatal(err)
	}
	nobodys := shop
	nobodys.Code = "MC00000000"
	for name, m := range map[string]merchant.Merchant{"outdated": shop, "nobody's": nobodys} {
		k := newKey(m)
		if err := s.AddAPIKey(ctx, k); !errors.Is(err, store.ErrStale) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := s.Credential(ctx, k.TokenHash); !failure.Is(err, failure.Unauthorized) {
			t.Errorf("%s: the key works, %v", name, err)
		}
	}
	if err := s.AddAPIKey(ctx, newKey(updated)); err != nil {
		t.Errorf("up to date: %v", err)
	}
}

// TestNoKeyKeepsAnOldCopy: updates and new keys that run into each other leave
// every key with the last version.
func TestNoKeyKeepsAnOldCopy(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), context.Background()
	keys := []store.APIKey{opened(t, s)}
	const updates, makers, each = 8, 4, 6
	var mu sync.Mutex
	var all sync.WaitGroup
	all.Go(func() {
		for i := range updates {
			m, _, err := s.Merchant(ctx, shop.Code)
			m.Name = fmt.Sprint("name ", i)
			if err == nil {
				m, err = s.UpdateMerchant(ctx, m, merchant.Profile{})
			}
			if err == nil {
				err = s.RewriteCopies(ctx, m)
			}
			if err != nil {
				t.Error(err)
			}
		}
	})
	for range makers {
		all.Go(func() {
			for made := 0; made < each; {
				m, _, err := s.Merchant(ctx, shop.Code)
				k := newKey(m)
				if err == nil {
					err = s.AddAPIKey(ctx, k)
				}
				if errors.Is(err, store.ErrStale) {
					continue
				}
				if err != nil {
					t.Error(err)
				}
				made++
				mu.Lock()
				keys = append(keys, k)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	want, _, err := s.Merchant(ctx, shop.Code)
	if err != nil || want.Version != updates {
		t.Fatalf("version %d, %v", want.Version, err)
	}
	for _, k := range keys {
		if got := copyIn(t, s, k); got != want {
			t.Errorf("a key has version %d, %s", got.Version, got.Name)
		}
	}
}

func TestALostReplyIsNoFailedUpdate(t *testing.T) {
	t.Parallel()
	const tries = 3 // of the SDK
	wire := &unreliable{}
	s := emptyTable(t, clock.New(), wire)
	opened(t, s)
	changed := shop
	changed.Name = "Laden"
	wire.lose("UpdateItem", tries, false)
	if _, err := s.UpdateMerchant(t.Context(), changed, merchant.Profile{}); err == nil {
		t.Error("an update that never arrived succeeded")
	}
	for lost := 1; lost <= tries; lost++ {
		wire.lose("UpdateItem", lost, true)
		updated, err := s.UpdateMerchant(t.Context(), changed, merchant.Profile{})
		if err != nil || updated.Version != lost {
			t.Errorf("%d replies lost: version %d, %v", lost, updated.Version, err)
		}
		changed = updated
	}
}
