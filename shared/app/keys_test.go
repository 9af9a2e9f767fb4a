package app

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

var (
	change = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	// rotated is the configuration during a rotation.
	rotated = Config{
		Secret: []byte(strings.Repeat("n", 32)), SecretSince: change,
		PreviousSecret: []byte(strings.Repeat("p", 32)), PreviousSince: change.Add(-time.Hour),
		LastingSecret: []byte(strings.Repeat("l", 32)),
	}
	before = Config{Secret: rotated.PreviousSecret, SecretSince: rotated.PreviousSince,
		LastingSecret: rotated.LastingSecret}
	after = Config{Secret: rotated.Secret, SecretSince: change, LastingSecret: rotated.LastingSecret}
)

func TestDerive_DistinctKeys(t *testing.T) {
	t.Parallel()
	keys := map[string]bool{}
	for _, secret := range [][]byte{rotated.Secret, rotated.PreviousSecret, rotated.LastingSecret} {
		for _, purpose := range []string{forSignatures, forRequests, forSessions, forMerchants, forInvitations, forCards,
			forSandbox} {
			key := derive(secret, purpose)
			if keys[string(key)] || len(key) != 32 || !bytes.Equal(key, derive(secret, purpose)) {
				t.Errorf("%s: got %x, want 32 bytes of its own, the same each time", purpose, key)
			}
			keys[string(key)] = true
		}
	}
}

func TestDeriveLasting_Rotation(t *testing.T) {
	t.Parallel()
	for _, purpose := range []string{forMerchants, forInvitations, forCards, forSandbox} {
		if key := before.deriveLasting(purpose); !bytes.Equal(key, rotated.deriveLasting(purpose)) ||
			!bytes.Equal(key, after.deriveLasting(purpose)) {
			t.Errorf("%s: got %x, then %x, want %x throughout", purpose, rotated.deriveLasting(purpose),
				after.deriveLasting(purpose), key)
		}
	}
}

// TestSessionKey_Rotation checks the key immediately before and after the rotation, to the nanosecond.
func TestSessionKey_Rotation(t *testing.T) {
	t.Parallel()
	for at, of := range map[time.Time]Config{
		change.Add(-2 * time.Hour): before, change.Add(-time.Nanosecond): before, change: after, change.Add(time.Hour): after,
	} {
		if got, want := rotated.sessionKey(at), of.sessionKey(at); !bytes.Equal(got, want) {
			t.Errorf("at %s: got %x, want %x as without the rotation", at, got, want)
		}
	}
	if got := after.sessionKey(change); bytes.Equal(before.sessionKey(change), got) {
		t.Errorf("got %x before and after the rotation, want two keys", got)
	}
}
