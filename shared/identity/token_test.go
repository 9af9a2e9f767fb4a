package identity

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
)

// TestNewToken_Format checks contract §2.1: the prefix gives kind and mode, and 38 base62 characters follow.
func TestNewToken_Format(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind   Kind
		mode   Mode
		prefix string
	}{
		{SecretKey, Live, "sk_live_"},
		{SecretKey, Test, "sk_test_"},
		{PublicKey, Live, "pk_live_"},
		{PublicKey, Test, "pk_test_"},
	} {
		key := newKey(t, c.kind, c.mode, rand.Reader)
		if !regexp.MustCompile(`^` + c.prefix + `[0-9A-Za-z]{38}$`).MatchString(key) {
			t.Errorf("%s %s: got %s, want %s and 38 base62 characters", c.kind, c.mode, key, c.prefix)
		}
		token, ok := ParseToken(key)
		if want := (Token{Kind: c.kind, Tenant: Tenant{c.mode, "MC0A1B2C3D"}, Hash: Hash(key)}); !ok || token != want {
			t.Errorf("%s: got %+v, %t, want %+v, true", key, token, ok, want)
		}
	}
}

// TestParseToken_OneWrongCharacter checks that a token with one wrong character, anywhere, is refused without a read.
func TestParseToken_OneWrongCharacter(t *testing.T) {
	t.Parallel()
	for _, kind := range []Kind{SecretKey, PublicKey} {
		key := newKey(t, kind, Live, rand.Reader)
		for i := range key {
			for c := range 256 {
				slip := key[:i] + string([]byte{byte(c)}) + key[i+1:]
				if slip != key && wellFormed(slip) {
					t.Fatalf("%q instead of %q: got true, want false", slip, key)
				}
			}
		}
	}
}

func TestParseToken_Malformed(t *testing.T) {
	t.Parallel()
	key := newKey(t, SecretKey, Live, rand.Reader)
	body := strings.TrimPrefix(key, "sk_live_")
	for name, token := range map[string]string{
		"nothing": "", "prefix alone": "sk_live_", "no prefix": body, "one too few": key[:len(key)-1],
		"one too many": key + "0", "blank before": " " + key, "line end": key + "\n",
		"live for test": "sk_test_" + body, "unknown kind": "xk_live_" + body, "unknown mode": "sk_prod_" + body,
		"capital prefix": "SK_LIVE_" + body, "doubled": key + key,
	} {
		if wellFormed(token) {
			t.Errorf("%s, %q: got true, want false", name, token)
		}
	}
	swapped := []byte(key)
	for i := len("sk_live_"); i < len(key)-1; i++ {
		copy(swapped, key)
		swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
		if string(swapped) != key && wellFormed(string(swapped)) {
			t.Errorf("%s instead of %s: got true, want false", swapped, key)
		}
	}
}

// TestNewToken_UniformAlphabet checks for modulo bias. Bytes taken modulo 62 would draw the first eight characters a
// quarter more often than the rest. The seed is fixed, so that each run of the test has the same result.
func TestNewToken_UniformAlphabet(t *testing.T) {
	t.Parallel()
	source := mathrand.NewChaCha8([32]byte{62})
	count := map[rune]int{}
	const keys = 4000
	for range keys {
		key := newKey(t, SecretKey, Test, source)
		for _, r := range key[len("sk_test_")+codeLength : len(key)-sumLength] {
			count[r]++
		}
	}
	const want = keys * randomLength / len(base62)
	for _, r := range base62 {
		if count[r] < want*9/10 || count[r] > want*11/10 {
			t.Errorf("%c: got it %d times, want about %d", r, count[r], want)
		}
	}
	if len(count) != len(base62) {
		t.Errorf("got %d different characters, want %d", len(count), len(base62))
	}
}

func TestNewToken_RandomFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("no entropy")
	for _, source := range []io.Reader{iotest.ErrReader(broken), bytes.NewReader(make([]byte, 10))} {
		if key, err := newToken(SecretKey, Tenant{Live, "MC0A1B2C3D"}, source); err == nil || key != "" {
			t.Errorf("got key %q, error %v, want none and an error", key, err)
		}
	}
}

func TestNewToken_Unique(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 100 {
		seen[newKey(t, SecretKey, Live, rand.Reader)] = true
	}
	if len(seen) != 100 {
		t.Errorf("got %d different keys, want 100", len(seen))
	}
}

// TestHash uses the test vector of FIPS 180-2, and checks that the hash does not contain the key.
func TestHash(t *testing.T) {
	t.Parallel()
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if got := Hash("abc"); got != want {
		t.Errorf("SHA-256 of abc: got %s, want %s", got, want)
	}
}

func newKey(t *testing.T, kind Kind, mode Mode, random io.Reader) string {
	t.Helper()
	key, err := newToken(kind, Tenant{mode, "MC0A1B2C3D"}, random)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func wellFormed(text string) bool {
	_, ok := ParseToken(text)
	return ok
}

// TestNewToken_UnusualMerchantCode checks a merchant code of another form, which would not fit into a key.
func TestNewToken_UnusualMerchantCode(t *testing.T) {
	t.Parallel()
	for _, tenant := range []Tenant{{}, {Live, "MC1"}, {Live, "MC0A1B2C3DE"}, {Live, "XX0A1B2C3D"}, {Live, "MC0a1b2c3d"},
		{"X", "MC0A1B2C3D"}} {
		if key, err := newToken(SecretKey, tenant, rand.Reader); err == nil {
			t.Errorf("%+v: got key %s, want an error", tenant, key)
		}
	}
}
