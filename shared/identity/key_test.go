package identity_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	mathrand "math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/cashwrap/cashwrap/shared/identity"
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// Contract §2.1: the prefix tells kind and mode, 38 base62 characters follow.
func TestKeyFormat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind   identity.Kind
		mode   identity.Mode
		prefix string
	}{
		{identity.SecretKey, identity.Live, "sk_live_"},
		{identity.SecretKey, identity.Test, "sk_test_"},
		{identity.PublicKey, identity.Live, "pk_live_"},
		{identity.PublicKey, identity.Test, "pk_test_"},
	} {
		key := newKey(t, c.kind, c.mode, rand.Reader)
		if !regexp.MustCompile(`^` + c.prefix + `[0-9A-Za-z]{38}$`).MatchString(key) {
			t.Errorf("%s %s: %s", c.kind, c.mode, key)
		}
		if !identity.WellFormed(key) {
			t.Errorf("%s is refused", key)
		}
	}
}

// A slip of one character, wherever it is, is refused without a read.
func TestOneWrongCharacterIsNoticed(t *testing.T) {
	t.Parallel()
	for _, kind := range []identity.Kind{identity.SecretKey, identity.PublicKey} {
		key := newKey(t, kind, identity.Live, rand.Reader)
		for i := range key {
			for c := range 256 {
				slip := key[:i] + string([]byte{byte(c)}) + key[i+1:]
				if slip != key && identity.WellFormed(slip) {
					t.Fatalf("%q passes for %q", slip, key)
				}
			}
		}
	}
}

func TestOtherSlipsAreNoticed(t *testing.T) {
	t.Parallel()
	key := newKey(t, identity.SecretKey, identity.Live, rand.Reader)
	body := strings.TrimPrefix(key, "sk_live_")
	for name, token := range map[string]string{
		"nothing": "", "prefix alone": "sk_live_", "no prefix": body, "one too few": key[:len(key)-1],
		"one too many": key + "0", "blank before": " " + key, "line end": key + "\n",
		"live for test": "sk_test_" + body, "unknown kind": "xk_live_" + body, "unknown mode": "sk_prod_" + body,
		"capital prefix": "SK_LIVE_" + body, "doubled": key + key,
	} {
		if identity.WellFormed(token) {
			t.Errorf("%s: %q passes", name, token)
		}
	}
	swapped := []byte(key)
	for i := len("sk_live_"); i < len(key)-1; i++ {
		copy(swapped, key)
		swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
		if string(swapped) != key && identity.WellFormed(string(swapped)) {
			t.Errorf("%s passes for %s", swapped, key)
		}
	}
}

// Bytes taken modulo 62 would draw the first eight characters a quarter more
// often than the rest. The seed is fixed, so that the test has one result.
func TestAlphabetIsUniform(t *testing.T) {
	t.Parallel()
	source := mathrand.NewChaCha8([32]byte{62})
	count := map[rune]int{}
	const keys = 4000
	for range keys {
		key := newKey(t, identity.SecretKey, identity.Test, source)
		for _, r := range key[len("sk_test_") : len(key)-6] {
			count[r]++
		}
	}
	const want = keys * 32 / len(base62)
	for _, r := range base62 {
		if count[r] < want*9/10 || count[r] > want*11/10 {
			t.Errorf("%c is drawn %d times, want about %d", r, count[r], want)
		}
	}
	if len(count) != len(base62) {
		t.Errorf("%d characters are in use", len(count))
	}
}

func TestNoKeyWithoutRandomness(t *testing.T) {
	t.Parallel()
	broken := errors.New("no entropy")
	for _, source := range []io.Reader{iotest.ErrReader(broken), bytes.NewReader(make([]byte, 10))} {
		if key, err := identity.NewKey(identity.SecretKey, identity.Live, source); err == nil || key != "" {
			t.Errorf("%q, %v", key, err)
		}
	}
}

func TestKeysDiffer(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 100 {
		seen[newKey(t, identity.SecretKey, identity.Live, rand.Reader)] = true
	}
	if len(seen) != 100 {
		t.Errorf("%d different keys of 100", len(seen))
	}
}

// The test vector is FIPS 180-2's; the key itself is nowhere in its hash.
func TestHash(t *testing.T) {
	t.Parallel()
	if got := identity.Hash("abc"); got != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Errorf("SHA-256 of abc: %s", got)
	}
}

func newKey(t *testing.T, kind identity.Kind, mode identity.Mode, random io.Reader) string {
	t.Helper()
	key, err := identity.NewKey(kind, mode, random)
	if err != nil {
		t.Fatal(err)
	}
	return key
}
