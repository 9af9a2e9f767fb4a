package rest

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"io"
)

// Random returns secret bytes derived from the operation and a key. A retry under an Idempotency-Key makes the same
// secret, so it finds the stored item. Without an operation the bytes are random. An operation may make only one
// secret.
func Random(ctx context.Context) io.Reader {
	seed := stateOf(ctx).seed
	if seed == nil {
		return rand.Reader
	}
	block, err := aes.NewCipher(seed)
	if err != nil {
		panic(err) // never fails for 32 bytes
	}
	counter := make([]byte, aes.BlockSize)
	return cipher.StreamReader{S: cipher.NewCTR(block, counter), R: zeros{}} //nolint:gosec // each key is used once
}

// zeros is an endless source of zeros.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
