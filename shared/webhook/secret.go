package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
)

const secretPrefix = "whsec_"

// Key lengths in bytes. Standard Webhooks asks for 24 to 64; every
// merchant's secret is derived from the master key, which has the length of a full
// HMAC-SHA256 key.
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

// ParseSecret reads the whsec_ form. It returns [ErrSecret] otherwise.
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

// DeriveSecret computes the given version of a merchant's secret from the
// platform's master key, so that no secret is stored. The same arguments
// always give the same 32-byte secret. It panics on a master shorter than 32
// bytes: with such a key anyone could sign as the platform.
func DeriveSecret(master []byte, merchant string, version int) Secret {
	if len(master) < minMasterSize {
		panic("webhook: master key is shorter than 32 bytes")
	}
	label := "callback-secret/" + merchant + "/" + strconv.Itoa(version)
	return Secret{conceal(hmacSHA256(master, []byte(label)))}
}

// Reveal returns the whsec_ form, for the one reply that shows it to its merchant; ""
// for the zero value.
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

// opaque has key bytes that no printer, logger or encoder can reach. They are behind
// a function because fmt and other printers that use reflection read unexported
// fields without calling methods, but cannot read a func.
type opaque struct{ reveal func() []byte }

func conceal(key []byte) opaque {
	own := append([]byte(nil), key...)
	return opaque{reveal: func() []byte { return own }}
}

func (o opaque) isZero() bool { return o.reveal == nil }

// Format covers every verb; without it %d would bypass String.
func (opaque) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, redacted) }

// String returns a fixed placeholder.
func (opaque) String() string { return redacted }

// GoString returns a fixed placeholder.
func (opaque) GoString() string { return redacted }

// LogValue returns a fixed placeholder.
func (opaque) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText returns a fixed placeholder, for encoders other than JSON too.
func (opaque) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// MarshalJSON returns a fixed placeholder.
func (opaque) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }
