package identity

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"io"
	"strings"
)

const (
	base62       = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	randomLength = 24 // 142 bits
	sumLength    = 6
	bodyLength   = codeLength + randomLength + sumLength
)

// tokenPrefixes are the prefixes of API keys by kind and mode (contract §2.1).
var tokenPrefixes = map[Kind]map[Mode]string{
	SecretKey: {Live: "sk_live_", Test: "sk_test_"},
	PublicKey: {Live: "pk_live_", Test: "pk_test_"},
}

// Token is the content of a credential's text. For an API key it has the kind, the tenant, and the hash that the key is
// stored under. For an access token it has only the hash. Only the store knows if the credential exists.
type Token struct {
	Kind   Kind   `dynamo:"kind,omitempty"`   // "": an access token
	Tenant Tenant `dynamo:"tenant,omitempty"` // of an API key
	Hash   string `dynamo:"hash"`
}

// accessTokenLength is the number of hexadecimal digits of an access token (contract §10).
const accessTokenLength = 64

// errNoMerchantCode reports a tenant whose merchant code does not have the usual form.
var errNoMerchantCode = errors.New("identity: no key can be made for this tenant")

// newToken returns the text of an API key: the prefix, the merchant's code without MC, 24 random base62 characters, and
// six characters of checksum. Because of the code, a request can read key and merchant in one call. random is secret
// except in tests.
func newToken(kind Kind, t Tenant, random io.Reader) (string, error) {
	prefix := tokenPrefixes[kind][t.Mode]
	if prefix == "" || !IsMerchantCode(t.Merchant) {
		return "", errNoMerchantCode
	}
	secret, err := drawText(random, randomLength)
	if err != nil {
		return "", err
	}
	text := prefix + strings.TrimPrefix(t.Merchant, codePrefix) + secret
	return text + checksum(text), nil
}

// NewAccessToken returns the text of an access token, of 256 random bits. random is crypto/rand.Reader except in tests.
func NewAccessToken(random io.Reader) (string, error) {
	raw := make([]byte, accessTokenLength/2)
	_, err := io.ReadFull(random, raw)
	return hex.EncodeToString(raw), err
}

// ParseToken parses a credential. It returns false for a text that no credential can have, so that a mistyped key costs
// no read. The checksum covers the prefix, because sk_ and pk_ are easily confused.
func ParseToken(text string) (Token, bool) {
	if len(text) == accessTokenLength && strings.Trim(text, "0123456789abcdef") == "" {
		return Token{Hash: Hash(text)}, true
	}
	for kind, byMode := range tokenPrefixes {
		for mode, prefix := range byMode {
			if body, ok := strings.CutPrefix(text, prefix); ok {
				return parseBody(Token{Kind: kind, Tenant: Tenant{Mode: mode}}, text, body)
			}
		}
	}
	return Token{}, false
}

func parseBody(token Token, text, body string) (Token, bool) {
	if len(body) != bodyLength || checksum(text[:len(text)-sumLength]) != text[len(text)-sumLength:] {
		return Token{}, false
	}
	token.Tenant.Merchant = codePrefix + body[:codeLength]
	token.Hash = Hash(text)
	return token, IsMerchantCode(token.Tenant.Merchant)
}

// Hash returns a token's SHA-256 in hex. The token is stored only in this form. Tokens are random enough to need no
// salt or stretching.
func Hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// checksum returns the CRC-32 (IEEE) of the text in base62, padded to six characters.
func checksum(text string) string {
	n := crc32.ChecksumIEEE([]byte(text))
	var sum [sumLength]byte
	for i := range sum {
		sum[sumLength-1-i] = base62[n%uint32(len(base62))]
		n /= uint32(len(base62))
	}
	return string(sum[:])
}

// drawText draws n base62 characters without modulo bias.
func drawText(random io.Reader, n int) (string, error) {
	text := make([]byte, 0, n)
	buffer := make([]byte, 2*n)
	for len(text) < n {
		if _, err := io.ReadFull(random, buffer); err != nil {
			return "", err
		}
		for _, b := range buffer {
			if int(b) < 4*len(base62) && len(text) < n {
				text = append(text, base62[int(b)%len(base62)])
			}
		}
	}
	return string(text), nil
}
