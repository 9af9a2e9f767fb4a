package rest

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/store"
)

// noteTimeout bounds the recording of a key's use, and noteAgain delays the process's next try after a failure.
const (
	noteTimeout = 2 * time.Second
	noteAgain   = time.Minute
)

// keyUses notes when API keys are used (contract §8.2). Each process reads a key once an hour; one of them writes it.
type keyUses struct {
	store *store.Store
	log   *slog.Logger

	mu    sync.Mutex
	until map[string]time.Time // by key: before then there is nothing to do
}

func newKeyUses(s *store.Store, log *slog.Logger) *keyUses {
	return &keyUses{store: s, log: log, until: map[string]time.Time{}}
}

// note records that the principal's key is used now. The request goes on if that fails.
func (u *keyUses) note(ctx context.Context, p identity.Principal) {
	key := p.Tenant.String() + " " + p.Actor.ID
	if p.Actor.Kind != identity.SecretKey && p.Actor.Kind != identity.PublicKey || !u.due(key) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, noteTimeout)
	defer cancel()
	used, err := u.store.KeyUsed(ctx, p.Tenant, p.Actor.ID)
	if err == nil {
		u.wait(key, used.Add(store.KeyUseEvery))
		return
	}
	u.wait(key, u.store.Now().Add(noteAgain))
	u.log.LogAttrs(ctx, slog.LevelWarn, "use of a key not noted", slog.String("key", p.Actor.ID),
		slog.String("cause", err.Error()))
}

// due reports whether the use of the key is to be noted, by this request alone.
func (u *keyUses) due(key string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	now := u.store.Now()
	if now.Before(u.until[key]) {
		return false
	}
	if len(u.until) >= maxSubjects {
		clear(u.until)
	}
	u.until[key] = now.Add(noteAgain)
	return true
}

func (u *keyUses) wait(key string, until time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.until[key] = until
}
