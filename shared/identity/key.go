package identity

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/crc32"
	"io"
	"math/big"
	"strings"
)

const (
	base62       = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	randomLength = 32
	sumLength    = 6
)

// prefixes of API keys by kind and mode (contract §2.1).
var prefixes = map[Kind]map[Mode]string{
	SecretKey: {Live: "sk_live_", Test: "sk_test_"},
	PublicKey: {Live: "pk_live_", Test: "pk_test_"},
}

// NewKey makes an API key: the prefix, 32 random base62 characters and six of
// checksum. random is crypto/rand.Reader outside tests.
func NewKey(kind Kind, mode Mode, random io.Reader) (string, error) {
	body, err := randomText(random, randomLength)
	if err != nil {
		return "", err
	}
	token := prefixes[kind][mode] + body
	return token + checksum(token), nil
}

// WellFormed says the token has a known prefix and a right checksum, so that
// a mistyped key costs no read. The checksum covers the prefix: sk_ and pk_
// are one slip apart.
func WellFormed(token string) bool {
	for _, byMode := range prefixes {
		for _, prefix := range byMode {
			if strings.HasPrefix(token, prefix) {
				signed := len(prefix) + randomLength
				return len(token) == signed+sumLength && checksum(token[:signed]) == token[signed:]
			}
		}
	}
	return false
}

// Hash is the only form in which a token is stored: hex SHA-256. Tokens carry
// 190 random bits, so no salt or stretching is needed.
func Hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// checksum is CRC-32 (IEEE) in base62, padded to six characters.
func checksum(text string) string {
	n := new(big.Int).SetUint64(uint64(crc32.ChecksumIEEE([]byte(text))))
	sum := make([]byte, sumLength)
	base, digit := big.NewInt(int64(len(base62))), new(big.Int)
	for i := sumLength - 1; i >= 0; i-- {
		n.DivMod(n, base, digit)
		sum[i] = base62[digit.Int64()]
	}
	return string(sum)
}

// randomText draws n base62 characters without modulo bias.
func randomText(random io.Reader, n int) (string, error) {
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
