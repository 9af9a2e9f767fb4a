package store_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"

	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/account"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/merchant"
	"github.com/cashwrap/cashwrap/shared/store"
)

var shop = merchant.Merchant{Code: tenant.Merchant, Name: "Shop", Email: "shop@example.com",
	Country: "DE", Currency: "EUR",
	Sandbox: true, OnlinePayments: true, FeeRate: "0.0195", TimeZone: "Europe/Berlin", CreatedAt: start,
	PayPal: true}

// issued is a key with the token that its bearer sends.
type issued struct {
	identity.APIKey
	token identity.Token
}

func newKey(t *testing.T, of identity.Tenant) issued {
	t.Helper()
	scopes := []string{"payments"}
	key, text, err := identity.NewAPIKey(of, identity.KeyRequest{Name: "till", Scopes: &scopes}, start)
	token, ok := identity.ParseToken(text)
	if err != nil || !ok {
		t.Fatalf("got a key that parses %t, %v, want true", ok, err)
	}
	return issued{key, token}
}

// openShop stores the shop with one key, and returns the key.
func openShop(t *testing.T, s *store.Store) issued {
	t.Helper()
	first := newKey(t, tenant)
	if err := s.CreateMerchant(t.Context(), byTest, shop, account.Account{}, first.APIKey); err != nil {
		t.Fatal(err)
	}
	first.Version = 1
	return first
}

func TestAuthenticate_APIKey(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	first := openShop(t, s)
	want := shop
	want.Version = 1
	p, m, err := s.Authenticate(t.Context(), first.token, "")
	if diff := cmp.Diff(first.Principal(), p); err != nil || diff != "" {
		t.Errorf("principal: %v (-want +got):\n%s", err, diff)
	}
	if diff := cmp.Diff(want, m, storedtest.Options); diff != "" {
		t.Errorf("merchant of the token (-want +got):\n%s", diff)
	}
	got, err := s.Merchant(t.Context(), shop.Code)
	if diff := cmp.Diff(want, got, storedtest.Options); err != nil || diff != "" {
		t.Errorf("merchant: %v (-want +got):\n%s", err, diff)
	}
	if _, err := s.Merchant(t.Context(), "MC00000000"); !failure.Is(err, failure.KindNotFound) {
		t.Errorf("an unknown merchant: got error %v, want KindNotFound", err)
	}
	if err := s.CreateMerchant(t.Context(), byTest, shop, account.Account{}); !failure.Is(err, failure.KindConflict) {
		t.Errorf("a second one: got error %v, want KindConflict", err)
	}
}

// TestAuthenticate_UnknownTokens checks that tokens that the store did not issue are refused, even if they name a
// merchant.
func TestAuthenticate_UnknownTokens(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	first := openShop(t, s)
	orphan := newKey(t, identity.Tenant{Mode: identity.Test, Merchant: "MC00000000"})
	if _, err := s.CreateAPIKey(t.Context(), byTest, orphan.APIKey); err != nil {
		t.Fatal(err)
	}
	stranger := newKey(t, identity.Tenant{Mode: identity.Live, Merchant: "MCZZZZZZZZ"})
	live := first.token
	live.Tenant.Mode = identity.Live
	for name, token := range map[string]identity.Token{"unknown": newKey(t, tenant).token, "of no merchant": orphan.token,
		"of an unknown tenant": stranger.token, "of the other mode": live} {
		if _, _, err := s.Authenticate(t.Context(), token, ""); !failure.Is(err, failure.KindUnauthorized) {
			t.Errorf("%s: got error %v, want KindUnauthorized", name, err)
		}
	}
}

func TestAuthenticate_ChangedMerchant(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), context.Background()
	first := openShop(t, s)
	m, err := s.Merchant(ctx, shop.Code)
	if err != nil {
		t.Fatal(err)
	}
	before := m
	m.Name, m.MinimumBalance, m.PayPal, m.Callbacks = "Laden", "-5", false,
		m.Callbacks.Rotated(start)
	saved, err := s.SaveMerchant(ctx, byTest, before, m)
	if err != nil || saved.Version != 2 {
		t.Fatalf("got version %d, %v, want 2", saved.Version, err)
	}
	_, got, err := s.Authenticate(ctx, first.token, "")
	if diff := cmp.Diff(saved, got, storedtest.Options); err != nil || diff != "" {
		t.Errorf("merchant of the next request: %v (-want +got):\n%s", err, diff)
	}
	if _, err := s.SaveMerchant(ctx, byTest, before, before); !errors.Is(err, store.ErrStale) {
		t.Errorf("a change of what was read before: got error %v, want ErrStale", err)
	}
}

// TestSaveMerchantState_WithSchedules checks that the settings and the cut-off that are read belong together.
func TestSaveMerchantState_WithSchedules(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), context.Background()
	openShop(t, s)
	state, err := s.MerchantState(ctx, shop.Code)
	if err != nil || state.Schedules.Live != nil || state.Schedules.Test != nil {
		t.Fatalf("got %+v, %v, want no schedules", state, err)
	}
	state.Schedules.Test = &merchant.PayoutSchedule{NextAt: start.Add(time.Hour)}
	first, err := s.SaveMerchantState(ctx, byTest, state, state)
	if err != nil || first.Merchant.Version != 2 || first.Schedules.Test.Version != 1 {
		t.Fatalf("got %+v, schedule %+v, %v, want version 2 with a schedule of version 1", first, first.Schedules.Test, err)
	}
	if _, err = s.SaveMerchantState(ctx, byTest, state, state); !errors.Is(err, store.ErrStale) {
		t.Errorf("once more: got error %v, want ErrStale", err)
	}
	if err = s.OpenPayout(ctx, tenant, *first.Schedules.Test, nil); err != nil { // moves the schedule on
		t.Fatal(err)
	}
	// The payouts of another mode are set up meanwhile, from the former settings.
	half, err := s.MerchantState(ctx, shop.Code)
	if err != nil {
		t.Fatal(err)
	}
	other := half
	other.Schedules.Live = &merchant.PayoutSchedule{NextAt: start.Add(time.Hour)}
	if _, err := s.SaveMerchantState(ctx, byTest, other, other); err != nil {
		t.Fatal(err)
	}
	half.Merchant.TimeZone = "Europe/Vienna"
	if _, err := s.SaveMerchantState(ctx, byTest, half, half); !errors.Is(err, store.ErrStale) {
		t.Errorf("beside a schedule that was not there: got error %v, want ErrStale", err)
	}
	first.Merchant.TimeZone = "Europe/Vienna"
	if _, err := s.SaveMerchantState(ctx, byTest, first, first); !errors.Is(err, store.ErrStale) {
		t.Errorf("by a schedule of before: got error %v, want ErrStale", err)
	}
	if m, err := s.Merchant(ctx, shop.Code); err != nil || m.TimeZone != shop.TimeZone {
		t.Errorf("half a change: got %s, %v, want %s", m.TimeZone, err, shop.TimeZone)
	}
}

// TestSaveMerchant_Concurrently checks that no concurrent change of a merchant is lost.
func TestSaveMerchant_Concurrently(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), context.Background()
	openShop(t, s)
	const writers, each = 4, 6
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for done := 0; done < each; {
				m, err := s.Merchant(ctx, shop.Code)
				if err == nil {
					m.Callbacks.Version++
					_, err = s.SaveMerchant(ctx, byTest, m, m)
				}
				if errors.Is(err, store.ErrStale) {
					continue
				}
				if err != nil {
					t.Errorf("got error %v, want none or ErrStale", err)
				}
				done++
			}
		})
	}
	all.Wait()
	if m, err := s.Merchant(ctx, shop.Code); err != nil || m.Callbacks.Version != writers*each ||
		m.Version != writers*each+1 {
		t.Errorf("got %d changes, version %d, %v, want %d, version %d", m.Callbacks.Version, m.Version, err, writers*each,
			writers*each+1)
	}
}

func TestSaveMerchant_LostReply(t *testing.T) {
	t.Parallel()
	const tries = 3 // of the SDK
	wire := &faults.Wire{Send: enginetest.Do}
	s := openTable(t, clock.New(), wire)
	openShop(t, s)
	m, err := s.Merchant(t.Context(), shop.Code)
	if err != nil {
		t.Fatal(err)
	}
	wire.Inject(faults.Times(tries, "TransactWriteItems", faults.FailBefore))
	if _, err = s.SaveMerchant(t.Context(), byTest, m, m); err == nil {
		t.Error("got no error, want one: the update never arrived")
	}
	for lost := 1; lost <= tries; lost++ {
		m.Name = fmt.Sprint("Shop ", lost)
		wire.Inject(faults.Times(lost, "TransactWriteItems", faults.LoseReply))
		if m, err = s.SaveMerchant(t.Context(), byTest, m, m); err != nil || m.Version != lost+1 {
			t.Errorf("%d replies lost: got version %d, %v, want %d", lost, m.Version, err, lost+1)
		}
	}
}

// throttled is a table that leaves the keys of the given number of batches unread.
type throttled struct{ left atomic.Int64 }

func (c *throttled) Do(r *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".BatchGetItem") || c.left.Add(-1) < 0 {
		return enginetest.Do(r)
	}
	const body = `{"Responses":{},"UnprocessedKeys":{"cashwrap":{"Keys":[{"pk":{"S":"KEY"},"sk":{"S":"KEY"}}]}}}`
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}, nil
}

// TestReadFew_ThrottledKey checks that a read is given up after three tries. Otherwise one throttled key of a merchant
// would keep a function busy until the request's time is up.
func TestReadFew_ThrottledKey(t *testing.T) {
	t.Parallel()
	wire := &throttled{}
	s := openTable(t, clock.New(), wire)
	first := openShop(t, s)
	for unread, fails := range map[int64]bool{2: false, 3: true} {
		wire.left.Store(unread)
		_, _, err := s.Authenticate(t.Context(), first.token, "")
		if (err != nil) != fails || failure.Is(err, failure.KindUnauthorized) {
			t.Errorf("%d batches unread: got error %v, want one %t, and never KindUnauthorized", unread, err, fails)
		}
		if left := wire.left.Load(); fails && left != 0 {
			t.Errorf("got %d tries, want %d", unread-left, unread)
		}
	}
}

// TestCreateMerchant_SameOwnerConcurrently checks that the owners of merchants created concurrently are one user.
func TestCreateMerchant_SameOwnerConcurrently(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	const many = 8
	var all sync.WaitGroup
	errs := make([]error, many)
	code := func(i int) string { return fmt.Sprintf("MC0000000%d", i) }
	for i := range many {
		all.Go(func() {
			errs[i] = s.CreateMerchant(t.Context(), byTest, merchant.Merchant{Code: code(i), Email: "Ada@example.com",
				CreatedAt: start},
				account.Account{})
		})
	}
	all.Wait()
	u, err := s.UserByEmail(t.Context(), "ada@example.com")
	if err = errors.Join(append(errs, err)...); err != nil {
		t.Fatal(err)
	}
	for _, mode := range identity.Modes {
		if found, readErr := s.Memberships(t.Context(), u.ID, mode); len(found) != many || readErr != nil {
			t.Errorf("%s: got %d memberships, error %v, want %d", mode.Name(), len(found), readErr, many)
		}
	}
}
