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

// deriveKeys derives the keys. It panics if the secret is shorter than 32 bytes.
func deriveKeys(secret []byte) keys {
	if len(secret) < 32 {
		panic("rest: HashKey is shorter than 32 bytes")
	}
	block, err := aes.NewCipher(derive(secret, "reply"))
	if err != nil {
		panic(err) // never fails for 32 bytes
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // AES has the right block size
	}
	return keys{fingerprint: derive(secret, "fingerprint"), operation: derive(secret, "operation"),
		random: derive(secret, "random"), replies: aead}
}

// keyring has the keys of all records. A record keeps the keys that made it, also after a rotation.
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

// candidates returns the keys that may have made a record. The first are the keys that make new records.
func (r keyring) candidates(now time.Time) []keys {
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

// mac returns the HMAC-SHA-256 of the parts. Each part's length precedes it, so that different lists differ.
func mac(key []byte, parts ...string) []byte {
	h := hmac.New(sha256.New, key)
	for _, part := range parts {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	return h.Sum(nil)
}

// operationID returns an id in the form of a UUID version 4. Only the platform can derive it.
func (k keys) operationID(parts ...string) string {
	return payments.FormatUUIDv4(mac(k.operation, parts...))
}

// seal encrypts a reply for its record (AES-256-GCM). One key may seal 2^32 replies, because the nonces are random
// (NIST SP 800-38D §8.3).
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
