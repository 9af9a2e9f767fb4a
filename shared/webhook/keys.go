package webhook

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
)

const secretPrefix = "whsec_"

// Key lengths in bytes. Standard Webhooks asks for secrets of 24 to 64 bytes. The master key of all merchants' secrets
// is as long as a full HMAC-SHA256 key.
const (
	minSecretSize = 24
	maxSecretSize = 64
	minMasterSize = 32
)

// ErrSecret reports a text that is not "whsec_" followed by the base64 of 24 to 64 bytes.
var ErrSecret = errors.New("webhook: malformed secret")

// Secret is a merchant's symmetric signing key. When printed, logged or marshalled, it shows only a placeholder. Only
// [Secret.Reveal] returns the key. The zero value signs nothing.
type Secret struct{ opaque }

// ParseSecret parses the whsec_ form. It returns [ErrSecret] for any other text.
func ParseSecret(text string) (Secret, error) {
	encoded, ok := strings.CutPrefix(text, secretPrefix)
	if !ok {
		return Secret{}, ErrSecret
	}
	key, ok := decodeBase64(encoded)
	if !ok || len(key) < minSecretSize || len(key) > maxSecretSize {
		return Secret{}, ErrSecret
	}
	return Secret{conceal(key)}, nil
}

// DeriveSecret computes a version of a merchant's 32-byte secret from the platform's master key, so that no secret is
// stored. It panics if the master key is shorter than 32 bytes, because others could guess a short key and sign as the
// platform.
func DeriveSecret(master []byte, merchant string, version int) Secret {
	if len(master) < minMasterSize {
		panic("webhook: master key is shorter than 32 bytes")
	}
	label := "callback-secret/" + merchant + "/" + strconv.Itoa(version)
	return Secret{conceal(hmacSHA256(master, []byte(label)))}
}

// Reveal returns the whsec_ form, for the only reply that shows the secret to its merchant. For the zero value it
// returns "".
func (s Secret) Reveal() string {
	if s.isZero() {
		return ""
	}
	return secretPrefix + base64.StdEncoding.EncodeToString(s.reveal())
}

func (s Secret) sign(content []byte) []byte { return hmacSHA256(s.reveal(), content) }

func (s Secret) verify(content, signature []byte) bool {
	return !s.isZero() && hmac.Equal(s.sign(content), signature)
}

func hmacSHA256(key, content []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(content)
	return mac.Sum(nil)
}

const redacted = "[redacted]"

// opaque hides key bytes from every printer, logger and encoder. Printers that use reflection can read unexported
// fields, but cannot look inside a func.
type opaque struct{ reveal func() []byte }

func conceal(key []byte) opaque {
	own := append([]byte(nil), key...)
	return opaque{reveal: func() []byte { return own }}
}

func (o opaque) isZero() bool { return o.reveal == nil }

// Format writes a fixed placeholder for every verb. Without this method, %d would bypass String.
func (opaque) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, redacted) }

// String returns a fixed placeholder.
func (opaque) String() string { return redacted }

// GoString returns a fixed placeholder.
func (opaque) GoString() string { return redacted }

// LogValue returns a fixed placeholder.
func (opaque) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText returns a fixed placeholder, also for encoders other than JSON.
func (opaque) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// MarshalJSON returns a fixed placeholder.
func (opaque) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }

const publicKeyPrefix = "whpk_"

// Errors for keys that do not have the right form.
var (
	ErrSeed      = errors.New("webhook: signing key seed is not 32 bytes")
	ErrPublicKey = errors.New("webhook: malformed public key")
)

// SigningKey is the platform's Ed25519 key, which makes every v1a signature. Like a [Secret] it cannot be printed,
// logged or marshalled. The zero value is unusable.
type SigningKey struct{ opaque }

// NewSigningKey makes the key from a 32-byte seed (RFC 8032 §5.1.5). It returns [ErrSeed] for a seed of another length.
func NewSigningKey(seed []byte) (SigningKey, error) {
	if len(seed) != ed25519.SeedSize {
		return SigningKey{}, ErrSeed
	}
	return SigningKey{conceal(ed25519.NewKeyFromSeed(seed))}, nil
}

// ID returns the id of the key's published half. It is computed from the public half only.
func (k SigningKey) ID() string { return k.PublicKey().ID() }

// PublicKey returns the public half of the key, for receivers that verify signatures.
func (k SigningKey) PublicKey() PublicKey {
	if k.isZero() {
		return PublicKey{}
	}
	return PublicKey{string(k.reveal()[ed25519.SeedSize:])}
}

func (k SigningKey) sign(content []byte) []byte {
	return ed25519.Sign(ed25519.PrivateKey(k.reveal()), content)
}

// PublicKey verifies v1a signatures. It can be compared. It prints and marshals as "whpk_" followed by base64. The zero
// value verifies nothing.
type PublicKey struct{ raw string }

// ParsePublicKey parses the whpk_ form. It returns [ErrPublicKey] for any other text.
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

// ID returns "key_" followed by 16 hexadecimal digits of the key's SHA-256.
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
