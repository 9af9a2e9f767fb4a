package transactions

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"

	"github.com/cashwrap/cashwrap/shared/identity"
)

// sealRef encrypts the id of an item that the caller may not see, with the first key. Only the same caller can use the
// resulting ref.
func sealRef(keys [][]byte, caller identity.Principal, id string) string {
	aead := newAEAD(keys[0])
	sealed := aead.Seal(nil, nil, []byte(id), boundTo(caller)) //nolint:gosec // G407: the AEAD makes its nonces itself
	return base64.RawURLEncoding.EncodeToString(sealed)
}

// openRef returns the id in a ref that sealRef made for the caller with any of the keys; false for every other ref.
func openRef(keys [][]byte, caller identity.Principal, ref string) (id string, ok bool) {
	sealed, err := base64.RawURLEncoding.DecodeString(ref)
	if err != nil {
		return "", false
	}
	for _, key := range keys {
		if plain, openErr := newAEAD(key).Open(nil, nil, sealed, boundTo(caller)); openErr == nil {
			return string(plain), true
		}
	}
	return "", false
}

// boundTo returns the associated data of the encryption, which binds a sealed ref to the caller and its tenant.
func boundTo(caller identity.Principal) []byte {
	return []byte(caller.Tenant.String() + "\x00" + caller.Actor.ID)
}

// newAEAD returns AES-256-GCM with random nonces.
func newAEAD(key []byte) cipher.AEAD {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // 32 bytes are a key
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // AES has the right block size
	}
	return aead
}
