package webhook

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Header names of Standard Webhooks.
const (
	headerID        = "webhook-id"
	headerTimestamp = "webhook-timestamp"
	headerSignature = "webhook-signature"
)

// Signature schemes of Standard Webhooks.
const (
	schemeHMAC    = "v1"
	schemeEd25519 = "v1a"
)

const maxIDSize = 128

// Errors for a message or key that cannot be signed. They report mistakes of the caller.
var (
	ErrMessage = errors.New("webhook: message needs an id like msg_<uuid> and a timestamp")
	ErrNoKey   = errors.New("webhook: signing key or secret is the zero value")
)

// Message is one event in one attempt to deliver it.
type Message struct {
	ID        string    // "msg_" and a UUID, the same on every retry
	Timestamp time.Time // time of this attempt; sent as unix seconds
	Body      []byte    // exactly the bytes of the posted body
}

// Sign returns the three webhook headers (contract §11.2). They have a v1 signature for each secret, and a v1a
// signature for each key. During a rotation there are two keys. Errors: [ErrMessage], [ErrNoKey].
func Sign(m Message, keys []SigningKey, secrets []Secret) (http.Header, error) {
	if !isValidID(m.ID) || m.Timestamp.Unix() <= 0 {
		return nil, ErrMessage
	}
	if len(keys) == 0 {
		return nil, ErrNoKey
	}
	timestamp := strconv.FormatInt(m.Timestamp.Unix(), 10)
	content := signedContent(m.ID, timestamp, m.Body)
	signatures := make([]string, 0, len(secrets)+len(keys))
	for _, secret := range secrets {
		if secret.isZero() {
			return nil, ErrNoKey
		}
		signatures = append(signatures, formatSignature(schemeHMAC, secret.sign(content)))
	}
	for _, key := range keys {
		if key.isZero() {
			return nil, ErrNoKey
		}
		signatures = append(signatures, formatSignature(schemeEd25519, key.sign(content)))
	}

	headers := http.Header{}
	headers.Set(headerID, m.ID)
	headers.Set(headerTimestamp, timestamp)
	headers.Set(headerSignature, strings.Join(signatures, " "))
	return headers, nil
}

func signedContent(id, timestamp string, body []byte) []byte {
	return append([]byte(id+"."+timestamp+"."), body...)
}

func formatSignature(scheme string, signature []byte) string {
	return scheme + "," + base64.StdEncoding.EncodeToString(signature)
}

// isValidID returns true if the id is valid. A valid id has no dots, because otherwise two different messages could
// have the same signed content.
func isValidID(id string) bool {
	rest, ok := strings.CutPrefix(id, "msg_")
	if !ok || rest == "" || len(id) > maxIDSize {
		return false
	}
	return strings.IndexFunc(rest, func(r rune) bool { return !isLDH(r) && r != '_' }) < 0
}

// isLDH returns true if r is an ASCII letter, digit or hyphen (RFC 5890 §2.3.1).
func isLDH(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-'
}

var timedHeader = regexp.MustCompile(`^(X-[0-9A-Za-z-]{1,62})?$`)

// CheckTimedHeader checks the name of the header for timed signatures. The name "" means that there is no such header.
// A name must begin with X-, because no other header of a callback does.
func CheckTimedHeader(name string) error {
	if !timedHeader.MatchString(name) {
		return errors.New("must be X- and up to 62 letters, digits and hyphens")
	}
	return nil
}

// WithTimedSignatures makes the sender also sign in the form t=<unix seconds>,v1=<hex> (contract §11.2). The sender
// puts this signature into the given header, whose name [CheckTimedHeader] must accept.
func (s *Sender) WithTimedSignatures(header string) *Sender {
	s.timed = header
	return s
}

// signTimed signs the attempt with the text of the secret, including whsec_, because receivers of this form use the
// text as the key.
func signTimed(m Message, s Secret) string {
	timestamp := strconv.FormatInt(m.Timestamp.Unix(), 10)
	content := append([]byte("v1:"+timestamp+":"), m.Body...)
	return "t=" + timestamp + ",v1=" + hex.EncodeToString(hmacSHA256([]byte(s.Reveal()), content))
}

// decodeBase64 accepts only the canonical form. encoding/base64 alone would ignore line breaks.
func decodeBase64(text string) ([]byte, bool) {
	data, err := base64.StdEncoding.Strict().DecodeString(text)
	return data, err == nil && base64.StdEncoding.EncodedLen(len(data)) == len(text)
}

// Tolerance is the largest allowed difference between a message's timestamp and the receiver's clock, in both
// directions (contract §11.2). It limits replays. Within the tolerance, receivers recognise duplicates by webhook-id.
const Tolerance = 300 * time.Second

// Errors of [Verify].
var (
	ErrHeaders   = errors.New("webhook: missing, repeated or malformed header")
	ErrTimestamp = errors.New("webhook: timestamp outside the tolerance")
	ErrSignature = errors.New("webhook: no signature matches")
)

// Verify checks the raw body and headers of a request at the time now, as a receiver does. The request is valid if any
// signature matches any secret or key. Errors: [ErrHeaders], [ErrTimestamp] or [ErrSignature].
func Verify(headers http.Header, body []byte, now time.Time, secrets []Secret, publicKeys []PublicKey) error {
	id, idOK := singleValue(headers, headerID)
	timestamp, timestampOK := singleValue(headers, headerTimestamp)
	signatures, signaturesOK := singleValue(headers, headerSignature)
	if !idOK || !timestampOK || !signaturesOK || !isValidID(id) {
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

// singleValue returns a header's value. It refuses a repeated header, because a proxy and the receiver could each pick
// a different value.
func singleValue(headers http.Header, name string) (string, bool) {
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
	// The difference is in seconds, because a Duration would overflow for a far-off timestamp.
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
