package app

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

var (
	change = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	// rotated is a platform whose secret changed.
	rotated = Config{
		Secret: []byte(strings.Repeat("n", 32)), SecretSince: change,
		PreviousSecret: []byte(strings.Repeat("p", 32)), PreviousSince: change.Add(-time.Hour),
		LastingSecret: []byte(strings.Repeat("l", 32)),
	}
	before = Config{Secret: rotated.PreviousSecret, SecretSince: rotated.PreviousSince,
		LastingSecret: rotated.LastingSecret}
	after = Config{Secret: rotated.Secret, SecretSince: change, LastingSecret: rotated.LastingSecret}
)

func TestKeysDifferByPurposeAndSecret(t *testing.T) {
	t.Parallel()
	keys := map[string]bool{}
	for _, secret := range [][]byte{rotated.Secret, rotated.PreviousSecret, rotated.LastingSecret} {
		for _, purpose := range []string{forSignatures, forRequests, forSessions, forMerchants, forCards, forSandbox} {
			key := derive(secret, purpose)
			if keys[string(key)] || len(key) != 32 || !bytes.Equal(key, derive(secret, purpose)) {
				t.Errorf("%s: %d bytes, or another's", purpose, len(key))
			}
			keys[string(key)] = true
		}
	}
}

func TestWhatMerchantsHoldLasts(t *testing.T) {
	t.Parallel()
	for _, purpose := range []string{forMerchants, forCards, forSandbox} {
		if key := before.lasting(purpose); !bytes.Equal(key, rotated.lasting(purpose)) ||
			!bytes.Equal(key, after.lasting(purpose)) {
			t.Errorf("%s: changed with the platform secret", purpose)
		}
	}
}

// TestASessionIsOfTheSecretOfItsTime, to the nanosecond.
func TestASessionIsOfTheSecretOfItsTime(t *testing.T) {
	t.Parallel()
	for at, of := range map[time.Time]Config{
		change.Add(-2 * time.Hour): before, change.Add(-time.Nanosecond): before, change: after, change.Add(time.Hour): after,
	} {
		if !bytes.Equal(rotated.sessionKey(at), of.sessionKey(at)) {
			t.Errorf("of %s: another than without the rotation", at)
		}
	}
	if bytes.Equal(before.sessionKey(change), after.sessionKey(change)) {
		t.Error("the rotation changed nothing")
	}
}
