package rest

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/google/uuid"
)

// keys are derived from the one configured secret, each for one purpose.
type keys struct {
	fingerprint []byte
	operation   []byte
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
	return keys{fingerprint: derive(secret, "fingerprint"), operation: derive(secret, "operation"), replies: aead}
}

// ring is the keys of all records there are. A record is made, continued and
// answered with the same ones, whatever comes into use meanwhile.
type ring struct {
	keys  keys
	old   *keys // nil: none
	since time.Time
}

func deriveRing(c Config) ring {
	r := ring{keys: deriveKeys(c.HashKey), since: c.HashKeySince}
	if c.OldHashKey != nil {
		old := deriveKeys(c.OldHashKey)
		r.old = &old
	}
	return r
}

// at are the keys that a record may have, at the time: first those of new ones.
func (r ring) at(now time.Time) []keys {
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

// mac is HMAC-SHA-256 over the parts, each with its length, so that no two
// lists of parts run together into one text.
func mac(key []byte, parts ...string) []byte {
	h := hmac.New(sha256.New, key)
	var length [8]byte
	for _, part := range parts {
		n := uint64(len(part))
		for i := range length {
			length[i] = byte(n >> (8 * i))
		}
		h.Write(length[:])
		h.Write([]byte(part))
	}
	return h.Sum(nil)
}

// operationID is a UUID (version 4 in form) that only we can derive.
func (k keys) operationID(parts ...string) string {
	var id uuid.UUID
	copy(id[:], mac(k.operation, parts...))
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return id.String()
}

// seal encrypts a stored reply (AES-256-GCM); place binds it to its record.
// Under one key, random nonces are safe for 2^32 replies (NIST SP 800-38D §8.3).
func (k keys) seal(plain []byte, place string) []byte {
	return k.replies.Seal(nil, nil, plain, []byte(place))
}

var errSealed = errors.New("rest: a stored reply cannot be opened")

func (k keys) open(sealed []byte, place string) ([]byte, error) {
	plain, err := k.replies.Open(nil, nil, sealed, []byte(place))
	if err != nil {
		return nil, errSealed
	}
	return plain, nil
}

// randomID is a random UUID v4.
func randomID() string { return uuid.NewString() }
