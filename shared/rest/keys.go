package rest

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"time"

	"github.com/cashwrap/cashwrap/shared/payments"
)

// keys are derived from the configured secret, each for one purpose.
type keys struct {
	fingerprint []byte
	operation   []byte
	random      []byte
	replies     cipher.AEAD
}

// deriveKeys panics when the secret is shorter than 32 bytes.
func deriveKeys(secret []byte) keys {
	if len(secret) < 32 {
		panic("rest: HashKey is shorter than 32 bytes")
	}
	block, err := aes.NewCipher(derive(secret, "reply"))
	if err != nil {
		panic(err) // 32 bytes are a key
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // AES has the right block size
	}
	return keys{fingerprint: derive(secret, "fingerprint"), operation: derive(secret, "operation"),
		random: derive(secret, "random"), replies: aead}
}

// keyring has the keys of all records. A record keeps the keys that it was made with, also after a rotation.
type keyring struct {
	keys  keys
	old   *keys // nil: none
	since time.Time
}

func deriveKeyring(c Config) keyring {
	r := keyring{keys: deriveKeys(c.HashKey), since: c.HashKeySince}
	if c.OldHashKey != nil {
		old := deriveKeys(c.OldHashKey)
		r.old = &old
	}
	return r
}

// at returns the keys that records may have: first those of new records.
func (r keyring) at(now time.Time) []keys {
	switch {
	case r.old == nil:
		return []keys{r.keys}
	case now.Before(r.since):
		return []keys{*r.old, r.keys}
	default:
		return []keys{r.keys, *r.old}
	}
}

func derive(secret []byte, purpose string) []byte {
	key, err := hkdf.Key(sha256.New, secret, nil, "cashwrap idempotency "+purpose, 32)
	if err != nil {
		panic(err) // only for lengths beyond 8 KB
	}
	return key
}

// mac returns HMAC-SHA-256 over the parts, each preceded by its length, so that different lists differ.
func mac(key []byte, parts ...string) []byte {
	h := hmac.New(sha256.New, key)
	for _, part := range parts {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	return h.Sum(nil)
}

// operationID is a UUID (version 4 in form) that only we can derive.
func (k keys) operationID(parts ...string) string {
	return payments.FormatUUIDv4(mac(k.operation, parts...))
}

// seal encrypts a reply (AES-256-GCM) for its record. One key may seal 2^32, by random nonces (NIST SP 800-38D §8.3).
func (k keys) seal(plain []byte, record string) []byte {
	return k.replies.Seal(nil, nil, plain, []byte(record)) //nolint:gosec // G407: the AEAD makes its nonces itself
}

var errSealed = errors.New("rest: a stored reply cannot be decrypted")

func (k keys) open(sealed []byte, record string) ([]byte, error) {
	plain, err := k.replies.Open(nil, nil, sealed, []byte(record))
	if err != nil {
		return nil, errSealed
	}
	return plain, nil
}
