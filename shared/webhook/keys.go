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

// Key lengths in bytes. Standard Webhooks asks for 24 to 64. The master key of all merchants' secrets has the length of
// a full HMAC-SHA256 key.
const (
	minSecretSize = 24
	maxSecretSize = 64
	minMasterSize = 32
)

// ErrSecret reports a text that is not whsec_ followed by the base64 of 24 to 64 bytes.
var ErrSecret = errors.New("webhook: malformed secret")

// Secret is a merchant's symmetric signing key. It prints, logs and marshals as
// a placeholder; only [Secret.Reveal] shows it. The zero value signs nothing.
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
// stored. It panics on a master shorter than 32 bytes: with such a key anyone could sign as the platform.
func DeriveSecret(master []byte, merchant string, version int) Secret {
	if len(master) < minMasterSize {
		panic("webhook: master key is shorter than 32 bytes")
	}
	label := "callback-secret/" + merchant + "/" + strconv.Itoa(version)
	return Secret{conceal(hmacSHA256(master, []byte(label)))}
}

// Reveal returns the whsec_ form, for the one reply that shows it to its merchant, or "" for the zero value.
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

// opaque hides key bytes from every printer, logger and encoder. Printers that use reflection read unexported fields,
// but cannot read behind a func.
type opaque struct{ reveal func() []byte }

func conceal(key []byte) opaque {
	own := append([]byte(nil), key...)
	return opaque{reveal: func() []byte { return own }}
}

func (o opaque) isZero() bool { return o.reveal == nil }

// Format writes a fixed placeholder for every verb; without it %d would bypass String.
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

// Errors for keys of the wrong form.
var (
	ErrSeed      = errors.New("webhook: signing key seed is not 32 bytes")
	ErrPublicKey = errors.New("webhook: malformed public key")
)

// SigningKey is the platform's Ed25519 key, which makes every v1a signature. Like [Secret] it cannot be printed, logged
// or marshalled. The zero value is unusable.
type SigningKey struct{ opaque }

// NewSigningKey expands a 32-byte seed (RFC 8032 §5.1.5). It returns [ErrSeed] for any other length.
func NewSigningKey(seed []byte) (SigningKey, error) {
	if len(seed) != ed25519.SeedSize {
		return SigningKey{}, ErrSeed
	}
	return SigningKey{conceal(ed25519.NewKeyFromSeed(seed))}, nil
}

// ID returns the id of the published key. It depends only on the public half.
func (k SigningKey) ID() string { return k.PublicKey().ID() }

// PublicKey returns the public half, for receivers that verify signatures.
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
