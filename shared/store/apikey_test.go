package store_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/google/go-cmp/cmp"

	"github.com/cashwrap/cashwrap/localstack/aws/engines/enginetest"
	"github.com/cashwrap/cashwrap/localstack/harness/faults"
	"github.com/cashwrap/cashwrap/localstack/harness/storedtest"
	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/store"
)

// addKey creates a key of the tenant.
func addKey(t *testing.T, s *store.Store) issued {
	t.Helper()
	k := newKey(t, tenant)
	stored, err := s.CreateAPIKey(t.Context(), byTest, k.APIKey)
	if err != nil {
		t.Fatal(err)
	}
	k.APIKey = stored
	return k
}

func revoke(t *testing.T, s *store.Store, id string) error {
	t.Helper()
	return s.DeleteAPIKey(t.Context(), byTest, tenant, id, "revoke "+id)
}

func TestDeleteAPIKey_RefusedFromNextRequest(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	first, second := openShop(t, s), addKey(t, s)
	for range 2 { // a repeated creation or deletion changes nothing
		if _, err := s.CreateAPIKey(ctx, byTest, second.APIKey); err != nil {
			t.Fatal(err)
		}
		if err := revoke(t, s, first.ID); err != nil {
			t.Fatal(err)
		}
	}
	refused := func(when string) {
		t.Helper()
		if _, _, err := s.Authenticate(ctx, first.token, ""); !failure.Is(err, failure.KindUnauthorized) {
			t.Errorf("%s: got error %v, want KindUnauthorized", when, err)
		}
		if keys, err := s.APIKeys(ctx, tenant); err != nil || len(keys) != 1 || keys[0].ID != second.ID {
			t.Errorf("%s: got keys %v, %v, want the second alone", when, keys, err)
		}
	}
	refused("deleted")
	again, err := s.CreateAPIKey(ctx, byTest, first.APIKey)
	if err != nil || again.ID != first.ID {
		t.Errorf("created again: got %v, %v, want the deleted one", again, err)
	}
	refused("created again")
	if _, _, err = s.Authenticate(ctx, second.token, ""); err != nil {
		t.Errorf("the other key: got error %v, want none", err)
	}
	for name, of := range map[string]identity.Tenant{"another's": {Mode: identity.Test, Merchant: "MC00000000"},
		"the other mode's": {Mode: identity.Live, Merchant: shop.Code}} {
		wantKind(t, name, s.DeleteAPIKey(ctx, byTest, of, second.ID, ""), failure.KindNotFound)
	}
	wantKind(t, "another deletion", s.DeleteAPIKey(ctx, byTest, tenant, first.ID, "another"), failure.KindNotFound)
	if err = s.DeleteAPIKey(ctx, byTest, tenant, first.ID, ""); err != nil {
		t.Errorf("a deletion by whichever operation: got error %v, want none", err)
	}
	_, err = s.UpdateAPIKey(ctx, byTest, tenant, first.ID, named("x"))
	wantKind(t, "an update", err, failure.KindNotFound)
	wantKind(t, "a long id", s.DeleteAPIKey(ctx, byTest, tenant, strings.Repeat("x", 1024), ""), failure.KindNotFound)
}

// TestAPIKey_RevokedNotDeleted checks a key that old code revoked without deleting it. The key is refused, and seems
// not to exist.
func TestAPIKey_RevokedNotDeleted(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	k := openShop(t, s)
	makeOldKey(t, s, k, true)
	if _, _, err := s.Authenticate(ctx, k.token, ""); !failure.Is(err, failure.KindUnauthorized) {
		t.Errorf("got error %v, want KindUnauthorized", err)
	}
	if keys, err := s.APIKeys(ctx, tenant); err != nil || len(keys) != 0 {
		t.Errorf("got keys %v, %v, want none", keys, err)
	}
	_, err := s.UpdateAPIKey(ctx, byTest, tenant, k.ID, named("x"))
	wantKind(t, "an update", err, failure.KindNotFound)
	wantKind(t, "a deletion", revoke(t, s, k.ID), failure.KindNotFound)
}

// makeOldKey turns a stored key into a key from the time before keys had versions and previews.
func makeOldKey(t *testing.T, s *store.Store, k issued, revoked bool) {
	t.Helper()
	_, table := s.Raw()
	if err := table.Update("pk", "KEY#"+tenant.String()).Range("sk", "KEY#"+k.TokenHash).Set("revoked", revoked).
		Remove("version", "preview", "updated_at", "write_id").Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestUpdateAPIKey_KeyWithoutVersion checks that a key that was stored before keys had versions works, and is changed
// and deleted.
func TestUpdateAPIKey_KeyWithoutVersion(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(t), t.Context()
	k := openShop(t, s)
	makeOldKey(t, s, k, false)
	if _, _, err := s.Authenticate(ctx, k.token, ""); err != nil {
		t.Errorf("got error %v, want none", err)
	}
	for i := range 2 {
		got, err := s.UpdateAPIKey(ctx, byTest, tenant, k.ID, named(fmt.Sprint(i)))
		if err != nil || got.Version != 1+i || got.Name != fmt.Sprint(i) {
			t.Errorf("got %v, %v, want it named %d, of version %d", got, err, i, 1+i)
		}
	}
	makeOldKey(t, s, k, false)
	if err := revoke(t, s, k.ID); err != nil {
		t.Errorf("got error %v, want it deleted", err)
	}
}

func named(name string) func(identity.APIKey) (identity.APIKey, error) {
	return func(k identity.APIKey) (identity.APIKey, error) {
		k.Name = name
		return k, nil
	}
}

// TestUpdateAPIKey_RevokedByOldCodeMeanwhile checks that an update does not bring the key back.
func TestUpdateAPIKey_RevokedByOldCodeMeanwhile(t *testing.T) {
	t.Parallel()
	wire := &faults.Wire{Send: enginetest.Do}
	s := openTable(t, clock.New(), wire)
	k := openShop(t, s)
	wire.Meanwhile("TransactWriteItems", 1, func() { makeOldKey(t, s, k, true) })
	_, err := s.UpdateAPIKey(t.Context(), byTest, tenant, k.ID, named("x"))
	wire.Inject(nil)
	wantKind(t, "the update", err, failure.KindNotFound)
	if _, _, err := s.Authenticate(t.Context(), k.token, ""); !failure.Is(err, failure.KindUnauthorized) {
		t.Errorf("got error %v, want KindUnauthorized", err)
	}
}

// TestUpdateAPIKey_Concurrently checks that all updates are applied until one deletes the key.
func TestUpdateAPIKey_Concurrently(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	k := addKey(t, s)
	const many = 8
	var updates sync.WaitGroup
	for i := range many {
		updates.Go(func() {
			if _, err := s.UpdateAPIKey(t.Context(), byTest, tenant, k.ID, func(k identity.APIKey) (identity.APIKey, error) {
				k.Scopes = append(slices.Clone(k.Scopes), fmt.Sprint(i))
				return k, nil
			}); err != nil {
				t.Errorf("update %d: got error %v, want none", i, err)
			}
		})
	}
	updates.Wait()
	got, err := s.APIKey(t.Context(), tenant, k.ID)
	if err != nil || got.Version != 1+many || len(got.Scopes) != 1+many {
		t.Errorf("got %v, %v, want version %d and as many scopes", got, err, 1+many)
	}
	for i := range many {
		updates.Go(func() {
			if _, err := s.UpdateAPIKey(t.Context(), byTest, tenant, k.ID, named(fmt.Sprint(i))); err != nil {
				wantKind(t, "an update", err, failure.KindNotFound)
			}
		})
	}
	if err := revoke(t, s, k.ID); err != nil {
		t.Errorf("the deletion: got error %v, want none", err)
	}
	updates.Wait()
	if _, _, err := s.Authenticate(t.Context(), k.token, ""); !failure.Is(err, failure.KindUnauthorized) {
		t.Errorf("got error %v, want KindUnauthorized", err)
	}
}

// TestCreateAPIKey_Limits checks the limit of 100 keys, for concurrent and successive creations. A deleted key no
// longer counts for that limit, but still counts for the limit of its day.
func TestCreateAPIKey_Limits(t *testing.T) {
	t.Parallel()
	now := clock.New()
	s := openTable(t, now, nil)
	var keys []issued
	const left = 3
	for range identity.MaxAPIKeys - left {
		keys = append(keys, addKey(t, s))
	}
	now.Advance(24 * time.Hour) // else the day's limit would be the same
	var all sync.WaitGroup
	var counted sync.Map
	for i := range 3 * left {
		k := newKey(t, tenant)
		all.Go(func() {
			_, err := s.CreateAPIKey(t.Context(), byTest, k.APIKey)
			if err == nil {
				counted.Store(i, true)
			} else {
				wantKind(t, "one more", err, failure.KindConflict)
			}
		})
	}
	all.Wait()
	made := 0
	counted.Range(func(any, any) bool { made++; return true })
	if got, err := s.APIKeys(t.Context(), tenant); made != left || len(got) != identity.MaxAPIKeys || err != nil {
		t.Errorf("got %d made, %d keys, %v, want %d and %d", made, len(got), err, left, identity.MaxAPIKeys)
	}
	today := left
	for today < identity.MaxAPIKeysDay {
		if err := revoke(t, s, keys[0].ID); err != nil {
			t.Fatal(err)
		}
		keys = append(keys[1:], addKey(t, s))
		today++
	}
	if err := revoke(t, s, keys[0].ID); err != nil {
		t.Fatal(err)
	}
	now.Advance(5 * time.Hour)
	_, err := s.CreateAPIKey(t.Context(), byTest, newKey(t, tenant).APIKey)
	if e := failure.Of(err); e.Kind != failure.KindTooMany || e.RetryAfter != 7*time.Hour { // until midnight
		t.Errorf("got %v after %s, want TooMany for 7h", err, e.RetryAfter)
	}
	if _, err := s.CreateAPIKey(t.Context(), byTest, keys[1].APIKey); err != nil {
		t.Errorf("one that is made: got error %v, want none", err)
	}
	now.Advance(7 * time.Hour)
	addKey(t, s)
}

// TestAPIKeys_LostCalls checks that each operation is done once, although calls are lost and the operation is repeated
// until it succeeds.
func TestAPIKeys_LostCalls(t *testing.T) {
	t.Parallel()
	operations := []string{"TransactWriteItems", "BatchGetItem", "Query", "GetItem"}
	runEachLoss(t, operations, func(t *testing.T, s *store.Store, until untilDone) {
		t.Helper()
		k := newKey(t, tenant)
		until("create", func() error { return errOf(s.CreateAPIKey(t.Context(), byTest, k.APIKey)) })
		until("update", func() error { return errOf(s.UpdateAPIKey(t.Context(), byTest, tenant, k.ID, named("x"))) })
		if got, err := s.APIKeys(t.Context(), tenant); len(got) != 1 || got[0].Version != 2 || err != nil {
			t.Errorf("got keys %v, error %v, want one of version 2", got, err)
		}
		until("delete", func() error { return revoke(t, s, k.ID) })
		entries, err := collect(s.AuditEntries(t.Context(), tenant.Merchant, time.Time{}, s.Now(), ""))
		if len(entries) != 3 || err != nil {
			t.Errorf("got %d audit entries, %v, want 3", len(entries), err)
		}
	})
}

// accepted counts the requests of an operation that the table has carried out.
type accepted struct {
	aws.HTTPClient
	operation string
	n         atomic.Int32
}

func (a *accepted) Do(r *http.Request) (*http.Response, error) {
	response, err := a.HTTPClient.Do(r)
	if err == nil && response.StatusCode == http.StatusOK && strings.HasSuffix(r.Header.Get("X-Amz-Target"), a.operation) {
		a.n.Add(1)
	}
	return response, err
}

// TestKeyUsed_OncePerHour checks that a key's use costs one write an hour, however many processes use the key.
func TestKeyUsed_OncePerHour(t *testing.T) {
	t.Parallel()
	now, writes := clock.New(), &accepted{operation: ".PutItem"}
	s := storedtest.Open(t, now.Now, func(c aws.HTTPClient) aws.HTTPClient {
		writes.HTTPClient = c
		return writes
	})
	for hour := range int32(3) {
		want := now.Now()
		for _, after := range []time.Duration{0, time.Minute, 58 * time.Minute} {
			now.Advance(after)
			var all sync.WaitGroup
			for range 10 {
				all.Go(func() {
					if at, err := s.KeyUsed(t.Context(), tenant, "key_1"); err != nil || !at.Equal(want) {
						t.Errorf("got %s, %v, want %s", at, err, want)
					}
				})
			}
			all.Wait()
			used, err := s.KeyUses(t.Context(), tenant, "key_1", "key_2")
			if diff := cmp.Diff(map[string]time.Time{"key_1": want}, used, storedtest.Options); err != nil || diff != "" {
				t.Errorf("%v, used (-want +got):\n%s", err, diff)
			}
			if n := writes.n.Load(); n != hour+1 {
				t.Errorf("in hour %d: got %d writes, want %d", hour, n, hour+1)
			}
		}
		now.Advance(time.Minute)
	}
}

// TestKeyUsed_LostReply checks that a use whose reply is lost counts as written.
func TestKeyUsed_LostReply(t *testing.T) {
	t.Parallel()
	wire := &faults.Wire{Send: enginetest.Do}
	now := clock.New()
	s := openTable(t, now, wire)
	wire.Inject(faults.Times(1, "PutItem", faults.LoseReply))
	if at, err := s.KeyUsed(t.Context(), tenant, "key_1"); err != nil || !at.Equal(now.Now()) {
		t.Errorf("got %s, %v, want now", at, err)
	}
}
