package member

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"golang.org/x/crypto/argon2"

	"github.com/cashwrap/cashwrap/shared/failure"
)

// Hash is a PHC string (github.com/P-H-C/phc-string-format), for the table alone: $argon2id$v=19$…$<salt>$<tag>.
type Hash string

// defaultCost is OWASP's first choice for Argon2id (Password Storage Cheat Sheet): 19 MiB, 2 passes, 1 lane. RFC 9106
// recommends 64 MiB and 2 GiB, which a function of 256 MB has not, or not twice at a time.
var defaultCost = Cost{memory: 19 * 1024, passes: 2, lanes: 1}

// CheapCost is for tests, which make thousands of hashes. package app refuses it in a deployed function.
var CheapCost = Cost{memory: 64, passes: 1, lanes: 1}

// Cost is what a new hash takes: the parameters of Argon2id. Zero is the default.
type Cost struct {
	memory uint32 // KiB
	passes uint32
	lanes  uint8
}

// Lengths in bytes (RFC 9106 §4).
const (
	saltLength = 16
	tagLength  = 32
)

// simultaneous is how many hashes a process computes at a time; some others wait, and the rest is refused. A deployed
// function has one request at a time, but the local run serves many, and must not run out of memory.
const (
	simultaneous = 2
	waiting      = 30 // beside those: a few seconds of work
)

var (
	// slots has an element for each hash that is being computed.
	slots = make(chan struct{}, simultaneous)
	// queue has one for each of those, and for each that waits.
	queue = make(chan struct{}, simultaneous+waiting)
)

// errBusy is the failure of a password for which no hash can be computed now.
var errBusy = failure.TooMany(time.Second)

// maxMemory bounds what a stored hash may ask for, in KiB.
const maxMemory = 64 * 1024

// errHash reports a stored hash that nothing of ours has written.
var errHash = errors.New("member: a stored password hash cannot be read")

// newHash hashes a password under a salt of its own. Errors: that of ctx.
func newHash(ctx context.Context, c Cost, password string) (Hash, error) {
	salt := make([]byte, saltLength)
	_, _ = rand.Read(salt) // never fails
	tag, err := c.tag(ctx, password, salt, tagLength)
	if err != nil {
		return "", err
	}
	return c.phc(salt, tag), nil
}

// phc writes a hash of this cost.
func (c Cost) phc(salt, tag []byte) Hash {
	return Hash(fmt.Sprintf(form, argon2.Version, c.memory, c.passes, c.lanes) + "$" +
		encoding.EncodeToString(salt) + "$" + encoding.EncodeToString(tag))
}

const form = "$argon2id$v=%d$m=%d,t=%d,p=%d"

var encoding = base64.RawStdEncoding.Strict() // of PHC strings

// matches compares a password with the hash in constant time. Errors: that of ctx; errHash.
func (h Hash) matches(ctx context.Context, password string) (bool, error) {
	p, salt, want, err := h.parse()
	if err != nil {
		return false, err
	}
	got, err := p.tag(ctx, password, salt, uint32(len(want))) //nolint:gosec // parse has bounded it
	return err == nil && subtle.ConstantTimeCompare(got, want) == 1, err
}

// parse reads the hash, also one of another cost than the default, which older hashes may have.
func (h Hash) parse() (p Cost, salt, tag []byte, err error) {
	parts := strings.Split(string(h), "$")
	if len(parts) != 6 {
		return p, nil, nil, errHash
	}
	var version int
	head := strings.Join(parts[:4], "$")
	_, err = fmt.Sscanf(head, form, &version, &p.memory, &p.passes, &p.lanes)
	salt, saltErr := encoding.DecodeString(parts[4])
	tag, tagErr := encoding.DecodeString(parts[5])
	if errors.Join(err, saltErr, tagErr) != nil || head != fmt.Sprintf(form, version, p.memory, p.passes, p.lanes) ||
		version != argon2.Version || !p.bounded() || len(salt) != saltLength || len(tag) != tagLength {
		return p, nil, nil, errHash
	}
	return p, salt, tag, nil
}

func (p Cost) bounded() bool {
	return p.memory <= maxMemory && p.passes >= 1 && p.passes <= 10 && p.lanes >= 1 && p.memory >= 8*uint32(p.lanes)
}

// tag computes Argon2id (RFC 9106), when a slot is free. Failure: TooMany, when many wait already.
func (p Cost) tag(ctx context.Context, password string, salt []byte, length uint32) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case queue <- struct{}{}:
		defer func() { <-queue }()
	default:
		return nil, errBusy
	}
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
		return argon2.IDKey([]byte(password), salt, p.passes, p.memory, p.lanes, length), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Format hides the hash from every verb of fmt.
func (Hash) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "[redacted]") }

// LogValue hides the hash from slog.
func (Hash) LogValue() slog.Value { return slog.StringValue("[redacted]") }

// MarshalJSON always fails: a hash is never part of an answer.
func (Hash) MarshalJSON() ([]byte, error) {
	return nil, errors.New("member: a password hash cannot be written out")
}
