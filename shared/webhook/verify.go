package webhook

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Tolerance is how far a message's timestamp may be from the receiver's clock,
// in either direction (contract §11.2). It bounds how long a captured request
// can be replayed; within it, receivers recognise duplicates by webhook-id.
const Tolerance = 300 * time.Second

// Errors of [Verify].
var (
	ErrHeaders   = errors.New("webhook: missing, repeated or malformed header")
	ErrTimestamp = errors.New("webhook: timestamp outside the tolerance")
	ErrSignature = errors.New("webhook: no signature matches")
)

// Verify checks a received request as a receiver does: the raw body and headers
// against now, accepting when any one signature matches any one secret or key.
// It returns [ErrHeaders], [ErrTimestamp] or [ErrSignature].
func Verify(headers http.Header, body []byte, now time.Time, secrets []Secret, publicKeys []PublicKey) error {
	id, idOK := single(headers, headerID)
	timestamp, timestampOK := single(headers, headerTimestamp)
	signatures, signaturesOK := single(headers, headerSignature)
	if !idOK || !timestampOK || !signaturesOK || !validID(id) {
		return ErrHeaders
	}
	if err := checkTimestamp(timestamp, now); err != nil {
		return err
	}
	content := signedContent(id, timestamp, body)
	for entry := range strings.SplitSeq(signatures, " ") {
		if matches(entry, content, secrets, publicKeys) {
			return nil
		}
	}
	return ErrSignature
}

// single refuses repeated headers: a proxy and the receiver could pick different
// ones.
func single(headers http.Header, name string) (string, bool) {
	values := headers.Values(name)
	if len(values) != 1 {
		return "", false
	}
	return values[0], true
}

func checkTimestamp(text string, now time.Time) error {
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seconds <= 0 || strconv.FormatInt(seconds, 10) != text {
		return ErrHeaders
	}
	// Compared in seconds: a Duration would overflow for a far-off timestamp.
	limit := int64(Tolerance / time.Second)
	if at := now.Unix(); seconds < at-limit || seconds > at+limit {
		return ErrTimestamp
	}
	return nil
}

func matches(entry string, content []byte, secrets []Secret, publicKeys []PublicKey) bool {
	scheme, encoded, _ := strings.Cut(entry, ",")
	signature, ok := decodeBase64(encoded)
	if !ok {
		return false
	}
	switch scheme {
	case schemeHMAC:
		return anyVerifies(secrets, content, signature)
	case schemeEd25519:
		return anyVerifies(publicKeys, content, signature)
	default: // unknown schemes are ignored (Standard Webhooks)
		return false
	}
}

func anyVerifies[K interface {
	verify(content, signature []byte) bool
}](keys []K, content, signature []byte) bool {
	return slices.ContainsFunc(keys, func(key K) bool { return key.verify(content, signature) })
}
