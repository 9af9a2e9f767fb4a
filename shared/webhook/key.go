package webhook

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
)

const publicKeyPrefix = "whpk_"

// Errors for keys of the wrong form.
var (
	ErrSeed      = errors.New("webhook: signing key seed is not 32 bytes")
	ErrPublicKey = errors.New("webhook: malformed public key")
)

// SigningKey is the platform's Ed25519 key, behind every v1a signature. Like
// [Secret] it cannot be printed, logged or marshalled. The zero value is unusable.
type SigningKey struct{ opaque }

// NewSigningKey expands a 32-byte seed (RFC 8032 §5.1.5). It returns [ErrSeed]
// for any other length.
func NewSigningKey(seed []byte) (SigningKey, error) {
	if len(seed) != ed25519.SeedSize {
		return SigningKey{}, ErrSeed
	}
	return SigningKey{conceal(ed25519.NewKeyFromSeed(seed))}, nil
}

// ID identifies the key where it is published. It depends only on the public half.
func (k SigningKey) ID() string { return k.PublicKey().ID() }

// PublicKey returns the public half, which receivers verify with.
func (k SigningKey) PublicKey() PublicKey {
	if k.isZero() {
		return PublicKey{}
	}
	return PublicKey{string(k.reveal()[ed25519.SeedSize:])}
}

func (k SigningKey) sign(content []byte) []byte {
	return ed25519.Sign(ed25519.PrivateKey(k.reveal()), content)
}

// PublicKey verifies v1a signatures. It is comparable and prints and marshals as
// whpk_ followed by base64. The zero value verifies nothing.
type PublicKey struct{ raw string }

// ParsePublicKey reads the whpk_ form. It returns [ErrPublicKey] otherwise.
func ParsePublicKey(text string) (PublicKey, error) {
	encoded, ok := strings.CutPrefix(text, publicKeyPrefix)
	if !ok {
		return PublicKey{}, ErrPublicKey
	}
	raw, ok := decodeBase64(encoded)
	if !ok || len(raw) != ed25519.PublicKeySize {
		return PublicKey{}, ErrPublicKey
	}
	return PublicKey{string(raw)}, nil
}

// ID returns key_ and 16 hexadecimal digits of the key's SHA-256.
func (p PublicKey) ID() string {
	sum := sha256.Sum256([]byte(p.raw))
	return "key_" + hex.EncodeToString(sum[:8])
}

// String returns the whpk_ form.
func (p PublicKey) String() string {
	return publicKeyPrefix + base64.StdEncoding.EncodeToString([]byte(p.raw))
}

// MarshalText returns the whpk_ form, so that JSON carries it as a string.
func (p PublicKey) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

func (p PublicKey) verify(content, signature []byte) bool {
	return len(p.raw) == ed25519.PublicKeySize && ed25519.Verify(ed25519.PublicKey(p.raw), content, signature)
}
