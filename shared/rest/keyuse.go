package rest

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/store"
)

// noteTimeout bounds the write of a key's use. After a failed write the process waits noteAgain before its next try.
const (
	noteTimeout = 2 * time.Second
	noteAgain   = time.Minute
)

// keyUses records uses of API keys (contract §8.2). Each process reads a key's last use once an hour. All processes
// together write it once an hour.
type keyUses struct {
	store *store.Store
	log   *slog.Logger

	mu    sync.Mutex
	until map[string]time.Time // by key: when the next use is due to be recorded
}

func newKeyUses(s *store.Store, log *slog.Logger) *keyUses {
	return &keyUses{store: s, log: log, until: map[string]time.Time{}}
}

// note records that the principal's key is used now. If the record fails, the request goes on.
func (u *keyUses) note(ctx context.Context, p identity.Principal) {
	key := p.Tenant.String() + " " + p.Actor.ID
	if p.Actor.Kind != identity.SecretKey && p.Actor.Kind != identity.PublicKey || !u.claimNote(key) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, noteTimeout)
	defer cancel()
	used, err := u.store.KeyUsed(ctx, p.Tenant, p.Actor.ID)
	if err == nil {
		u.postpone(key, used.Add(store.KeyUseEvery))
		return
	}
	u.postpone(key, u.store.Now().Add(noteAgain))
	u.log.LogAttrs(ctx, slog.LevelWarn, "use of a key not noted", slog.String("key", p.Actor.ID),
		slog.String("cause", err.Error()))
}

// claimNote returns true if this request has to record the key's use. The process's other requests then need not.
func (u *keyUses) claimNote(key string) bool {
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

func (u *keyUses) postpone(key string, until time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.until[key] = until
}
